//! The reader as a whole. The conformance vectors at the root of the project define what is read; these tests prove what
//! only the inside shows: the cut of the text makes no difference, the bounds hold, and the work is linear.

use super::entries::entry::{Entry, EntryKind};
use super::entries::sink::Sink;
use super::entries::slots::Slot;
use super::*;
use crate::checks::DocumentChecks;
use crate::diagnostic::{Findings, Note, Position, catalogue};
use crate::limits::Budget;

mod feed_shapes;
pub mod levels;
mod linear;
mod shapes;
mod unclosed;

/// Everything that the reader reports, in a form that can be compared.
#[derive(Debug, Default, PartialEq)]
struct Seen {
    entries: Vec<String>,
    kind: Option<&'static str>,
    findings: Vec<(&'static str, Position)>,
    fault: Option<(FaultKind, &'static str, Position, String)>,
    recovered: bool,
    bytes: u64,
}

impl Sink for Seen {
    fn entry(&mut self, entry: &Entry<'_>, notes: &mut Vec<Note>) {
        let text = |slot: Slot| entry.text(slot).map(str::to_owned);
        let slots = entry.slots;
        let images: Vec<_> = slots.images.iter().map(|image| (text(image.loc), text(image.title))).collect();
        let alternates: Vec<_> = slots.alternates.iter().map(|link| (text(link.hreflang), text(link.href))).collect();
        let kind = if entry.kind == EntryKind::Url { "url" } else { "sitemap" };
        // Any rule would do: this only proves that its position is right.
        let range = if slots.loc().is_present() { slots.loc().written() } else { entry.start..entry.end };
        notes.push(Note::new(&catalogue::LOC001, range, ""));
        self.entries.push(format!(
            "{kind} line {} loc {:?} {:?} {:?} {:?} {images:?} {alternates:?}",
            entry.line,
            text(*slots.loc()),
            text(*slots.lastmod()),
            text(*slots.changefreq()),
            text(*slots.priority()),
        ));
    }
}

fn read_in(pieces: impl Iterator<Item = impl AsRef<str>>) -> Seen {
    let mut seen = Seen::default();
    let budget = Budget {
        piece_bytes: 4096,
        depth: 8,
        attributes: 8,
        prefixes: 5,
        items_per_entry: 4,
        entries: 30,
        text_bytes: 2048,
        ..Budget::DEFAULT
    };
    let mut reader = Reader::new(budget, Findings::default());
    let mut sink = (DocumentChecks::new(None), &mut seen);
    for piece in pieces {
        reader.feed(piece.as_ref(), &mut sink);
    }
    reader.finish(&mut sink);
    seen.kind = reader.kind().map(Kind::name);
    seen.recovered = reader.is_recovered();
    seen.bytes = reader.bytes();
    seen.findings = reader.findings().iter().map(|finding| (finding.rule.code, finding.position)).collect();
    seen.fault = reader.fault().map(|fault| {
        let finding = &fault.finding;
        (fault.kind, finding.rule.code, finding.position, finding.message.clone())
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
    assert_eq!((seen.fault, seen.findings.len(), seen.kind, seen.recovered), (None, 1, Some("urlset"), false));
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
fn broken_input_is_recovered_and_reported() {
    for (inner, code, line, column, locs) in [
        ("<url><loc>https://e.com/</loc></url>\n<url><loc>x</url>", "XML001", 3, 12, 2),
        ("<url><loc>https://e.com/</loc></url>\n<url><loc>a & b</loc></url>", "XML005", 3, 13, 2),
        ("<url><loc>https://e.com/</loc></url>\n<url><loc>\u{1}</loc></url>", "XML007", 3, 11, 2),
        ("<url><loc>https://e.com/</loc></url>\n<a:b/>", "NS005", 3, 2, 1),
        ("<url><loc>https://e.com/</loc></url>\n<!-- -- -->", "XML001", 3, 6, 1),
        ("<url><loc>https://e.com/</loc>\n<url><loc>b</loc></url>", "XML001", 3, 1, 2),
        ("<url><loc>https://e.com/</loc></url>\n</url><url><loc>b</loc></url>", "XML001", 3, 1, 2),
        ("<url><loc>https://e.com/</loc></url>\n<url><loc>a<b</loc></url>", "XML001", 3, 12, 2),
        ("<url><loc>https://e.com/</loc></url>\n<url a=1><loc>b</loc></url>", "XML001", 3, 6, 2),
    ] {
        let seen = read(&urlset(inner));
        assert_eq!(seen.fault, None, "{inner}");
        let reported: Vec<_> = seen.findings.iter().filter(|(code, _)| *code != "LOC001").collect();
        let (rule, position) = reported[0];
        assert_eq!((*rule, position.line, position.column, reported.len()), (code, line, column, 1), "{inner}");
        assert_eq!((seen.entries.len(), seen.recovered), (locs, true), "{inner}");
    }
}

#[test]
fn a_bad_character_in_a_name_is_reported_at_its_position() {
    let seen = read(&urlset("<url><loc>https://e.com/</loc></url>\n<url><\u{fffe}é\u{1}ö!/></url>"));
    let reported: Vec<_> =
        seen.findings.iter().map(|(code, position)| (*code, position.line, position.column)).collect();
    assert_eq!(reported[1..], [("LOC001", 3, 1), ("XML007", 3, 7), ("XML007", 3, 9), ("XML001", 3, 11)]);
}

#[test]
fn any_mixture_of_markup_is_read_alike_however_it_is_cut() {
    const PARTS: [&str; 24] = [
        "<url>",
        "</url>",
        "<loc>",
        "</loc>",
        "<lastmod>",
        "</lastmod>",
        "https://e.com/a",
        "&amp;",
        "&",
        "<",
        ">",
        "\n",
        "<url><loc>https://e.com/b</loc></url>",
        "<!--",
        "-->",
        "<![CDATA[",
        "]]>",
        "<i:image><i:loc>",
        "</i:image>",
        "<x y='",
        "\u{1}",
        "</urlset>",
        "&eacute;",
        "<a b=\"1\"/>",
    ];
    // A small generator of its own keeps the cases the same for ever.
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut draw = |bound: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % bound as u64) as usize
    };
    for _ in 0..3_000 {
        let count = draw(14);
        let inner: String = (0..count).map(|_| PARTS[draw(PARTS.len())]).collect();
        read(&urlset(&inner));
    }
}

#[test]
fn every_truncation_is_reported_and_never_yields_half_an_entry() {
    let text = urlset("<url><loc>https://e.com/1</loc></url><url><loc>https://e.com/2</loc></url>");
    let end = text.rfind('>').unwrap();
    let ends: Vec<usize> = text.match_indices("</url>").map(|(at, tag)| at + tag.len()).collect();
    for cut in 0..=end {
        let seen = read_in(std::iter::once(&text[..cut]));
        let (kind, ..) = seen.fault.clone().unwrap_or_else(|| panic!("{:?} is not reported", &text[..cut]));
        assert!(matches!(kind, FaultKind::Truncated | FaultKind::NotASitemap), "{:?} {seen:?}", &text[..cut]);
        assert_eq!(seen.entries.len(), ends.iter().filter(|end| **end <= cut).count(), "{:?}", &text[..cut]);
    }
}

#[test]
fn documents_that_are_not_sitemaps() {
    for (text, message) in [
        ("", "it is empty"),
        (" \n ", "it is empty"),
        ("<!doctype html><p>not found", "it is an HTML page"),
        ("<HTML><body bgcolor=red>", "it is an HTML page"),
        ("<html lang=en>", "it is an HTML page"),
        ("{\"a\": \"https://e.com/\"}\n", "it is JSON"),
        ("no such page", "it is text, but neither XML nor a list of URLs nor a robots.txt"),
        ("# one\n# two", "it has nothing but comments; if it is a robots.txt, its location has to say so"),
        (
            "<!-- one -->\nwww.e.com/1",
            "it lists URLs without a scheme: each line has to begin with http:// or https://",
        ),
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
        assert_eq!((seen.entries.len(), seen.findings.len(), seen.findings[0].0), (1, 2, code));
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
        format!("<url><!--{long}-->{}</url>", "<a>".repeat(10)),
        format!("<url>{}</url>", "<a>".repeat(10)),
        format!("<url {}/>", (0..9).map(|at| format!("a{at}='' ")).collect::<String>()),
        format!("<url>{}</url>", "<i:image/>".repeat(5)),
        format!("<url>{}</url>", "<x:link/>".repeat(5)),
        format!("<url><loc>{}</loc></url>", "x".repeat(3000)),
        "<url xmlns:a='a' xmlns:b='b' xmlns:c='c'/>".to_owned(),
        "<url><loc>https://e.com/</loc></url>".repeat(30),
    ] {
        let seen = read(&urlset(&format!("<url><loc>https://e.com/</loc></url>{inner}")));
        assert_eq!(seen.fault.map(|fault| fault.0), Some(FaultKind::Limit), "{}", &inner[..20.min(inner.len())]);
        assert!(seen.entries.len() == 1 || inner.starts_with("<url><loc>https"), "{}", seen.entries.len());
    }
}

#[test]
fn only_the_limit_is_reported_of_a_piece_that_is_too_long() {
    for text in [
        format!("<urlset a='{}'>", "x".repeat(5000)),
        format!("<!DOCTYPE a '{}'><urlset/>", "x".repeat(5000)),
        format!("<!-- -- {}-->", "x".repeat(5000)),
    ] {
        let seen = read(&text);
        assert_eq!((seen.kind, seen.findings.len()), (None, 0), "{}", &text[..20]);
        let (kind, _, position, message) = seen.fault.unwrap();
        assert_eq!((kind, position.offset), (FaultKind::Limit, 0), "{}", &text[..20]);
        assert_eq!(message, "one piece of the document is longer than 4096 bytes");
    }
}

#[test]
fn what_may_follow_the_root() {
    let fine = read(&format!("{}<!-- fine --><?fine too?>\n", urlset("")));
    assert_eq!((fine.fault, fine.recovered), (None, false));
    for after in ["x", "<a/>", "</urlset>", "<![CDATA[]]>"] {
        let seen = read(&format!("{}{after}", urlset("")));
        assert_eq!((seen.fault, seen.recovered), (None, true), "{after}");
    }
    let seen = read("<urlset></urlset><!--<!--\n");
    let positions: Vec<_> =
        seen.findings.iter().map(|(code, position)| (*code, position.offset, position.column)).collect();
    assert_eq!(positions, [("NS001", 0, 1)]);
    let (_, _, position, _) = seen.fault.unwrap();
    assert_eq!((position.offset, position.column), (17, 18));
    let again = read(&urlset("<url><loc>https://e.com/1</loc></url>").repeat(3));
    assert_eq!((again.fault, again.entries.len()), (None, 3));
}

#[test]
fn lists_of_lines() {
    let seen = read("https://e.com/1\r\n\n  HTTP://e.com/2\rno url\nhttps://e.com/3 https://e.com/4\nhttps://e.com/5");
    assert_eq!((seen.fault, seen.kind, seen.entries.len(), seen.recovered), (None, Some("text"), 5, false));
    let seen = read(
        "# robots\nUser-agent: *\nsite-map : https://e.com/1 # one\nSITEMAP https://e.com/2\nSitemap:\nSitemap: /3",
    );
    assert_eq!((seen.fault, seen.kind, seen.entries.len()), (None, Some("robots"), 3));
    assert!(seen.entries.iter().all(|entry| entry.starts_with("sitemap")));
}

#[test]
fn a_table_is_one_however_it_is_split() {
    let sitemap =
        "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'><url><loc>https://e.com/</loc></url></urlset>";
    for begin in ["loc,lastmod\n", "https://e.com/;2026-01-02\nhttps://e.com/b;2026-01-03\n"] {
        let seen = read(begin);
        assert_eq!((seen.kind, seen.fault.is_some()), (None, true), "{begin}");
        let seen = read(&format!("{begin}{sitemap}"));
        assert_eq!((seen.kind, seen.entries.len()), (Some("urlset"), 1), "{begin}");
    }
    assert_eq!(read("https://e.com/;2026-01-02\nhttps://e.com/b\n").entries.len(), 2);
}

#[test]
fn a_robots_txt_whose_lines_do_not_say_what_it_is() {
    for (text, location, kind) in [
        ("# one <two>\n", Some("https://e.com/robots.txt"), Some("robots")),
        ("", Some("https://e.com/ROBOTS.TXT?x#y"), Some("robots")),
        ("\u{0}\n", Some("C:\\site\\robots.txt"), Some("robots")),
        ("<!-- one -->\n", Some("robots.txt"), Some("robots")),
        ("{}", Some("robots.txt"), None),
        ("\u{fffd}\u{1}", Some("robots.txt"), None),
        ("<Error/>", Some("robots.txt"), None),
        ("<!-- one --><Error/>", Some("robots.txt"), None),
        ("https://e.com/1\n", Some("robots.txt"), Some("text")),
        ("https://e.com/1\nDisallow: /\n", Some("robots.txt"), Some("robots")),
        ("# one\n", Some("https://e.com/robots.txt/list.txt"), None),
        ("# one\n", None, None),
        ("", None, None),
    ] {
        for size in [1, 3, 100] {
            let mut reader = Reader::new(Budget::DEFAULT, Findings::default()).at_location(location);
            let chars: Vec<char> = text.chars().collect();
            for piece in chars.chunks(size) {
                reader.feed(&piece.iter().collect::<String>(), &mut Seen::default());
            }
            reader.finish(&mut Seen::default());
            assert_eq!(reader.fault().is_none().then(|| reader.kind().map(Kind::name)).flatten(), kind, "{text:?}");
        }
    }
}

#[test]
fn feeds() {
    let rss = "<rss version='2.0'><channel><link>https://e.com/</link><item><link>https://e.com/1</link>\
               <pubDate>Sat, 07 Sep 2002 00:00:01 GMT</pubDate></item><item><guid>https://e.com/2</guid></item></channel></rss>";
    let seen = read(rss);
    assert_eq!((seen.fault, seen.kind, seen.entries.len(), seen.recovered), (None, Some("rss"), 2, false));
    let atom = format!(
        "<feed xmlns='{}'><entry><link href='https://e.com/1'/><updated>2020</updated></entry></feed>",
        namespace::ATOM
    );
    let seen = read(&atom);
    assert_eq!((seen.fault, seen.kind, seen.entries.len()), (None, Some("atom"), 1));
    assert!(seen.entries[0].contains("https://e.com/1") && seen.entries[0].contains("2020"), "{:?}", seen.entries);
    let channel = "<channel><item><link>https://e.com/1</link></item></channel>\n";
    let seen = read(&format!("<rss version='2.0'>{}</rss>", channel.repeat(3)));
    assert_eq!((seen.fault, seen.entries.len(), seen.recovered), (None, 3, false));
}

#[test]
fn feeds_with_prefixes_are_well_formed() {
    let rdf = "xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'";
    for feed in [
        "<r:rss xmlns:r='urn:x'><r:channel><r:item><r:link>https://e.com/1</r:link></r:item></r:channel></r:rss>"
            .into(),
        format!(
            "<rdf:RDF {rdf} xmlns:r='http://purl.org/rss/1.0/'><r:channel/><r:item><r:link>https://e.com/1</r:link>\
             </r:item></rdf:RDF>"
        ),
        format!(
            "<rdf:RDF {rdf} xmlns:r='http://my.netscape.com/rdf/simple/0.9/'><r:channel><r:link>https://e.com/</r:link>\
             </r:channel><r:item><r:link>https://e.com/1</r:link></r:item></rdf:RDF>"
        ),
        "<a:feed xmlns:a='http://www.w3.org/2005/Atom'><a:entry><a:link rel='edit' href='https://e.com/2'/>\
         <a:link rel='http://www.iana.org/assignments/relation/alternate' href='https://e.com/1'/></a:entry></a:feed>"
            .into(),
    ] {
        let seen = read(&feed);
        assert_eq!((&seen.fault, seen.recovered, seen.entries.len()), (&None, false, 1), "{feed}");
        assert!(seen.entries[0].contains("https://e.com/1"), "{feed}: {seen:?}");
    }
    let crossed = "<rss xmlns:r=''><channel><item><link>https://e.com/1</link></item></r:channel></rss>";
    assert!(read(crossed).recovered);
}
