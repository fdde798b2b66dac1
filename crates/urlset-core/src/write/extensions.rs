//! The extensions of an entry as elements: images, videos, alternates and news. What is wrong with them was judged before.

use super::element::{attribute, element, stripped, tags, text};
use super::error::Refusal;
use super::row::{Alternate, Image};
use crate::media::{Holds, NEWS_ELEMENTS, NEWS_PUBLICATION, News, SHOW, VIDEO_PARTS, Video, VideoPart};

/// `<image:image>`.
pub fn image_element(image: &Image<'_>, out: &mut String) -> Result<(), Refusal> {
    out.push_str("<image:image>");
    element(tags!("image:loc"), stripped(Some(image.loc)).unwrap_or_default(), out)?;
    // The order of Google's schema.
    let rest = [
        (tags!("image:caption"), image.caption),
        (tags!("image:geo_location"), image.geo_location),
        (tags!("image:title"), image.title),
        (tags!("image:license"), image.license),
    ];
    for (tags, value) in rest {
        if let Some(value) = stripped(value) {
            element(tags, value, out)?;
        }
    }
    out.push_str("</image:image>");
    Ok(())
}

/// `<xhtml:link>`.
pub fn alternate_element(alternate: &Alternate<'_>, out: &mut String) -> Result<(), Refusal> {
    // What nearly all are needs no look.
    let rel = Some(alternate.rel()).filter(|rel| *rel != "alternate");
    out.push_str(if rel.is_none() { "<xhtml:link rel=\"alternate\"" } else { "<xhtml:link" });
    attribute_of(&[" rel=\""], rel, out)?;
    attribute_of(&[" hreflang=\""], alternate.hreflang, out)?;
    attribute_of(&[" media=\""], alternate.media, out)?;
    attribute_of(&[" href=\""], Some(alternate.href), out)?;
    out.push_str("/>");
    Ok(())
}

/// `<video:video>`, its children in the order of Google's schema.
pub fn video_element(video: &Video<Option<&str>>, out: &mut String) -> Result<(), Refusal> {
    out.push_str("<video:video>");
    for part in &VIDEO_PARTS {
        match part.holds {
            Holds::Texts(first) => {
                let values = &video.texts[first..=first + part.attributes.len()];
                if values.iter().any(|value| stripped(*value).is_some()) {
                    video_leaf(part, values, out)?;
                }
            }
            Holds::Segments => items(part, &video.segments, out)?,
            Holds::Tags => {
                // An empty tag says nothing.
                for tag in video.tags.iter().filter(|[tag]| stripped(*tag).is_some()) {
                    video_leaf(part, tag, out)?;
                }
            }
            Holds::Prices => items(part, &video.prices, out)?,
            Holds::Show => {
                if let Some(show) = &video.show {
                    out.push_str("<video:tvshow>");
                    leaves("video", &SHOW, show, out)?;
                    out.push_str("</video:tvshow>");
                }
            }
            Holds::Ids => items(part, &video.ids, out)?,
        }
    }
    out.push_str("</video:video>");
    Ok(())
}

fn items<const N: usize>(part: &VideoPart, items: &[[Option<&str>; N]], out: &mut String) -> Result<(), Refusal> {
    items.iter().try_for_each(|item| video_leaf(part, item, out))
}

/// An element that holds text and attributes.
fn video_leaf(part: &VideoPart, values: &[Option<&str>], out: &mut String) -> Result<(), Refusal> {
    out.push_str("<video:");
    out.push_str(part.name);
    for (name, value) in part.attributes.iter().zip(&values[1..]) {
        attribute_of(&[" ", name, "=\""], *value, out)?;
    }
    out.push('>');
    text(stripped(values[0]).unwrap_or_default(), out)?;
    out.push_str("</video:");
    out.push_str(part.name);
    out.push('>');
    Ok(())
}

/// `<news:news>`, its children in the order of Google's schema.
pub fn news_element(news: &News<Option<&str>>, out: &mut String) -> Result<(), Refusal> {
    let (names, values) = (NEWS_ELEMENTS.split_at(NEWS_PUBLICATION), news.split_at(NEWS_PUBLICATION));
    out.push_str("<news:news>");
    if values.0.iter().any(|value| stripped(*value).is_some()) {
        out.push_str("<news:publication>");
        leaves("news", names.0, values.0, out)?;
        out.push_str("</news:publication>");
    }
    leaves("news", names.1, values.1, out)?;
    out.push_str("</news:news>");
    Ok(())
}

/// Elements that hold only text, if they have one.
fn leaves(prefix: &str, names: &[&str], values: &[Option<&str>], out: &mut String) -> Result<(), Refusal> {
    for (name, value) in names.iter().zip(values) {
        if let Some(value) = stripped(*value) {
            out.push_str(&format!("<{prefix}:{name}>"));
            text(value, out)?;
            out.push_str(&format!("</{prefix}:{name}>"));
        }
    }
    Ok(())
}

/// An attribute, if it has a value; `begin` is what stands before that, in parts.
#[inline(always)]
fn attribute_of(begin: &[&str], value: Option<&str>, out: &mut String) -> Result<(), Refusal> {
    if let Some(value) = stripped(value) {
        begin.iter().for_each(|part| out.push_str(part));
        attribute(value, out)?;
        out.push('"');
    }
    Ok(())
}
