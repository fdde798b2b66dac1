//! How a document looks around its entries: what it declares, and how it is indented.

use super::Row;
use crate::read::Kind;
use crate::read::namespace::{CORE, IMAGE, NEWS, VIDEO, XHTML};
use crate::xml::escaped;

/// The extensions that a document has to declare, one bit each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Uses(pub u8);

impl Uses {
    const EXTENSIONS: [(&str, &str); 4] = [("image", IMAGE), ("video", VIDEO), ("xhtml", XHTML), ("news", NEWS)];
    pub const ALTERNATES: Uses = Uses(4);
    pub const NEWS: Uses = Uses(8);

    /// Those of one row.
    pub fn of(row: &Row<'_>) -> Uses {
        let flags = [!row.images.is_empty(), !row.videos.is_empty(), !row.alternates.is_empty(), row.news.is_some()];
        Uses(flags.into_iter().enumerate().fold(0, |bits, (place, is_used)| bits | u8::from(is_used) << place))
    }

    pub fn and(self, others: Uses) -> Uses {
        Uses(self.0 | others.0)
    }
}

/// What a document begins with. `stylesheet` is the href of one, for people who open the document in a browser.
pub fn header(kind: Kind, uses: Uses, stylesheet: Option<&str>) -> String {
    let mut out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n".to_owned();
    if let Some(href) = stylesheet {
        let of = if href.ends_with(".css") { "text/css" } else { "text/xsl" };
        out.push_str(&format!("<?xml-stylesheet type=\"{of}\" href=\"{}\"?>\n", escaped(href)));
    }
    out.push_str(&format!("<{} xmlns=\"{CORE}\"", kind.name()));
    for (place, (prefix, uri)) in Uses::EXTENSIONS.into_iter().enumerate() {
        if uses.0 & 1 << place != 0 {
            out.push_str(&format!(" xmlns:{prefix}=\"{uri}\""));
        }
    }
    out.push_str(">\n");
    out
}

pub fn footer(kind: Kind) -> &'static str {
    match kind {
        Kind::Sitemapindex => "</sitemapindex>\n",
        _ => "</urlset>\n",
    }
}

/// Bytes of both, where there is no stylesheet.
pub fn around(kind: Kind, uses: Uses) -> usize {
    header(kind, uses, None).len() + footer(kind).len()
}

/// Appends an entry as we write it with one element a line. In what we write every `<` and `>` is markup, and an element
/// holds either text or elements.
pub fn indented(entry: &str, out: &mut String) {
    let (mut depth, mut was_open) = (1, false);
    for part in entry.trim_end().split('<').skip(1) {
        let is_close = part.starts_with('/');
        depth -= usize::from(is_close);
        if !(is_close && was_open) {
            let blanks = "\n                ";
            // The first line has no line before it that has to end.
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
