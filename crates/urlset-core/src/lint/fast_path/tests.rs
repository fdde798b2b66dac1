//! The fast path, compared with the rules.

use super::super::Linter;
use super::*;
use crate::diagnostic::catalogue::RULES;
use crate::diagnostic::{Finding, Findings};
use crate::limits::Budget;
use crate::read::Reader;
use crate::value::zone::Zone;

const NOW: i64 = 1_769_947_200_000_000; // 2026-02-01T12:00:00Z

const LOCS: [&str; 54] = [
    "https://e.com/",
    "https://e.com/a",
    "https://e.com/b",
    "https://e.com/tea",
    "https://e.com/a-path-of-which-there-is-enough-for-more-than/48-bytes",
    "https://e.com/a-path-of-which-there-is-enough-for-more-than/49-bytes",
    "https://e.com/?a=1&amp;b=2",
    "https://e.com/?a=1&amp;amp;b=2",
    "https://e.com/%C3%A9",
    "https://e.com/%c3%a9",
    "https://e.com/é",
    "https://e.com/é?a=1&amp;b=%C3%A9",
    "https://e.com/%C3%A9?a=1&amp;b=é",
    "https://e.com/é%c3%a9",
    "https://e.com/é|",
    "https://e.com/shop/茶/é-茶-茶-茶-茶-茶-茶-茶",
    "https://e.com/茶\u{200b}",
    "https://e.com/%61",
    "https://e.com/50%",
    "https://e.com/100%25&amp;",
    "https://e.com/a|b",
    "https://e.com/a b",
    "https://e.com/a#b",
    "https://e.com/~a",
    "https://e.com/@a",
    "https://e.com/a/../b",
    "https://e.com/it's",
    "https://e.com/tea?it's",
    "https://e.com/tea?it%27s",
    "https://e.com/%41/.a",
    "https://e.com/shop/a",
    "https://e.com/shop/./a",
    "https://E.com/a",
    "HTTPS://e.com/b",
    "https://e.com:443/a",
    "https://e.com:8443/a",
    "https://u@e.com/a",
    "https://e.com",
    "http://e.com/a",
    "http://e.com/b",
    "https://www.example-of-a-long-name.com/a",
    "https://www.example-of-a-long-name.com/b",
    "https://www.example-of-a-long-name.com/b\u{a0}",
    "https://localhost/",
    "https://https/",
    "https://https//e.com/",
    "https://a..b/",
    "ftp://e.com/",
    "/a",
    "a",
    "",
    " https://e.com/a ",
    "\u{a0}https://e.com/tea",
    "https://e.com/&nbsp;",
];
const LASTMODS: [&str; 18] = [
    "2026-01-31",
    "2026-01-31T10:00:00Z",
    "2026-01-31T10:00:00+01:00",
    "2026-01-31T10:00:00+14:00",
    "2026-01-31T10:00:00+15:00",
    "2026-01-31T10:00:00",
    "2026-01-31T10:00Z",
    "2026-01-31T10:00:00.5Z",
    "2026-02-02T12:00:00Z",
    "2026-02-02T12:00:01Z",
    "2024-02-01",
    "2024-02-02",
    "2024-02-29",
    "1991-08-05",
    "1991-08-06",
    "2026-1-3",
    "2026",
    "",
];
const HOSTS: [&str; 9] = ["", "de.", "fr.", "www.", "a.", "b.", "C.", "d.", "the-name-of-this-host-is-rather-long."];
const CHANGEFREQS: [&str; 6] = ["always", "daily", "weekly", "Daily", "often", ""];
const PRIORITIES: [&str; 8] = ["0.5", "1.0", "1", "0.50000000000000000000000000000", "1.5", "0,5", "high", ""];
const OTHERS: [&str; 4] = [
    "<image:image><image:loc>https://e.com/a.png</image:loc></image:image>",
    "<image:image><image:loc>https://cdn.e.com/a b.png</image:loc></image:image>",
    "<xhtml:link rel=\"alternate\" hreflang=\"de\" href=\"https://e.com/de\"/>",
    "<loc>https://e.com/twice</loc>",
];

/// Numbers without an order, always the same.
struct Draw(u64);

impl Draw {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % most
    }

    /// One in `parts` of the texts is any, and all others are the first or, of locs, one that no other entry has.
    fn of<'t>(&mut self, texts: &[&'t str], parts: usize) -> &'t str {
        texts[if self.below(parts) == 0 { self.below(texts.len()) } else { 0 }]
    }

    fn element(&mut self, name: &str, texts: &[&str], parts: usize) -> String {
        if self.below(4) == 0 {
            return String::new();
        }
        format!("<{name}>{}</{name}>", self.of(texts, parts))
    }

    fn loc(&mut self, number: usize, parts: usize, hosts: usize) -> String {
        match self.below(3 * parts) {
            0 | 1 => self.of(&LOCS, 1).to_owned(),
            // One that a few entries before have, or do not.
            2 => format!("https://e.com/shop/{}", number / 2),
            _ => format!("https://{}e.com/shop/{number}", HOSTS[number % hosts]),
        }
    }

    fn entry(&mut self, number: usize, parts: usize, hosts: usize) -> String {
        let loc = self.loc(number, parts, hosts);
        let mut fields = vec![
            format!("<loc>{loc}</loc>"),
            self.element("lastmod", &LASTMODS, parts),
            self.element("changefreq", &CHANGEFREQS, parts),
            self.element("priority", &PRIORITIES, parts),
        ];
        if self.below(4 * parts) == 0 {
            fields.push(self.of(&OTHERS, 1).to_owned());
        }
        if self.below(4 * parts) == 0 {
            let at = self.below(fields.len());
            fields.rotate_left(at);
        }
        let name = if self.below(20 * parts) == 0 { "sitemap" } else { "url" };
        format!("<{name}>{}</{name}>\n", fields.concat())
    }

    fn document(&mut self) -> String {
        let parts = [1, 4, 40, 400][self.below(4)];
        let hosts = [1, 1, 2, HOSTS.len()][self.below(4)];
        if self.below(8) == 0 {
            // Its first line makes it a text list.
            let lines = (0..self.below(200)).map(|number| self.loc(number, parts, hosts) + "\n");
            return format!("https://e.com/first\n{}", lines.collect::<String>());
        }
        let entries: String = (0..self.below(200)).map(|number| self.entry(number, parts, hosts)).collect();
        let root = if self.below(8) == 0 { "sitemapindex" } else { "urlset" };
        format!(
            "<{root} xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\" \
             xmlns:image=\"http://www.google.com/schemas/sitemap-image/1.1\" \
             xmlns:xhtml=\"http://www.w3.org/1999/xhtml\">\n{entries}</{root}>"
        )
    }

    fn linter(&mut self) -> Linter {
        const NOT_FAST: [&str; 4] = ["LOC015", "XML012", "FRQ003", "LOC007"];
        let left_out = self.below(16);
        let is_on = |code: &str| match NOT_FAST.iter().position(|other| *other == code) {
            Some(at) => left_out >> at & 1 == 1,
            // It asks more of each loc as well.
            None if code == "LOC018" => left_out & 1 == 1,
            None => left_out != 12 || !matches!(code, "LOC014" | "IDX005"),
        };
        let rules = RULES.iter().filter(|rule| is_on(rule.code)).map(|rule| (rule.code, rule.severity));
        let settings = Settings {
            now: NOW,
            zone: [None, Some(Zone::fixed("Z"))][self.below(2)].clone(),
            loc_chars: [2047, 2047, 30][self.below(3)],
            loc_bytes: [None, Some(40)][self.below(2)],
            tag_bytes: [None, Some(25), Some(24)][self.below(3)],
            extensions: self.below(4) > 0,
            proven_hosts: [vec![], vec!["de.e.com".into(), "www.e.com".into()]][self.below(2)].clone(),
            ..Settings::default()
        };
        let location = [None, Some("https://e.com/sitemap.xml"), Some("https://e.com/shop/sitemap.xml")][self.below(3)];
        Linter::new(location, Selection::new(rules), settings)
    }
}

/// By what the entries of a document are judged.
#[derive(Debug, Clone, Copy)]
enum Way {
    Rules,
    Entries,
    Runs,
}

/// The findings, and all else that is found, in a form that can be compared. The text comes in pieces of so many
/// characters.
fn lint(text: &str, mut linter: Linter, way: Way, piece: usize) -> (Vec<Finding>, String) {
    linter.fast_path.is_off |= matches!(way, Way::Rules);
    let findings = Findings::new(linter.selection, Budget::DEFAULT.findings).with_fixes();
    let mut reader = Reader::new(Budget::DEFAULT, findings);
    if !matches!(way, Way::Runs) {
        reader = reader.without_shapes();
    }
    let chars: Vec<char> = text.chars().collect();
    for piece in chars.chunks(piece) {
        reader.feed(&piece.iter().collect::<String>(), &mut linter);
    }
    reader.finish(&mut linter);
    // Of each linter they begin with another number.
    linter.document.seed = 0;
    linter.document.locs = LocIndex::default();
    let findings = reader.findings().to_vec();
    (findings, format!("{:?} {:?}", linter.document, reader.into_fixes()))
}

#[test]
fn the_fast_path_judges_as_rule_by_rule() {
    let mut fast = 0;
    for seed in 0..600 {
        let text = Draw(seed).document();
        let linter = || Draw(seed + 1_000_000).linter();
        let (findings, others) = lint(&text, linter(), Way::Rules, text.len());
        // To feed one character at a time takes longest.
        let least = if seed % 10 == 0 { 1 } else { 100 };
        for (way, piece) in
            [Way::Entries, Way::Runs].into_iter().flat_map(|way| [text.len(), 1_000, least].map(|piece| (way, piece)))
        {
            let found = lint(&text, linter(), way, piece);
            assert_eq!(found.1, others, "{way:?} {piece} {seed}: {text}");
            for number in 0..findings.len().max(found.0.len()) {
                assert_eq!(found.0.get(number), findings.get(number), "{way:?} {piece} {seed}: {text}");
            }
        }
        fast += u64::from(!linter().fast_path.is_off);
    }
    assert!(fast > 120, "{fast}");
}
