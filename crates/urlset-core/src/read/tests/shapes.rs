//! What is recognised by its shape is read as the parser reads it.

use std::ops::Range;

use fearless_simd::Level;

use super::levels::levels;
use crate::diagnostic::{Findings, Note, Position};
use crate::limits::Budget;
use crate::read::element::Field;
use crate::read::entry::Entry;
use crate::read::entry_run::{EntryRun, PlainEntry};
use crate::read::sink::Sink;
use crate::read::slots::Slot;
use crate::read::unread::Unread;
use crate::read::{Reader, namespace};

/// All that is read of entries: each value, with the place where it is written. If it takes entry runs, all but some of their
/// entries come many at once.
#[derive(Debug, Default, PartialEq)]
struct Everything<const WANTS_UNREAD: bool, const TAKES_RUNS: bool = false> {
    entries: Vec<String>,
    findings: Vec<(&'static str, Position, String)>,
    extensions: Vec<(String, u64)>,
    fault: Option<String>,
}

impl<const WANTS_UNREAD: bool, const TAKES_RUNS: bool> Sink for Everything<WANTS_UNREAD, TAKES_RUNS> {
    const WANTS_UNREAD: bool = WANTS_UNREAD;
    const TAKES_RUNS: bool = TAKES_RUNS;

    fn entry(&mut self, entry: &Entry<'_>, _notes: &mut Vec<Note>) {
        let value = |slot: Slot| (slot.is_present(), entry.text(slot).map(str::to_owned), slot.written());
        let slots = entry.slots;
        let fields = slots.fields.map(value);
        let images = slots.images.iter().map(|image| {
            let fields = [image.loc, image.title, image.caption, image.geo_location, image.license];
            (image.at, fields.map(value))
        });
        let links = slots.alternates.iter();
        let links = links.map(|link| (link.at, [link.hreflang, link.href, link.media, link.rel].map(value)));
        let (images, links): (Vec<_>, Vec<_>) = (images.collect(), links.collect());
        let item = slots.item;
        let item = entry.document.is_feed().then(|| (value(item.id), item.bases.map(value), item.date_rank));
        // An entry run does not tell where the blanks before an entry begin.
        let piece = if TAKES_RUNS { 0 } else { entry.piece };
        let range = (piece, entry.start, entry.end, entry.line);
        self.entries.push(format!("{range:?} {fields:?} {images:?} {links:?} {item:?}"));
    }

    fn slow_mask(&mut self, run: &EntryRun<'_>) -> u64 {
        let is_odd = |(number, entry): (usize, &PlainEntry)| u64::from(entry.start % 7 == 0) << number;
        run.entries.iter().enumerate().map(is_odd).sum()
    }

    fn push_run(&mut self, run: &EntryRun<'_>, entries: Range<usize>) {
        const FIELDS: [Field; 4] = [Field::Loc, Field::Lastmod, Field::Changefreq, Field::Priority];
        for entry in &run.entries[entries] {
            let fields = FIELDS.map(|field| {
                let slot = entry.fields[field as usize];
                let text = run.bytes(entry, field).map(|bytes| String::from_utf8(bytes.to_vec()).unwrap());
                (slot.is_present(), text, slot.written())
            });
            let range = (0, entry.start as usize, entry.end as usize, run.line_of(entry));
            self.entries.push(format!("{range:?} {fields:?} [] [] None"));
        }
    }

    fn unread(&mut self, unread: &[Unread], _window: &str, _notes: &mut Vec<Note>) {
        self.entries.push(format!("{unread:?}"));
    }
}

/// A budget that some of the documents exceed.
const BUDGET: Budget = Budget { items_per_entry: 3, ..Budget::DEFAULT };

/// Reads a document in pieces of these sizes, by turns. The offsets of entries depend on the sizes. With a level of SIMD,
/// entries are recognised by their shape.
fn read<const WANTS_UNREAD: bool, const TAKES_RUNS: bool>(
    text: &str,
    sizes: &[usize],
    level: Option<Level>,
) -> Everything<WANTS_UNREAD, TAKES_RUNS> {
    read_within(BUDGET, text, sizes, level)
}

fn read_within<const WANTS_UNREAD: bool, const TAKES_RUNS: bool>(
    budget: Budget,
    text: &str,
    sizes: &[usize],
    level: Option<Level>,
) -> Everything<WANTS_UNREAD, TAKES_RUNS> {
    let reader = Reader::new(budget, Findings::default());
    let mut reader = match level {
        Some(level) => reader.at_level(level),
        None => reader.without_shapes(),
    };
    let mut seen = Everything::default();
    let (mut rest, mut turns) = (text, sizes.iter().cycle());
    while !rest.is_empty() {
        let (piece, more) = rest.split_at(rest.floor_char_boundary((*turns.next().unwrap()).max(4)));
        reader.feed(piece, &mut seen);
        rest = more;
    }
    reader.finish(&mut seen);
    let findings = reader.findings();
    seen.findings = findings.iter().map(|each| (each.rule.code, each.position, each.message.clone())).collect();
    seen.extensions = reader.extensions().map(|(uri, count)| (uri.to_owned(), count)).collect();
    seen.fault = reader.fault().map(|fault| format!("{fault:?}"));
    // In small pieces, most entries are at the end of the window, where there is too little to compare with.
    let is_whole = sizes == [text.len()];
    assert!(level.is_none() || !is_whole || seen.entries.len() < 200 || reader.recognises_shapes(), "{text}");
    seen
}

pub fn compare(text: &str, sizes: &[usize]) {
    compare_as::<false, false>(text, sizes);
    compare_as::<true, false>(text, sizes);
    compare_as::<false, true>(text, sizes);
    compare_as::<true, true>(text, sizes);
}

fn compare_as<const WANTS_UNREAD: bool, const TAKES_RUNS: bool>(text: &str, sizes: &[usize]) {
    let parsed = read::<WANTS_UNREAD, TAKES_RUNS>(text, sizes, None);
    for level in levels() {
        let recognised = read::<WANTS_UNREAD, TAKES_RUNS>(text, sizes, Some(level));
        assert_eq!(recognised, parsed, "{level:?} {sizes:?} {text}");
    }
}

fn document(entries: &str) -> String {
    let (core, image, xhtml) = (namespace::CORE, namespace::IMAGE, namespace::XHTML);
    format!(
        "<urlset xmlns=\"{core}\" xmlns:c=\"{core}\" xmlns:i=\"{image}\" xmlns:j=\"{image}\" xmlns:x=\"{xhtml}\">\
         {entries}</urlset>"
    )
}

/// Numbers that look random, and are the same in each run.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % most
    }

    pub fn of<'t>(&mut self, choices: &[&'t str]) -> &'t str {
        choices[self.below(choices.len())]
    }
}

/// A part of an entry, with `{}` where its values stand. Most are well-formed, and some are what entries must not have.
fn part(random: &mut Random, blank: &str) -> String {
    let image = random.of(&["i", "i", "j"]);
    match random.below(12) {
        0 => "<loc>{}</loc>".into(),
        1 => random.of(&["<c:loc>{}</c:loc>", "<loc>{}</c:loc>", "<loc >{}</loc>"]).into(),
        2 => "<lastmod>{}</lastmod>".into(),
        3 => random.of(&["<priority>{}</priority>", "<priority />", "<priority><b>{}</b></priority>"]).into(),
        4 => random.of(&["<other>{}</other>", "<changefreq>{}</changefreq>", "{}"]).into(),
        5 | 6 => format!("<{image}:image>{blank}<i:loc>{{}}</i:loc>{blank}</{image}:image>"),
        7 => format!("<{image}:image><i:loc>{{}}</i:loc><i:title>{{}}</i:title></{image}:image>"),
        8 => format!("<i:image><i:loc>{{}}</i:loc><i:title>{{}}</i:title></{image}:image>"),
        9 => {
            let rel = random.of(&["alternate", "alternate", "a&amp;b", " a", "a\nb", "a\r\nb"]);
            format!("<x:link rel=\"{rel}\" hreflang=\"{{}}\" href=\"{{}}\"/>")
        }
        10 => "<x:link hreflang=\"{}\" rel=\"alternate\" media='m' href=\"{}\" />".into(),
        _ => {
            let rest = random.of(&["/>", "rel=\"x\"/>", "media=\"{}\"/>", "></x:link>", "hreflang='{}'/>"]);
            format!("<x:link href=\"{{}}\" {rest}")
        }
    }
}

#[test]
fn what_has_a_shape_is_read_as_the_parser_reads_it() {
    const VALUES: [&str; 17] = [
        "https://e.com/a",
        "b",
        "2026-01-01",
        "c",
        "",
        " d ",
        "e&amp;f",
        "&#233;",
        "g>h",
        "i & j",
        "\n",
        "k\"",
        "[l]",
        "！",
        "m\r\nn",
        "\r\no",
        "&amp;\rp",
    ];
    let mut random = Random(1);
    for _ in 0..500 {
        // The entries of one document are made of the same few parts, so that each follows each.
        let blank = random.of(&["", "", "\n  ", "\n\t", "\r\n", " x "]);
        let mut parts = vec!["<loc>{}</loc>".to_owned()];
        parts.extend((0..1 + random.below(3)).map(|_| part(&mut random, blank)));
        let names = [["url", "url"], ["url", "url"], ["url", "c:url"], ["url", "url a='b'"]][random.below(4)];
        let mut entries = String::new();
        for _ in 0..random.below(40) {
            let name = random.of(&names);
            let chosen: Vec<&str> =
                (0..1 + random.below(5)).map(|_| parts[random.below(parts.len())].as_str()).collect();
            let end = if random.below(50) == 0 { "url" } else { name.trim_end_matches(" a='b'") };
            let template = format!("{blank}<{name}>{blank}{}{blank}</{end}>", chosen.join(blank));
            let mut rest = template.as_str();
            while let Some((before, after)) = rest.split_once("{}") {
                let most = if random.below(8) == 0 { VALUES.len() } else { 4 };
                entries += before;
                entries += VALUES[random.below(most)];
                rest = after;
            }
            entries += rest;
            if random.below(80) == 0 {
                entries += random.of(&["]]>", "<!-- x -->", "<loc>", "</url>", "&", "<url xmlns='urn:x'><loc/></url>"]);
            }
        }
        let text = document(&entries);
        compare(&text, &[text.len()]);
        compare(&text, &[1 + random.below(60), 1 + random.below(400)]);
    }
}

#[test]
fn entries_of_all_usual_kinds_are_recognised() {
    for entry in [
        "<url><loc>{}</loc></url>",
        "\n  <url>\n    <loc>{}</loc>\n    <lastmod>2026-01-0{}</lastmod>\n  <priority>0.{}</priority></url>",
        "\n<url>\n<loc>{}&amp;</loc>\n<i:image>\n<i:loc>{}</i:loc></i:image><i:image><i:loc>{}</i:loc></i:image></url>",
        "\r\n  <url>\r\n    <loc>{}</loc>\r\n    <lastmod>2026-01-0{}</lastmod>\r\n  </url>",
        "\r\n<url>\r\n<loc>{}&amp;</loc>\r\n<i:image>\r\n<i:loc>{}</i:loc></i:image></url>",
        "\n<url>\n<loc>{}</loc>\n<x:link rel=\"alternate\" hreflang=\"{}\" href=\"{}\"/></url>",
        "\n<url>\n<loc>{}</loc>\n<x:link hreflang=\"{}\" rel=\"alternate\" media=\"m\" href=\"{}&amp;\" /></url>",
    ] {
        let entries: String = (0..300).map(|number| entry.replace("{}", &(number % 7).to_string())).collect();
        let text = document(&entries);
        compare(&text, &[text.len()]);
        for size in [1, 5, 64, 1000] {
            compare(&text, &[size]);
        }
    }
}

#[test]
fn the_budget_holds_for_each_entry_of_a_run() {
    for long in [0, 1, 70, 150, 199] {
        let loc = |number| if number == long { "x".repeat(41) } else { format!("https://e.com/{number}") };
        let text =
            document(&(0..200).map(|number| format!("<url><loc>{}</loc></url>", loc(number))).collect::<String>());
        for budget in [
            Budget { text_bytes: 40, ..BUDGET },
            Budget { text_bytes: 41, ..BUDGET },
            Budget { entries: long as u64, ..BUDGET },
            Budget { entries: 200, ..BUDGET },
        ] {
            let parsed = read_within::<false, true>(budget, &text, &[text.len()], None);
            assert_eq!(parsed.fault.is_some(), budget.text_bytes == 40 || budget.entries < 200, "{long} {budget:?}");
            for level in levels() {
                let recognised = read_within::<false, true>(budget, &text, &[text.len()], Some(level));
                assert_eq!(recognised, parsed, "{long} {budget:?}");
            }
        }
    }
}

#[test]
fn a_cut_at_any_place_makes_no_difference_to_a_shape() {
    let entry = "\n<url>\n<loc>a&amp;b</loc><lastmod>2026</lastmod>\n<i:image>\n<i:loc>{}</i:loc></i:image>\
                 <x:link rel=\"alternate\" hreflang=\"de\" href=\"{}\"/></url>";
    let text = document(&(0..6).map(|number| entry.replace("{}", &"x".repeat(number * 7))).collect::<String>());
    for cut in 4..text.len() {
        compare(&text, &[cut, text.len()]);
    }
}

#[test]
fn what_was_learned_holds_for_the_same_names_and_declarations() {
    let entry = |outer: &str, inner: &str, closing: &str| {
        format!(
            "<{outer}><loc>a</loc><{inner}:image><i:loc>b</i:loc><i:title>c</i:title></{closing}:image></{}>",
            outer.split(' ').next().unwrap()
        )
    };
    let usual: String = [entry("url", "i", "i"), entry("url", "j", "j"), entry("c:url", "i", "i")].concat();
    let other = namespace::XHTML;
    for odd in [
        entry("url", "j", "i"),
        entry("url", "i", "j"),
        "<url><loc>a</loc></c:url>".to_owned(),
        format!("<urlset xmlns:i=\"{other}\">{}</urlset>", entry("url", "i", "i").repeat(3)),
        // Documents that were put together: the second one has declarations of its own.
        format!("</urlset><urlset xmlns=\"{}\" xmlns:i=\"{other}\">", namespace::CORE),
        format!("<url xmlns:i=\"{other}\"><loc>b</loc></url>"),
    ] {
        let text = document(&format!("{}{odd}{}", usual.repeat(10), usual.repeat(2)));
        compare(&text, &[text.len()]);
        compare(&text, &[100]);
    }
}

/// Reads a document in pieces of this size. Returns how many entries were parsed and not recognised, and how many bytes
/// were looked at.
pub fn parsed<const TAKES_RUNS: bool>(text: &str, entries: u64, size: usize) -> (u64, u64) {
    let mut reader = Reader::new(Budget::DEFAULT, Findings::default());
    let mut seen = Everything::<false, TAKES_RUNS>::default();
    for piece in text.as_bytes().chunks(size) {
        reader.feed(std::str::from_utf8(piece).unwrap(), &mut seen);
    }
    reader.finish(&mut seen);
    assert_eq!((seen.entries.len() as u64, reader.fault()), (entries, None));
    (entries - reader.recognised(), reader.work())
}

#[test]
fn nearly_all_entries_of_the_usual_kinds_are_recognised() {
    let core = "<lastmod>2026-01-{}</lastmod>\n    <changefreq>daily</changefreq>\n    <priority>0.{}</priority>\n";
    let image = "    <i:image>\n      <i:loc>https://e.com/{}.jpg</i:loc>\n    </i:image>\n".repeat(3);
    let link = "    <x:link rel=\"alternate\" hreflang=\"l{}\" href=\"https://e.com/{}\"/>\n".repeat(20);
    for (name, entry) in [
        ("plain", format!("  <url>\n    <loc>https://e.com/{{}}</loc>\n    {core}  </url>\n")),
        ("images", format!("  <url>\n    <loc>https://e.com/{{}}</loc>\n    {core}{image}  </url>\n")),
        ("dense", "<url><loc>https://e.com/{}</loc><lastmod>2026-01-{}</lastmod></url>".to_owned()),
        ("alternates", format!("  <url>\n    <loc>https://e.com/{{}}</loc>\n{link}  </url>\n")),
    ] {
        // One loc in ten has a reference.
        let one = |number: u64| entry.replace("{}", &number.to_string()).replacen("0</loc>", "?a&amp;b</loc>", 1);
        let text = document(&(10..1_010).map(one).collect::<String>());
        let size = text.len() as u64;
        for parsed in [parsed::<false>, parsed::<true>] {
            let (few, work) = parsed(&text, 1_000, text.len());
            assert!(few <= 4 && work == size, "{name}: {few} entries parsed, {work} bytes of {size} looked at");
            // In pieces, those that a piece ends in, or shortly after, are parsed, and the rest of a piece is looked at twice.
            let (few, work) = parsed(&text, 1_000, 16_384);
            let pieces = size.div_ceil(16_384);
            assert!(few <= 4 + 3 * pieces, "{name}: {few} entries of {pieces} pieces parsed");
            assert!(work <= size + 8_192 * pieces, "{name}: {work} bytes of {size} looked at");
        }
    }
}
