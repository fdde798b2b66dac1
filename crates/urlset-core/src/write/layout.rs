//! The parts of a document around its entries: what it declares, and how it is indented.

use super::row::Row;
use crate::read::Kind;
use crate::read::namespace::{CORE, IMAGE, NEWS, VIDEO, XHTML};
use crate::xml::escaped;

/// How the documents of a set are laid out.
#[derive(Debug, Clone, Default)]
pub struct Layout {
    /// One element per line, instead of one entry.
    pub is_pretty: bool,
    /// The href of a stylesheet.
    pub stylesheet: Option<String>,
}

impl Layout {
    /// Return the bytes that a `lastmod` element with this text has in a document.
    pub fn lastmod_size(&self, text: &str) -> u64 {
        // With one element per line, a line feed and four blanks come before it.
        (text.len() + "<lastmod></lastmod>".len() + if self.is_pretty { 5 } else { 0 }) as u64
    }
}

/// The namespaces of extensions that a document uses and has to declare, one bit each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct NamespacesUsed(pub u8);

impl NamespacesUsed {
    /// The extensions in the order of their bits.
    const EXTENSIONS: [(&str, &str); 4] = [("image", IMAGE), ("video", VIDEO), ("xhtml", XHTML), ("news", NEWS)];

    /// Whether there is an article.
    pub fn has_news(self) -> bool {
        self.0 & 8 != 0
    }

    /// The namespaces of one row.
    pub fn of(row: &Row<'_>) -> NamespacesUsed {
        let flags = [!row.images.is_empty(), !row.videos.is_empty(), !row.alternates.is_empty(), row.news.is_some()];
        NamespacesUsed(flags.into_iter().enumerate().fold(0, |bits, (bit, is_used)| bits | u8::from(is_used) << bit))
    }

    /// The namespaces of a row that has no videos and no news.
    #[inline(always)]
    pub fn of_lists(has_images: bool, has_links: bool) -> NamespacesUsed {
        NamespacesUsed(u8::from(has_images) | u8::from(has_links) << 2)
    }

    /// These namespaces and the others.
    pub fn and(self, others: NamespacesUsed) -> NamespacesUsed {
        NamespacesUsed(self.0 | others.0)
    }
}

/// Return the beginning of a document. `stylesheet` is the href of a stylesheet, for people who open the document in a
/// browser.
pub fn header(kind: Kind, namespaces: NamespacesUsed, stylesheet: Option<&str>) -> String {
    let mut out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n".to_owned();
    if let Some(href) = stylesheet {
        let kind_of_sheet = if href.ends_with(".css") { "text/css" } else { "text/xsl" };
        out.push_str(&format!("<?xml-stylesheet type=\"{kind_of_sheet}\" href=\"{}\"?>\n", escaped(href)));
    }
    out.push_str(&format!("<{} xmlns=\"{CORE}\"", kind.name()));
    for (bit, (prefix, uri)) in NamespacesUsed::EXTENSIONS.into_iter().enumerate() {
        if namespaces.0 & 1 << bit != 0 {
            out.push_str(&format!(" xmlns:{prefix}=\"{uri}\""));
        }
    }
    out.push_str(">\n");
    out
}

/// Return the end of a document.
pub fn footer(kind: Kind) -> &'static str {
    match kind {
        Kind::Sitemapindex => "</sitemapindex>\n",
        _ => "</urlset>\n",
    }
}

/// Return the bytes of both, without a stylesheet.
pub fn around(kind: Kind, namespaces: NamespacesUsed) -> usize {
    header(kind, namespaces, None).len() + footer(kind).len()
}

/// Appends an entry with one element per line. In what we write, every `<` and `>` is markup, and an element holds either
/// text or elements.
pub fn indented(entry: &str, out: &mut String) {
    let (mut depth, mut was_open) = (1, false);
    for part in entry.trim_end().split('<').skip(1) {
        let is_close = part.starts_with('/');
        depth -= usize::from(is_close);
        if !(is_close && was_open) {
            let blanks = "\n                ";
            // Nothing before the first line has to end.
            let from = usize::from(out.is_empty() || out.ends_with('\n'));
            out.push_str(&blanks[from..(1 + 2 * depth).min(blanks.len())]);
        }
        out.push('<');
        out.push_str(part);
        was_open = !is_close && !part.ends_with("/>");
        depth += usize::from(was_open);
    }
    out.push('\n');
}

#[cfg(test)]
mod tests {
    use super::indented;

    #[test]
    fn one_element_a_line() {
        let mut out = String::new();
        indented(
            "<url><loc>a</loc><image:image><image:loc>b/&gt;</image:loc></image:image><xhtml:link a=\"b\"/></url>\n",
            &mut out,
        );
        let lines = [
            "  <url>",
            "    <loc>a</loc>",
            "    <image:image>",
            "      <image:loc>b/&gt;</image:loc>",
            "    </image:image>",
            "    <xhtml:link a=\"b\"/>",
            "  </url>",
            "",
        ];
        assert_eq!(out, lines.join("\n"));
    }
}
