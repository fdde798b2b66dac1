//! The reader as a whole. The conformance vectors at the project's root say what is right; these hold what only the
//! inside shows: that the cut of the text makes no difference, that the bounds hold, and that the work is linear.

use super::entry::{Entry, EntryKind, Sink, Slot};
use super::place::Places;
use super::*;

/// Everything the reader says, in a form that compares.
#[derive(Debug, Default, PartialEq)]
struct Seen {
    entries: Vec<String>,
    kind: Option<&'static str>,
    findings: Vec<(&'static str, Place)>,
    fault: Option<(FaultKind, &'static str, Place, String)>,
}

impl Sink for Seen {
    fn entry(&mut self, entry: &Entry<'_>, places: &mut Places) {
        let text = |slot: Slot| entry.text(slot).map(str::to_owned);
        let slots = entry.slots;
        let images: Vec<_> = slots.images.iter().map(|image| (text(image.loc), text(image.title))).collect();
        let alternates: Vec<_> = slots.alternates.iter().map(|link| (text(link.hreflang), text(link.href))).collect();
        let kind = if entry.kind == EntryKind::Url { "url" } else { "sitemap" };
        let place = places.place(entry.window, entry.start, slots.loc.written().start.max(entry.start));
        self.entries.push(format!(
            "{kind} line {} loc {:?} at {place:?} {:?} {:?} {:?} {images:?} {alternates:?}",
            entry.line,
            text(slots.loc),
            text(slots.lastmod),
            text(slots.changefreq),
            text(slots.priority),
        ));
    }
}

fn read_in(pieces: impl Iterator<Item = impl AsRef<str>>) -> Seen {
    let mut seen = Seen::default();
    let bounds = Budget::DEFAULT;
    let mut reader =
        Reader::new(Budget { piece_bytes: 4096, depth: 8, attributes: 8, items_per_entry: 4, findings: 10, ..bounds });
    for piece in pieces {
        reader.feed(piece.as_ref(), &mut seen);
    }
    reader.finish(&mut seen);
    seen.kind = reader.kind().map(Kind::name);
    seen.findings = reader.findings().iter().map(|finding| (finding.rule.code, finding.place)).collect();
    seen.fault = reader.fault().map(|fault| {
        let finding = &fault.finding;
        (fault.kind, finding.rule.code, finding.place, finding.message.clone())
    });
    seen
}

fn read(text: &str) -> Seen {
    let whole = read_in(std::iter::once(text));
    assert_eq!(whole, read_in(text.chars().map(|one| one.to_string())), "one character at a time: {text}");
    for size in [2, 3, 7, 31] {
        let chars: Vec<char> = text.chars().collect();
        let pieces = chars.chunks(size).map(|piece| piece.iter().collect::<String>());
        assert_eq!(whole, read_in(pieces), "{size} characters at a time: {text}");
    }
    whole
}

const NAMESPACE: &str = "xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\"";

fn urlset(inner: &str) -> String {
    format!(
        "<?xml version='1.0'?>\n<urlset {NAMESPACE} xmlns:i='{}' xmlns:x='{}'>{inner}</urlset>\n",
        namespace::IMAGE,
        namespace::XHTML
    )
}

#[test]
fn an_entry_with_everything() {
    let seen = read(&urlset(
        "<!-- one --><url><loc> https://e.com/<![CDATA[a&b]]>&#233;<!-- x --> </loc>\n<lastmod>2026-01-01</lastmod>\
         <changefreq>daily</changefreq><priority>0.5</priority><i:image><i:loc>https://e.com/i</i:loc><i:title>a &amp; b\
         </i:title></i:image><x:link rel='alternate' hreflang=\"de\" href='https://e.com/?a=1&amp;b=2'/>\
         <other:thing xmlns:other='urn:x'><loc>no</loc></other:thing></url>",
    ));
    assert_eq!((seen.fault, seen.findings.len(), seen.kind), (None, 0, Some("urlset")));
    let entry = &seen.entries[0];
    for part in [
        "url line 2 loc Some(\"https://e.com/a&bé\")",
        "Some(\"2026-01-01\") Some(\"daily\") Some(\"0.5\")",
        "[(Some(\"https://e.com/i\"), Some(\"a & b\"))] [(Some(\"de\"), Some(\"https://e.com/?a=1&b=2\"))]",
    ] {
        assert!(entry.contains(part), "{part} in {entry}");
    }
}

#[test]
fn faults_keep_what_came_before_and_say_where() {
    for (inner, kind, code, line, column) in [
        ("<url><loc>https://e.com/</loc></url>\n<url><loc>x</url>", FaultKind::Malformed, "XML001", 3, 12),
        ("<url><loc>https://e.com/</loc></url>\n<url><loc>a & b</loc></url>", FaultKind::Malformed, "XML001", 3, 13),
        ("<url><loc>https://e.com/</loc></url>\n<url><loc>\u{1}</loc></url>", FaultKind::Malformed, "XML007", 3, 11),
        ("<url><loc>https://e.com/</loc></url>\n<a:b/>", FaultKind::Malformed, "XML001", 3, 2),
        ("<url><loc>https://e.com/</loc></url>\n<!-- -- -->", FaultKind::Malformed, "XML001", 3, 6),
    ] {
        let seen = read(&urlset(inner));
        let (found, rule, place, message) = seen.fault.unwrap();
        assert_eq!((found, rule, place.line, place.column), (kind, code, line, column), "{inner}: {message}");
        assert_eq!(seen.entries.len(), 1, "{inner}");
    }
}

#[test]
fn every_truncation_is_told_and_never_half_an_entry() {
    let text = urlset("<url><loc>https://e.com/1</loc></url><url><loc>https://e.com/2</loc></url>");
    let end = text.rfind('>').unwrap();
    let ends: Vec<usize> = text.match_indices("</url>").map(|(at, tag)| at + tag.len()).collect();
    for cut in 0..=end {
        let seen = read_in(std::iter::once(&text[..cut]));
        let (kind, ..) = seen.fault.clone().unwrap_or_else(|| panic!("{:?} is not told", &text[..cut]));
        assert!(matches!(kind, FaultKind::Truncated | FaultKind::NotASitemap), "{:?} {seen:?}", &text[..cut]);
        assert_eq!(seen.entries.len(), ends.iter().filter(|end| **end <= cut).count(), "{:?}", &text[..cut]);
    }
}

#[test]
fn what_is_no_sitemap() {
    for (text, message) in [
        ("", "it is empty"),
        (" \n ", "it is empty"),
        ("<!doctype html><p>not found", "it is an HTML page"),
        ("<HTML><body bgcolor=red>", "it is an HTML page"),
        ("<html lang=en>", "it is an HTML page"),
        ("https://e.com/\n", "it begins with text that is not XML"),
        ("<rss version='2.0'><channel/></rss>", "it is a feed (`<rss>`), which is not read yet"),
        ("<a/>", "its root is `<a>`, not urlset or sitemapindex"),
    ] {
        let (kind, code, _, found) = read(text).fault.unwrap();
        assert_eq!((kind, code, found.as_str()), (FaultKind::NotASitemap, "XML008", message), "{text}");
    }
}

#[test]
fn the_namespace_of_the_root_is_one_finding() {
    for (declaration, code) in [
        ("", "NS001"),
        ("xmlns='https://www.sitemaps.org/schemas/sitemap/0.9'", "NS002"),
        ("xmlns='http://www.google.com/schemas/sitemap/0.84'", "NS003"),
    ] {
        let seen = read(&format!("<urlset {declaration}><url><loc>https://e.com/</loc></url></urlset>"));
        assert_eq!((seen.entries.len(), seen.findings.len(), seen.findings[0].0), (1, 1, code));
        assert_eq!(seen.fault, None);
    }
}

#[test]
fn bounds_hold_however_the_text_is_cut() {
    let long = "x".repeat(5000);
    for inner in [
        format!("<url><loc>{long}</loc></url>"),
        format!("<url><!--{long}--></url>"),
        format!("<!--{long}-->"),
        format!("<other>{long}</other>"),
        long.clone(),
        format!("<url>{}</url>", "<a>".repeat(10)),
        format!("<url {}/>", (0..9).map(|at| format!("a{at}='' ")).collect::<String>()),
        format!("<url>{}</url>", "<i:image/>".repeat(5)),
        format!("<url>{}</url>", "<x:link/>".repeat(5)),
    ] {
        let seen = read(&urlset(&format!("<url><loc>https://e.com/</loc></url>{inner}")));
        assert_eq!(seen.fault.map(|fault| fault.0), Some(FaultKind::Limit), "{}", &inner[..20.min(inner.len())]);
        assert_eq!(seen.entries.len(), 1);
    }
}

#[test]
fn an_exact_close_after_the_end() {
    assert_eq!(read(&format!("{}<!-- fine --><?fine too?>\n", urlset(""))).fault, None);
    for after in ["x", "<a/>", "</urlset>", "<![CDATA[]]>"] {
        let (kind, ..) = read(&format!("{}{after}", urlset(""))).fault.unwrap();
        assert_eq!(kind, FaultKind::Malformed, "{after}");
    }
}
