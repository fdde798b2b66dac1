//! Two threads read what one reads. The slow twin is the same parser without a fork.

use arrow_array::RecordBatch;
use arrow_select::concat::concat_batches;

use super::*;
use crate::decode::ContentEncoding;
use crate::diagnostic::{Finding, Findings, Selection};
use crate::limits::{Budget, Limits};
use crate::read::Fault;
use crate::table::{Children, Filter, Reason, Table, schema};
use crate::value::pattern::Pattern;

const NAMESPACE: &str = "xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\"";

/// Everything that reading a document reports.
#[derive(Debug, PartialEq)]
struct Seen {
    rows: RecordBatch,
    sitemaps: Vec<bool>,
    found: Vec<crate::table::Child>,
    findings: Vec<Finding>,
    counts: Vec<(&'static str, u64)>,
    extensions: Vec<(String, u64)>,
    fault: Option<Fault>,
    is_recovered: bool,
    entries: u64,
    skipped: Vec<(Reason, u64)>,
    bytes: (u64, u64, u64),
}

/// A parser with bounds that few bytes exceed, and its table.
fn start(follow: bool) -> (Parser, Table) {
    let budget = Budget { entries: 14, decoded_bytes: 1_200, wire_bytes: 1_300, piece_bytes: 512, ..Budget::DEFAULT };
    let limits = Some(Limits { entries: 10, bytes: 1_000 });
    let findings = Findings::new(Selection::default(), 5);
    let location = Some("https://e.com/dir/sitemap.xml");
    let parser = Parser::new(budget, limits, findings, ContentEncoding::default(), location);
    let filter = Filter { exclude: vec![Pattern::new("*/hidden*")], ..Filter::default() };
    let mut table = Table::new(schema(), !follow).filtered(filter.into());
    table.begin_document(location);
    let children = follow.then(|| Children::new(location));
    (Parser { children, ..parser }, table)
}

fn seen(mut parser: Parser, mut table: Table) -> Seen {
    parser.finish(&mut table);
    let skipped = table.take_skipped();
    let batches: Vec<_> = std::iter::from_fn(|| table.take_full().or_else(|| table.take_rest())).collect();
    let flags = |batch: &crate::table::Batch| {
        let mut flags = batch.sitemaps.to_vec();
        flags.resize(batch.record.num_rows(), false);
        flags
    };
    let Parser { decoder, reader, checks, children } = parser;
    Seen {
        rows: concat_batches(&schema(), batches.iter().map(|batch| &batch.record)).unwrap(),
        sitemaps: batches.iter().flat_map(flags).collect(),
        found: children.map(|children| children.found).unwrap_or_default(),
        findings: reader.findings(),
        counts: reader.counts().iter().map(|(code, count)| (*code, *count)).collect(),
        extensions: reader.extensions().map(|(uri, count)| (uri.to_owned(), count)).collect(),
        fault: reader.fault().cloned(),
        is_recovered: reader.is_recovered(),
        entries: checks.entries(),
        skipped,
        bytes: (reader.bytes(), reader.fed(), decoder.wire_bytes()),
    }
}

/// Reads a text in these pieces: how much is read of what follows a fault depends on them.
fn read(text: &[u8], follow: bool, [head, middle, end]: [usize; 3]) -> Seen {
    let (mut parser, mut table) = start(follow);
    for piece in [&text[..head], &text[head..middle], &text[middle..end], &text[end..]] {
        parser.feed(piece, &mut table);
    }
    seen(parser, table)
}

/// Reads a text of which a fork is given what lies between `middle` and `end`, once `head` was read. Returns too whether
/// it was joined.
fn read_forked(text: &[u8], follow: bool, [head, middle, end]: [usize; 3]) -> (Seen, bool) {
    let (mut parser, mut table) = start(follow);
    parser.feed(&text[..head], &mut table);
    let fork = parser.fork();
    assert_eq!(fork.is_some(), parser.can_fork());
    parser.feed(&text[head..middle], &mut table);
    let mut has_joined = false;
    if let Some(mut fork) = fork {
        let mut rows = table.fork();
        fork.feed(&text[middle..end], &mut rows);
        has_joined = parser.join(&fork, &mut table, rows);
    }
    if !has_joined {
        parser.feed(&text[middle..end], &mut table);
    }
    parser.feed(&text[end..], &mut table);
    (seen(parser, table), has_joined && end > middle)
}

/// How many of these cuts were joined; each has to be read as the text is without it.
fn joined(text: &[u8], cuts: impl Iterator<Item = [usize; 3]>) -> usize {
    let mut joined = 0;
    for cut in cuts {
        for follow in [false, true] {
            let (halved, has_joined) = read_forked(text, follow, cut);
            assert_eq!(halved, read(text, follow, cut), "{cut:?} of {:?}", String::from_utf8_lossy(text));
            joined += usize::from(has_joined);
        }
    }
    joined
}

fn urlset(inner: &[&str]) -> String {
    format!("<?xml version='1.0'?>\n<urlset {NAMESPACE} xmlns:o='urn:o'>{}\n</urlset>\n", inner.concat())
}

fn ends(text: &str) -> Vec<usize> {
    text.match_indices("</url>").map(|(at, cut)| at + cut.len()).collect()
}

#[test]
fn what_is_well_formed_is_joined_wherever_an_entry_ends() {
    let text = urlset(&[
        "\n<url><loc>https://e.com/é</loc><lastmod>2026-01-01</lastmod></url>",
        "\n  <url>\n<loc>https://e.com/</loc>\n<o:thing>x</o:thing></url>\n<!-- a comment -->",
        "<url xmlns:p='urn:p'><loc>https://e.com/hidden</loc><p:thing/></url>",
        "<url><loc>https://e.com/<![CDATA[a]]>&amp;</loc><o:thing/><priority>0.5</priority></url>",
        "\n<url><loc>https://e.com/last</loc></url>",
    ]);
    let (head, ends) = (text.find("<url>").unwrap(), ends(&text));
    for &middle in &ends {
        for &end in ends.iter().filter(|end| **end > middle) {
            assert_eq!(joined(text.as_bytes(), [[head, middle, end]].into_iter()), 2, "{middle} {end}");
        }
    }
    let everywhere = (head..text.len()).flat_map(|middle| (middle..=text.len()).map(move |end| [head, middle, end]));
    assert!(joined(text.as_bytes(), everywhere.step_by(29)) > 0);
}

#[test]
fn what_depends_on_the_text_before_it_is_read_again() {
    for (inner, is_joined) in [
        (["<url><loc>https://e.com/</loc></url>", "<url><loc>https://e.com/2</loc></url>"], true),
        (["<url><loc>https://e.com/</loc></url>", "<url><loc>https://e.com/2</loc><lastmod>x</lastmod></url>"], false),
        (["<!-- <url><loc>https://e.com/</loc></url>", "<url><loc>x</loc></url> -->"], false),
        (["<url><loc><![CDATA[</url>", "]]></loc></url>"], false),
        (["<url><loc>https://e.com/</url>", "<url><loc>https://e.com/2</loc></url>"], true),
        (["<urlset><url><loc>https://e.com/</loc></url>", "<url><loc>x</loc></url></urlset>"], false),
        (["</urlset><url><loc>https://e.com/</loc></url>", "<url><loc>x</loc></url>"], false),
        (["<url><loc>https://e.com/</loc></url>", "<sitemap><loc>x</loc></sitemap><url><loc>x</loc></url>"], false),
    ] {
        let text = urlset(&inner);
        let (head, ends) = (text.find(inner[0]).unwrap(), ends(&text));
        let (middle, end) = (head + inner[0].len(), *ends.last().unwrap());
        let joined = joined(text.as_bytes(), [[head, middle, end]].into_iter());
        assert_eq!(joined > 0, is_joined, "{inner:?}");
    }
}

#[test]
fn both_parts_may_not_close_the_same_root() {
    let parts = [
        "<urlset>",
        "<url><loc>https://e.com/1</loc></url></urlset>",
        "<url><loc>https://e.com/2</loc></url></urlset>",
    ];
    let text = urlset(&[&parts.concat(), "<url><loc>https://e.com/3</loc></url>"]);
    let head = text.find(parts[0]).unwrap() + parts[0].len();
    let middle = head + parts[1].len();
    let end = middle + parts[2].len();
    assert_eq!(joined(text.as_bytes(), [[head, middle, end]].into_iter()), 0);
}

#[test]
fn random_texts_are_read_alike_with_any_cut() {
    const PIECES: &[&[u8]] = &[
        b"<url><loc>https://e.com/a</loc></url>",
        b"\n  <url>\n    <loc>https://e.com/b</loc>\n    <lastmod>2026-11-23T10:00:00Z</lastmod>\n  </url>",
        b"<url><loc>https://e.com/hidden</loc><priority>0.5</priority></url>\n",
        b"<url><loc>https://e.com/\xc3\xa9</loc><changefreq>daily</changefreq></url>",
        b"<url><loc>https://e.com/c</loc><o:thing/><p:other xmlns:p='urn:p'>x</p:other></url>",
        b"<urlset>",
        b"</urlset>",
        b"<url><loc>https://e.com/bad\xff</loc></url>",
        b"<url><lastmod>2026-01-01</lastmod></url>",
        b"<url><loc>https://e.com/d</loc><lastmod>yesterday</lastmod></url>",
        b"<!-- </url> -->",
        b"<![CDATA[</url>]]>",
        b"<?pi </url> ?>",
        b"stray ]]> &amp; text",
        b"<o:list><url><loc>x</loc></url></o:list>",
        b"<sitemap><loc>https://e.com/child.xml</loc></sitemap>",
        b"<url><loc>https://e.com/unclosed</loc>",
        b"</url>",
        b"<",
    ];
    let mut state = 7_u64;
    let mut random = move |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let mut all_joined = 0;
    for round in 0..300 {
        let mut text = format!("<?xml version='1.0'?><urlset {NAMESPACE} xmlns:o='urn:o'>").into_bytes();
        let head = text.len();
        // In most rounds nearly all is well-formed, or nothing would be joined.
        let kinds = [5, 7, PIECES.len()][round % 3];
        for _ in 0..random(18) {
            text.extend_from_slice(PIECES[random(kinds)]);
        }
        if random(4) > 0 {
            text.extend_from_slice(b"</urlset>");
        }
        let places: Vec<usize> = memchr::memmem::find_iter(&text, b"</url")
            .filter_map(|at| Some(at + 1 + text[at..].iter().position(|byte| *byte == b'>')?))
            .collect();
        let mut cuts = Vec::new();
        for _ in 0..6 {
            let mut place = || match places.is_empty() || random(8) == 0 {
                true => random(text.len() + 1),
                false => places[random(places.len())],
            };
            let mut cut = [place(), place(), place()];
            cut.sort_unstable();
            cuts.extend([cut, [head.min(cut[1]), cut[1], cut[2]]]);
        }
        all_joined += joined(&text, cuts.into_iter());
    }
    assert!(all_joined > 300, "only {all_joined} were joined");
}

#[test]
fn two_threads_read_what_one_reads() {
    let entry = |number: usize| format!("  <url>\n    <loc>https://e.com/{number}</loc>\n  </url>\n");
    let usual: String = (0..40_000).map(entry).collect();
    for (name, inner) in [
        ("usual", usual.clone()),
        ("one finding in the second half", usual.clone() + "<url><loc>https://e.com/x</loc><lastmod>?</lastmod></url>"),
        ("a comment around all", format!("<!-- {usual} -->")),
        ("a fault in the first half", format!("<url><loc><![CDATA[{usual}")),
    ] {
        let text = urlset(&[&inner]);
        let parse = |threads: usize| {
            let location = Some("https://e.com/sitemap.xml");
            let findings = Findings::new(Selection::default(), 5);
            let mut parser = Parser::new(Budget::DEFAULT, None, findings, ContentEncoding::default(), location);
            let mut table = Table::new(schema(), true);
            table.begin_document(location);
            let (mut split, mut at) = (ParallelSplit::default(), ParallelSplit::HEAD);
            parser.feed(&text.as_bytes()[..at], &mut table);
            while threads > 1 && split.is_worth_it(&parser) {
                match split.read(&text.as_bytes()[at..], &mut parser, &mut table) {
                    0 => break,
                    length => at += length,
                }
            }
            parser.feed(&text.as_bytes()[at..], &mut table);
            seen(parser, table)
        };
        assert!(parse(2) == parse(1), "{name}");
    }
}
