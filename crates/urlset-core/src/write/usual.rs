//! Entries whose values are written as nearly all are: they need no more than a look at each value, and a copy of it.

mod languages;

use self::languages::{KnownLanguages, MAX_LINKS};
use super::body::{Body, Line, ROOM};
use super::element::stripped;
use super::row::{Alternate, Fields, Image, Lastmod, Priority, Row};
use crate::limits::{Budget, IMAGES_PER_ENTRY, LOC_CHARS};
use crate::value::calendar::DAY_MICROS;
use crate::value::lastmod::is_somewhere;
use crate::value::loc::{self, KnownOrigin, traits};
use crate::value::{changefreq, priority, w3c_date};
use crate::xml::{escape_text, is_plain};

// Each image and each link has a room of its own, so our own reader reads back as many as may be.
const _: () = assert!((1 + IMAGES_PER_ENTRY + MAX_LINKS) * ROOM <= Budget::DEFAULT.piece_bytes);

/// Writes such entries, and leaves all others to [`url`](super::entry::url), which writes the same.
#[derive(Debug, Default)]
pub struct UsualEntries {
    origin: KnownOrigin,
    /// The same of the images, which another host often serves.
    image_origin: KnownOrigin,
    languages: KnownLanguages,
    escaped: String,
}

impl UsualEntries {
    /// Append the `<url>` of a row up to its extensions, and to its end if it has none. None: it is not a usual one, and
    /// nothing was appended.
    #[inline(always)]
    pub fn push(&mut self, row: &Row<'_>, body: &mut Body) -> Option<()> {
        let Row { loc, lastmod, changefreq, priority, .. } = *row;
        let fields = Fields { loc, lastmod, lastmod_raw: None, changefreq, priority };
        self.push_fields(&fields, row.has_extensions(), body)
    }

    /// The same for the fields of a row, which `has_extensions` or is written to its end.
    #[inline(always)]
    pub fn push_fields(&mut self, fields: &Fields<'_>, has_extensions: bool, body: &mut Body) -> Option<()> {
        let mut line = Line::new(body.room());
        line.push(b"<url><loc>")?;
        self.push_loc(fields.loc, &mut line)?;
        line.push(b"</loc>")?;
        match fields.lastmod_raw {
            None => push_lastmod(fields.lastmod, &mut line)?,
            Some(raw) => push_as_read(raw, fields.lastmod, &mut line)?,
        }
        if let Some(word) = fields.changefreq {
            changefreq::parse(word)?;
            line.push(b"<changefreq>")?;
            line.push_text(word.as_bytes())?;
            line.push(b"</changefreq>")?;
        }
        if let Some(priority) = fields.priority {
            line.push(b"<priority>")?;
            line.push(&tenths(priority)?)?;
            line.push(b"</priority>")?;
        }
        if !has_extensions {
            line.push(b"</url>\n")?;
        }
        let len = line.len();
        body.keep(len);
        Some(())
    }

    /// Append the images and links of a row, and the end of its entry. None: they are not as nearly all are, and what was
    /// appended does not count. No rule finds an error in what was appended, and our own reader reads it back.
    pub fn push_extensions(&mut self, row: &Row<'_>, body: &mut Body) -> Option<()> {
        if !row.videos.is_empty() || row.news.is_some() {
            return None;
        }
        self.push_images(row.images.iter().copied(), body)?;
        self.push_links(row.alternates.iter().copied(), body)?;
        body.push_str("</url>\n");
        Some(())
    }

    /// Append the entry of a row of a table that has only fields and these images and links. None: it is not a usual one,
    /// and what was appended does not count.
    #[inline(always)]
    pub fn push_with_lists<'i>(
        &mut self,
        fields: &Fields<'_>,
        images: impl ExactSizeIterator<Item = Image<'i>>,
        links: impl ExactSizeIterator<Item = Alternate<'i>>,
        body: &mut Body,
    ) -> Option<()> {
        let has_extensions = images.len() + links.len() > 0;
        self.push_fields(fields, has_extensions, body)?;
        if has_extensions {
            self.push_images(images, body)?;
            self.push_links(links, body)?;
            body.push_str("</url>\n");
        }
        Some(())
    }

    /// Append images in which no rule finds an error.
    #[inline(always)]
    fn push_images<'i>(&mut self, images: impl ExactSizeIterator<Item = Image<'i>>, body: &mut Body) -> Option<()> {
        if images.len() > IMAGES_PER_ENTRY {
            return None;
        }
        for image in images {
            self.push_image(&image, body)?;
        }
        Some(())
    }

    #[inline(always)]
    fn push_image(&mut self, image: &Image<'_>, body: &mut Body) -> Option<()> {
        let mut line = Line::new(body.room());
        line.push(b"<image:image><image:loc>")?;
        let path = self.image_origin.path_of(image.loc)?;
        self.push_url(image.loc, path, &mut line)?;
        line.push(b"</image:loc>")?;
        if let Some(caption) = stripped(image.caption) {
            line.push(b"<image:caption>")?;
            self.push_value(caption, &mut line)?;
            line.push(b"</image:caption>")?;
        }
        if stripped(image.geo_location).is_some() {
            return None;
        }
        if let Some(title) = stripped(image.title) {
            line.push(b"<image:title>")?;
            self.push_value(title, &mut line)?;
            line.push(b"</image:title>")?;
        }
        if stripped(image.license).is_some() {
            return None;
        }
        line.push(b"</image:image>")?;
        let len = line.len();
        body.keep(len);
        Some(())
    }

    /// Append links in which no rule finds an error.
    #[inline(always)]
    fn push_links<'i>(&mut self, links: impl ExactSizeIterator<Item = Alternate<'i>>, body: &mut Body) -> Option<()> {
        let count = links.len();
        if count > MAX_LINKS {
            return None;
        }
        for (index, link) in links.enumerate() {
            self.push_link(index, &link, body)?;
        }
        self.languages.are_distinct(count).then_some(())
    }

    #[inline(always)]
    fn push_link(&mut self, index: usize, link: &Alternate<'_>, body: &mut Body) -> Option<()> {
        if link.rel.is_some_and(|rel| rel != "alternate") || stripped(link.media).is_some() {
            return None;
        }
        let mut line = Line::new(body.room());
        let known = self.languages.of(index, link.hreflang?)?;
        line.push_first(&known.begin, known.end)?;
        let path = known.origin.path_of(link.href)?;
        self.push_url(link.href, path, &mut line)?;
        line.push(b"\"/>")?;
        let len = line.len();
        body.keep(len);
        Some(())
    }

    /// Append a URL behind a plain origin that a consumer can use. It has no blanks around it.
    #[inline(always)]
    fn push_url(&mut self, url: &str, path: usize, line: &mut Line<'_>) -> Option<()> {
        match loc::glance_from(url.as_bytes(), path)?.bits {
            0 => line.push_text(url.as_bytes()),
            _ => self.push_escaped(url, line),
        }
    }

    /// Append a text with characters that are escaped, or of which only some are allowed.
    fn push_escaped(&mut self, text: &str, line: &mut Line<'_>) -> Option<()> {
        self.escaped.clear();
        escape_text(text, &mut self.escaped).ok()?;
        line.push_text(self.escaped.as_bytes())
    }

    #[inline(always)]
    fn push_value(&mut self, value: &str, line: &mut Line<'_>) -> Option<()> {
        if is_plain(value.as_bytes()) { line.push_text(value.as_bytes()) } else { self.push_escaped(value, line) }
    }

    #[inline(always)]
    fn push_loc(&mut self, value: &str, line: &mut Line<'_>) -> Option<()> {
        let path = self.origin.path_of(value).filter(|_| value.len() < LOC_CHARS)?;
        match loc::glance_from(value.as_bytes(), path)?.bits {
            0 => line.push_text(value.as_bytes()),
            bits => self.push_special(value, bits, line),
        }
    }

    /// The same for a loc, in which an escape has to be whole.
    fn push_special(&mut self, value: &str, bits: u8, line: &mut Line<'_>) -> Option<()> {
        let is_whole = bits & traits::PERCENT == 0 || loc::bad_escape(value, 0).is_none();
        if is_whole { self.push_escaped(value, line) } else { None }
    }
}

#[inline(always)]
fn push_lastmod(value: Option<Lastmod<'_>>, line: &mut Line<'_>) -> Option<()> {
    let Some(value) = value else { return Some(()) };
    line.push(b"<lastmod>")?;
    match value {
        Lastmod::Text(text) => {
            w3c_date::common(text.as_bytes()).filter(|_| is_somewhere(text))?;
            line.push_text(text.as_bytes())?;
        }
        Lastmod::Instant(micros) => line.push(&w3c_date::seconds(micros)?)?,
        Lastmod::Day(days) => line.push(&w3c_date::day(days)?)?,
        Lastmod::Local(_) => return None,
    }
    line.push(b"</lastmod>")
}

/// Append the text that a lastmod had where it was read, if it means the same.
#[inline(always)]
fn push_as_read(raw: &str, typed: Option<Lastmod<'_>>, line: &mut Line<'_>) -> Option<()> {
    let micros = match typed {
        Some(Lastmod::Instant(micros)) => micros,
        Some(Lastmod::Day(days)) => i64::from(days).saturating_mul(DAY_MICROS),
        _ => return None,
    };
    w3c_date::common(raw.as_bytes()).filter(|meant| *meant == micros && is_somewhere(raw))?;
    line.push(b"<lastmod>")?;
    line.push_text(raw.as_bytes())?;
    line.push(b"</lastmod>")
}

/// Return a priority that is a tenth, as it is written.
#[inline(always)]
fn tenths(value: Priority<'_>) -> Option<[u8; 3]> {
    match value {
        Priority::Text(text) => priority::usual(text).and(text.as_bytes().first_chunk().copied()),
        Priority::Number(number) => priority::tenths(number),
    }
}

#[cfg(test)]
mod tests;
