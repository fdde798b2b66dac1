//! The work of reading is linear, whatever the input.

use super::*;

#[test]
fn the_work_is_linear_whatever_the_input() {
    let forms: [(&str, &str, &str); 9] = [
        ("broken tags", "<url><loc>https://e.com/</loc", "</url>"),
        ("unclosed", "<url><loc>https://e.com/</loc>", ""),
        ("ampersands", "<url><loc>https://e.com/?a&b</loc></url>", ""),
        ("stray", "</url>", ""),
        ("comments", "<!-- -- -->", ""),
        ("quotes", "<x y=\"", ""),
        ("less", "<", ""),
        ("nested", "<x>", ""),
        ("two locs", "<loc>https://e.com/</loc>", ""),
    ];
    for (name, part, end) in forms {
        for (size, count) in [(1, 2_000), (4096, 40_000), (usize::MAX, 40_000)] {
            let cost = |count: usize| {
                let text = urlset(&format!("{part}{end}").repeat(count));
                work_of(&text, size, Budget::DEFAULT) as f64 / text.len() as f64
            };
            let (few, many) = (cost(count / 10), cost(count));
            assert!(many < 1.5 * few + 8.0, "{name} in pieces of {size}: {few} looks at a byte, then {many}");
        }
    }
}

/// How many bytes were looked at, those looked at again counted again.
fn work_of(text: &str, size: usize, budget: Budget) -> u64 {
    let mut reader = Reader::new(budget, Findings::default());
    let mut nothing = Nothing;
    for piece in text.as_bytes().chunks(size) {
        reader.feed(std::str::from_utf8(piece).unwrap(), &mut nothing);
    }
    reader.finish(&mut nothing);
    reader.work()
}

#[test]
fn the_work_is_linear_however_long_one_thing_is() {
    let all = usize::MAX;
    let unbounded = Budget {
        piece_bytes: all,
        text_bytes: all,
        depth: all,
        attributes: all,
        prefixes: all,
        items_per_entry: all,
        ..Budget::DEFAULT
    };
    let forms: [(&str, &str, &str, &str); 10] = [
        ("a text", "<url><loc>", "https://e.com/", "</loc></url>"),
        ("references", "<url><loc>", "https://e.com/&amp;", "</loc></url>"),
        ("a broken text", "<url><loc>", "https://e.com/&", "</loc></url>"),
        ("CDATA", "<url><loc><![CDATA[", "https://e.com/", "]]></loc></url>"),
        ("a comment", "<!--", "a comment that", "-->"),
        ("an unknown element", "<other>", "<a>text</a>", "</other>"),
        ("a value", "<url a='", "a long value", "'/>"),
        ("images", "<url>", "<i:image><i:loc>https://e.com/</i:loc></i:image>", "</url>"),
        ("blanks", "", "\n  \t", ""),
        ("a line without a URL", "", "text without one ", ""),
    ];
    for (name, start, part, end) in forms {
        for size in [4096, all] {
            for open in [false, true] {
                let cost = |count: usize| {
                    let text = format!("{start}{}{}", part.repeat(count / part.len()), if open { "" } else { end });
                    let text = if open { urlset(&text).replace("</urlset>", "") } else { urlset(&text) };
                    work_of(&text, size, unbounded) as f64 / text.len() as f64
                };
                let (few, many) = (cost(30_000), cost(300_000));
                assert!(many < 1.5 * few + 8.0, "{name} in pieces of {size}, open: {open}: {few}, then {many}");
            }
        }
    }
}

#[test]
fn the_work_is_linear_in_attributes_prefixes_and_depth() {
    let all = usize::MAX;
    let unbounded = Budget { piece_bytes: all, depth: all, attributes: all, prefixes: all, ..Budget::DEFAULT };
    type Form = (&'static str, fn(usize) -> String);
    let forms: [Form; 4] = [
        ("attributes", |n| format!("<url {}/>", (0..n).map(|at| format!("a{at}='' ")).collect::<String>())),
        ("prefixes", |n| format!("<url {}/>", (0..n).map(|at| format!("xmlns:a{at}='a' ")).collect::<String>())),
        ("nested", |n| format!("<url>{}{}</url>", "<a>".repeat(n), "</a>".repeat(n))),
        ("nested and never closed", |n| format!("<url>{}", "<a b='&'>".repeat(n))),
    ];
    for (name, form) in forms {
        for size in [4096, all] {
            let cost = |count: usize| {
                let text = urlset(&form(count));
                work_of(&text, size, unbounded) as f64 / text.len() as f64
            };
            let (few, many) = (cost(300), cost(3_000));
            assert!(many < 1.5 * few + 8.0, "{name} in pieces of {size}: {few} looks at a byte, then {many}");
        }
    }
}

#[test]
fn memory_is_linear_in_what_an_entry_repeats() {
    type Form = (&'static str, fn(usize) -> String);
    let forms: [Form; 2] = [
        ("a long tag and many locs", |n| format!("<url a='{}'>{}</url>", "x".repeat(10 * n), "<loc>a</loc>".repeat(n))),
        ("a long URL and many elements", |n| {
            format!("<url>https://e.com/{}{}</url>", "x".repeat(10 * n), "<a/>".repeat(n))
        }),
    ];
    for (name, form) in forms {
        let cost = |count: usize| {
            let text = urlset(&form(count));
            allocation_counter::measure(|| {
                work_of(&text, usize::MAX, Budget::DEFAULT);
            })
        };
        let (few, many) = (cost(2_000).bytes_total, cost(16_000).bytes_total);
        assert!(many < 16 * few, "{name}: {few} bytes, then {many}");
    }
}

struct Nothing;

impl Sink for Nothing {
    fn entry(&mut self, _entry: &Entry<'_>, _notes: &mut Vec<Note>) {}
}
