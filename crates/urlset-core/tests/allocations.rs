//! Entries allocate nothing, however many there are.

use allocation_counter::measure;
use urlset_core::diagnostic::{Findings, Note};
use urlset_core::limits::Budget;
use urlset_core::read::Reader;
use urlset_core::read::entry::Entry;
use urlset_core::read::sink::Sink;

/// Counts entries.
struct Counting(u64);

impl Sink for Counting {
    fn entry(&mut self, _entry: &Entry<'_>, _notes: &mut Vec<Note>) {
        self.0 += 1;
    }
}

/// How often reading so many entries allocates, in pieces of that size, and how many pieces these are.
fn allocations(entry: &dyn Fn(u64) -> String, count: u64, piece: usize) -> (u64, u64) {
    let entries: String = (0..count).map(entry).collect();
    let text = format!(
        "<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\" \
         xmlns:image=\"http://www.google.com/schemas/sitemap-image/1.1\" \
         xmlns:xhtml=\"http://www.w3.org/1999/xhtml\">\n{entries}</urlset>\n"
    );
    let mut sink = Counting(0);
    let counted = measure(|| {
        let mut reader = Reader::new(Budget::DEFAULT, Findings::default());
        let pieces = text.as_bytes().chunks(piece);
        pieces.for_each(|piece| reader.feed(std::str::from_utf8(piece).expect("it is ASCII"), &mut sink));
        reader.finish(&mut sink);
        assert_eq!(reader.findings(), []);
    });
    assert_eq!(sink.0, count);
    (counted.count_total, text.len().div_ceil(piece) as u64)
}

#[test]
fn entries_of_every_kind_allocate_nothing() {
    let plain = |n: u64| {
        let reference = if n.is_multiple_of(10) { "?a=1&amp;b=2" } else { "" };
        let (hour, word) = (n % 24, ["daily", "weekly", "never"][n as usize % 3]);
        format!(
            "  <url>\n    <loc>https://example.com/{n:08}{reference}</loc>\n    <lastmod>2026-01-01T{hour:02}:00:00Z</lastmod>\n    \
             <changefreq>{word}</changefreq>\n    <priority>0.{}</priority>\n  </url>\n",
            n % 10
        )
    };
    let dense = |n| format!("<url><loc>https://example.com/{n:08}</loc><lastmod>2026-01-01</lastmod></url>");
    let images = |n| {
        let image = format!("<image:image><image:loc>https://example.com/{n:08}.png</image:loc></image:image>");
        format!("<url><loc>https://example.com/{n:08}</loc>{}</url>\n", image.repeat(3))
    };
    let alternates = |n| {
        let link = |language| {
            format!(
                "<xhtml:link rel=\"alternate\" hreflang=\"{language}\" href=\"https://example.com/{language}/{n:08}\"/>"
            )
        };
        format!("<url><loc>https://example.com/{n:08}</loc>{}{}</url>\n", link("de"), link("en"))
    };
    // What no shape is learned from.
    let odd = |n| format!("<url><priority>0.5</priority><!-- {n:08} --><loc>https://example.com/{n:08}</loc></url>");
    let entries: [(&str, &dyn Fn(u64) -> String); 5] =
        [("plain", &plain), ("dense", &dense), ("images", &images), ("alternates", &alternates), ("odd", &odd)];
    for (name, entry) in entries {
        let all = 1 << 24;
        let ((few, _), (many, _)) = (allocations(entry, 500, all), allocations(entry, 4_000, all));
        assert_eq!(few, many, "{name} as a whole");
        // The rest of each piece is kept until the next one comes.
        let (in_pieces, pieces) = allocations(entry, 4_000, 4_096);
        assert!(in_pieces <= many + 2 * pieces, "{name} in {pieces} pieces: {in_pieces}");
    }
}
