//! One row as one element, and the values that are refused because the reader would not read them back.

use super::element::{element, tags};
use super::error::Refusal;
use super::extensions::{alternate_element, image_element, news_element, video_element};
use super::fields::{lastmod_element, loc_element, priority_element};
use super::row::Row;
use crate::diagnostic::{catalogue, wording};
use crate::limits::Budget;
use crate::media::Video;
use crate::value::changefreq;

/// `<url>`, its children in the order of the protocol's schema.
pub fn url(row: &Row<'_>, out: &mut String) -> Result<(), Refusal> {
    out.push_str("<url>");
    loc_element(row.loc, out)?;
    lastmod_element(row.lastmod, out)?;
    changefreq_element(row, out)?;
    priority_element(row.priority, out)?;
    from_extensions(row, out)
}

/// `<url>` from its extensions on.
pub fn from_extensions(row: &Row<'_>, out: &mut String) -> Result<(), Refusal> {
    media(row, out)?;
    if let Some(news) = &row.news {
        news_element(news, out)?;
    }
    out.push_str("</url>\n");
    Ok(())
}

/// The XML after the lastmod and before the news.
pub fn after_lastmod(row: &Row<'_>, out: &mut String) -> Result<(), Refusal> {
    changefreq_element(row, out)?;
    priority_element(row.priority, out)?;
    media(row, out)
}

fn changefreq_element(row: &Row<'_>, out: &mut String) -> Result<(), Refusal> {
    if let Some(word) = row.changefreq.filter(|word| !word.is_empty()) {
        if changefreq::parse(word).is_none() {
            let (rule, message) = wording::changefreq_error(word);
            return Err(Refusal::of_column("changefreq", rule, message, None));
        }
        element(tags!("changefreq"), word, out)?;
    }
    Ok(())
}

/// The extensions but for the news.
fn media(row: &Row<'_>, out: &mut String) -> Result<(), Refusal> {
    for image in &row.images {
        image_element(image, out)?;
    }
    for video in &row.videos {
        video_element(video, out)?;
    }
    for alternate in &row.alternates {
        alternate_element(alternate, out)?;
    }
    Ok(())
}

/// `<sitemap>`: only loc and lastmod.
pub fn sitemap(row: &Row<'_>, out: &mut String) -> Result<(), Refusal> {
    if row.changefreq.is_some() || row.priority.is_some() || row.has_extensions() {
        return Err(Refusal::new(&catalogue::IDX006, "a sitemap entry has only loc and lastmod"));
    }
    out.push_str("<sitemap>");
    loc_element(row.loc, out)?;
    lastmod_element(row.lastmod, out)?;
    out.push_str("</sitemap>\n");
    Ok(())
}

/// Refuses what our own reader would give up on. That is far more than an entry needs.
pub fn check_readable(row: &Row<'_>, bytes: usize) -> Result<(), Refusal> {
    let Budget { piece_bytes, text_bytes, items_per_entry, .. } = Budget::DEFAULT;
    let refuse = |message: String| Err(Refusal::new(&catalogue::LIM007, message));
    if bytes > piece_bytes {
        return refuse(format!("the entry alone has {bytes} bytes; no more than {piece_bytes} are read back"));
    }
    let longest = if bytes > text_bytes { row.longest_text() } else { 0 };
    if longest > text_bytes {
        return refuse(format!("a text of {longest} bytes; no more than {text_bytes} are read back"));
    }
    let lists = [(row.videos.len(), "videos"), (row.alternates.len(), "alternates")];
    match lists.into_iter().chain(row.videos.iter().map(Video::longest)).find(|(items, _)| *items > items_per_entry) {
        Some((items, what)) => refuse(format!("{items} {what}; no more than {items_per_entry} are read back")),
        None => Ok(()),
    }
}
