//! Entries whose values are written as nearly all are: they need no more than a look at each value, and a copy of it.

use super::body::{Body, Line};
use super::element::stripped;
use super::row::{Alternate, Fields, Image, Lastmod, Priority, Row};
use crate::limits::{IMAGES_PER_ENTRY, LOC_CHARS};
use crate::value::calendar::DAY_MICROS;
use crate::value::lastmod::is_somewhere;
use crate::value::loc::{self, KnownOrigin, traits};
use crate::value::{changefreq, priority, w3c_date};
use crate::xml::{escape_attribute, escape_text, is_plain};

/// Writes such entries, and leaves all others to [`url`](super::entry::url), which writes the same.
#[derive(Debug, Default)]
pub struct UsualEntries {
    origin: KnownOrigin,
    /// The same of the images, which another host often serves.
    image_origin: KnownOrigin,
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
    /// appended does not count. No rule has to judge such images any more.
    pub fn push_extensions(&mut self, row: &Row<'_>, body: &mut Body) -> Option<()> {
        if !row.videos.is_empty() || row.news.is_some() {
            return None;
        }
        self.push_images(row.images.iter().copied(), body)?;
        for link in &row.alternates {
            self.push_link(link, body)?;
        }
        body.push_str("</url>\n");
        Some(())
    }

    /// Append the entry of a row of a table that has only fields and these images. None: it is not a usual one, and what
    /// was appended does not count.
    #[inline(always)]
    pub fn push_with_images<'i>(
        &mut self,
        fields: &Fields<'_>,
        images: impl ExactSizeIterator<Item = Image<'i>>,
        body: &mut Body,
    ) -> Option<()> {
        let has_images = images.len() > 0;
        self.push_fields(fields, has_images, body)?;
        if has_images {
            self.push_images(images, body)?;
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
            self.push_value(caption, escape_text, &mut line)?;
            line.push(b"</image:caption>")?;
        }
        if stripped(image.geo_location).is_some() {
            return None;
        }
        if let Some(title) = stripped(image.title) {
            line.push(b"<image:title>")?;
            self.push_value(title, escape_text, &mut line)?;
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

    #[inline(always)]
    fn push_link(&mut self, link: &Alternate<'_>, body: &mut Body) -> Option<()> {
        if link.rel() != "alternate" || stripped(link.media).is_some() {
            return None;
        }
        let mut line = Line::new(body.room());
        line.push(b"<xhtml:link rel=\"alternate\" hreflang=\"")?;
        self.push_value(stripped(link.hreflang)?, escape_attribute, &mut line)?;
        line.push(b"\" href=\"")?;
        self.push_value(stripped(Some(link.href))?, escape_attribute, &mut line)?;
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
    fn push_value(
        &mut self,
        value: &str,
        escape: impl FnOnce(&str, &mut String) -> Result<(), char>,
        line: &mut Line<'_>,
    ) -> Option<()> {
        if is_plain(value.as_bytes()) {
            return line.push_text(value.as_bytes());
        }
        self.escaped.clear();
        escape(value, &mut self.escaped).ok()?;
        line.push_text(self.escaped.as_bytes())
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
mod tests {
    use super::*;
    use crate::value::changefreq::WORDS;
    use crate::value::hrefs::Hrefs;
    use crate::write::entry::url;
    use crate::write::judged;

    /// Whether a row is a usual one. What is written of it must be what is written of any.
    fn is_usual(entries: &mut UsualEntries, row: &Row<'_>) -> bool {
        let mut body = Body::default();
        let pushed = entries.push(row, &mut body).is_some();
        let mut expected = String::new();
        let written = url(row, &mut expected);
        if pushed {
            assert_eq!(written, Ok(()), "{row:?}");
            assert_eq!(body.document("", ""), expected.as_bytes(), "{row:?}");
        } else {
            assert_eq!(body.len(), 0);
        }
        pushed
    }

    #[test]
    fn any_of_the_usual_values_is_written_as_by_the_grammar() {
        let long = format!("https://e.com/{}", "a".repeat(2_033));
        let escaped = format!("https://e.com/?{}", "&".repeat(300));
        let locs = [
            ("https://e.com/", true),
            ("https://e.com/a-path/that/is/longer/than/a/block?of=bytes&and&has='entities'\"<>", true),
            ("http://www.example.org/tea%20pot#\u{e9}\u{65e5}", true),
            ("https://e.com/%zz", false),
            ("https://e.com/\u{ffff}", false),
            ("https://e.com/a b", false),
            ("https://E.com/", false),
            ("https://e.com:8080/", false),
            ("/relative", false),
            ("", false),
            (&long[..900], true),
            (&long, false),
            (&escaped, false),
        ];
        let lastmods = [
            (None, true),
            (Some(Lastmod::Text("2026-01-31")), true),
            (Some(Lastmod::Text("2026-01-31T10:20:30+05:30")), true),
            (Some(Lastmod::Text("2026-01-31T10:20:30+15:00")), false),
            (Some(Lastmod::Text("2026-02-30")), false),
            (Some(Lastmod::Text("2026")), false),
            (Some(Lastmod::Text("")), false),
            (Some(Lastmod::Instant(1_000_000_000_000_000)), true),
            (Some(Lastmod::Instant(1)), false),
            (Some(Lastmod::Instant(-1_000_000)), false),
            (Some(Lastmod::Instant(i64::MAX)), false),
            (Some(Lastmod::Day(20_000)), true),
            (Some(Lastmod::Day(-1)), false),
            (Some(Lastmod::Day(i32::MAX)), false),
            (Some(Lastmod::Local(0)), false),
        ];
        let priorities = [
            (None, true),
            (Some(Priority::Number(0.0)), true),
            (Some(Priority::Number(0.3)), true),
            (Some(Priority::Number(1.0)), true),
            (Some(Priority::Number(-0.0)), false),
            (Some(Priority::Number(0.25)), false),
            (Some(Priority::Number(1.1)), false),
            (Some(Priority::Number(f64::NAN)), false),
            (Some(Priority::Number(f64::INFINITY)), false),
            (Some(Priority::Text("0.7")), true),
            (Some(Priority::Text("1.1")), false),
            (Some(Priority::Text("")), false),
        ];
        let words = WORDS.iter().map(|word| (Some(*word), true));
        let words: Vec<_> = words.chain([(None, true), (Some("Daily"), false), (Some(""), false)]).collect();
        let mut entries = UsualEntries::default();
        for (loc, is_loc) in locs {
            for (lastmod, is_lastmod) in lastmods {
                for (priority, is_priority) in priorities {
                    for (changefreq, is_word) in &words {
                        let row = Row { loc, lastmod, changefreq: *changefreq, priority, ..Row::default() };
                        let expected = is_loc && is_lastmod && is_priority && *is_word;
                        assert_eq!(is_usual(&mut entries, &row), expected, "{row:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn images_and_links_are_written_as_by_the_grammar() {
        let long = format!("https://e.com/{}", "c".repeat(1_100));
        // Whether each can be written so as a text, and as the URL of an image.
        let texts = [
            (None, true, false),
            (Some("  "), true, false),
            (Some("https://e.com/i.png"), true, true),
            (Some("http://cdn.e.com/i?a&b%zz#\u{65e5}"), true, true),
            (Some(" https://e.com/i.png"), true, false),
            (Some("https://e.com/i.png\n"), true, false),
            (Some("https://E.com:80/i"), true, false),
            (Some("\t a & \"b\" <c>\n'd' \u{65e5}\r\n"), true, false),
            (Some("https://e.com/\u{ffff}"), false, false),
            (Some(long.as_str()), false, false),
        ];
        let mut entries = UsualEntries::default();
        let mut compare = |images: Vec<Image<'_>>, alternates: Vec<Alternate<'_>>, expected: bool| {
            let row = Row { loc: "https://e.com/", images, alternates, ..Row::default() };
            let (mut body, mut by_grammar) = (Body::default(), String::new());
            entries.push(&row, &mut body).unwrap();
            assert_eq!(entries.push_extensions(&row, &mut body).is_some(), expected, "{row:?}");
            let written = url(&row, &mut by_grammar);
            if expected {
                assert_eq!((written, body.document("", "")), (Ok(()), by_grammar.as_bytes()), "{row:?}");
                let only_images = Row { alternates: Vec::new(), ..row };
                let judged = judged::check(&only_images, only_images.loc, i64::MAX, &mut Hrefs::default());
                assert_eq!(judged, Ok(()), "{only_images:?}");
            }
        };
        for (one, is_one, is_url) in texts {
            for (two, is_two, _) in texts {
                let (loc, href) = (one.unwrap_or_default(), two.unwrap_or_default());
                let image = Image { loc, title: two, ..Image::default() };
                compare(vec![image], Vec::new(), is_url && is_two);
                let image = Image { caption: two, title: Some("t"), ..image };
                let other = Image { loc: "http://e.com/", ..Image::default() };
                compare(vec![other, image], Vec::new(), is_url && is_two);
                let is_free = two.is_none_or(|two| two.trim().is_empty());
                compare(vec![Image { loc, license: two, ..Image::default() }], Vec::new(), is_url && is_free);
                compare(vec![Image { loc, geo_location: two, ..Image::default() }], Vec::new(), is_url && is_free);
                let link = Alternate { hreflang: one, href, ..Alternate::default() };
                let is_code = is_one && !loc.trim().is_empty();
                let is_link = is_code && is_two && !href.trim().is_empty();
                compare(Vec::new(), vec![link, link], is_link);
                compare(vec![other], vec![Alternate { rel: Some(" alternate "), ..link }], is_link);
                compare(vec![other], vec![Alternate { rel: Some("amphtml"), ..link }], false);
                let other = Alternate { href: "h", media: two, ..link };
                compare(Vec::new(), vec![other], is_code && is_free);
            }
        }
    }

    #[test]
    fn texts_of_any_length_fit_or_are_left_out() {
        let mut entries = UsualEntries::default();
        for length in 0..1_100 {
            let loc = format!("https://e.com/{}", "b".repeat(length));
            let row = Row { loc: &loc, changefreq: Some("weekly"), ..Row::default() };
            is_usual(&mut entries, &row);
        }
    }
}
