use std::collections::HashMap;

use super::pattern::Pattern;
use super::rules::Rank;
use super::*;

/// The verdict of Google's parser: the set of all positions in the path at which a beginning of the pattern can end. Slow,
/// and with nothing to take back. Source: google/robotstxt, RobotsMatchStrategy::Matches.
fn twin(path: &str, pattern: &str) -> bool {
    let (path, pattern) = (path.as_bytes(), pattern.as_bytes());
    let mut ends = vec![0];
    for (at, byte) in pattern.iter().enumerate() {
        ends = match byte {
            b'$' if at + 1 == pattern.len() => return ends.contains(&path.len()),
            b'*' => (ends.iter().min().copied().unwrap_or(0)..=path.len()).collect(),
            _ => ends.iter().filter(|end| path.get(**end) == Some(byte)).map(|end| end + 1).collect(),
        };
        if ends.is_empty() {
            return false;
        }
    }
    true
}

fn texts(letters: &str, most: usize) -> Vec<String> {
    let mut all = vec![String::new()];
    let mut begin = 0;
    for _ in 0..most {
        let end = all.len();
        for at in begin..end {
            letters.chars().for_each(|letter| all.push(format!("{}{letter}", all[at])));
        }
        begin = end;
    }
    all
}

fn matches(path: &str, value: &str) -> bool {
    let rules = Rules::new([(value, Use { group: 1, line: 1, is_allow: false })].into_iter());
    rules.deciding(&Target::of(path)).is_some()
}

#[test]
fn every_short_pattern_matches_as_in_googles_parser() {
    let paths: Vec<String> = texts("ab/", 4).into_iter().map(|rest| format!("/{rest}")).collect();
    let mut count = 0;
    for value in texts("a/*$", 5).iter().filter(|value| !value.is_empty()) {
        let own: Vec<&String> = paths.iter().filter(|path| matches(path, value)).collect();
        let other: Vec<&String> = paths.iter().filter(|path| twin(path, value)).collect();
        assert_eq!(own, other, "{value}");
        count += own.len();
    }
    assert!(count > 10_000, "{count} pairs match");
}

/// Numbers that look random, always the same.
fn numbers(mut seed: u64) -> impl FnMut(usize) -> usize {
    move |below| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % below
    }
}

fn drawn(next: &mut impl FnMut(usize) -> usize, pieces: &[&str], most: usize) -> String {
    (0..next(most)).map(|_| pieces[next(pieces.len())]).collect()
}

#[test]
fn the_index_finds_what_comparing_with_every_rule_finds() {
    let mut next = numbers(1);
    for _ in 0..300 {
        let values: Vec<(String, bool)> = (0..next(12))
            .map(|_| (format!("/{}", drawn(&mut next, &["a", "b", "/", "*", "$"], 6)), next(2) == 0))
            .collect();
        let text: String = values
            .iter()
            .map(|(value, allow)| format!("{}: {value}\n", if *allow { "Allow" } else { "Disallow" }))
            .collect();
        let robots = Robots::new(format!("User-agent: *\n{text}").as_bytes());
        let crawler = robots.crawler("any");
        for _ in 0..20 {
            let path = format!("/{}", drawn(&mut next, &["a", "b", "/"], 8));
            let rank = |(at, (value, allow)): (usize, &(String, bool))| {
                let rule = Use { group: 1, line: at as u32 + 2, is_allow: *allow };
                twin(&path, value).then(|| Rank::of(value.len(), rule))
            };
            let best = values.iter().enumerate().filter_map(rank).max();
            let expected = best.filter(|rank| !rank.is_allow).map(Rank::line);
            assert_eq!(crawler.disallowing(&Target::of(&path)), expected, "{text}{path}");
        }
    }
}

/// Octets that are looked at to compare rules with a URL.
fn work(rules: &Rules, url: &str) -> usize {
    let mut octets = 0;
    let mut find = |text: &[u8], piece: &[u8]| {
        let found = memchr::memmem::find(text, piece);
        octets += found.map_or(text.len(), |at| at + piece.len());
        found
    };
    rules.each_match(&Target::of(url), &mut find, |_, _| ());
    octets
}

#[test]
fn no_rule_is_compared_twice_with_any_octet() {
    let path = "a".repeat(4_000);
    for value in
        [format!("/{}b", "*a".repeat(40)), format!("/{}$", "*aa".repeat(2_000)), format!("/{}b", "*".repeat(5_000))]
    {
        let rules = Rules::new([(value.as_str(), Use { group: 1, line: 1, is_allow: false })].into_iter());
        assert!(work(&rules, &format!("/{path}")) <= path.len() + value.len(), "{}", &value[..20]);
    }
    // Those that begin otherwise are not compared at all.
    let values: Vec<String> = (0..8_000).map(|number| format!("/section-{number}/*/x")).collect();
    let rules = |most: usize| {
        Rules::new(values[..most].iter().map(|value| (value.as_str(), Use { group: 1, line: 1, is_allow: false })))
    };
    assert_eq!(work(&rules(8_000), "/section-77/a/x"), work(&rules(100), "/section-77/a/x"));
}

#[test]
fn groups_end_at_rules_alone() {
    let text = "Disallow: /lost\nUser-agent: A\nCrawl-delay: 5\nSitemap: https://a.example/\n\nUser-agent: B\nUnknown: x\n\
                User-agent: C\nDisallow: /x\nCrawl-delay: 7\nUser-agent: A\nAllow: /\nUser-agent: D";
    let robots = Robots::new(text.as_bytes());
    let groups: Vec<Option<u32>> = robots.rows.iter().map(|row| row.group).collect();
    let one = Some(1);
    assert_eq!(groups, [None, one, one, None, one, one, one, one, one, Some(2), Some(2), Some(3)]);
    let joins: Vec<(u32, u32)> = robots.rows.iter().filter_map(|row| Some((row.number, row.joins?))).collect();
    assert_eq!(joins, [(6, 2)]);
    let named: HashMap<&str, &[u32]> =
        robots.named().iter().map(|each| (each.name.as_str(), each.groups.as_slice())).collect();
    assert_eq!(named, HashMap::from([("A", &[1, 2][..]), ("B", &[1]), ("C", &[1]), ("D", &[3])]));
    assert_eq!(robots.crawler("b").delay, Some(7.0));
    // A crawler that is named has its own rules, even if there are none.
    assert!(robots.crawler("D").is_free());
    assert_eq!(robots.crawler("E").delay, None);
}

#[test]
fn lines_are_read_as_googles_parser_reads_them() {
    let rules = |text: &str| Robots::new(text.as_bytes()).crawler("FooBot").disallowing(&Target::of("/x/y"));
    for key in ["disallow", "DISALLOW", "dissallow", "dissalow", "disalow", "diasllow", "disallaw", "Disallowed"] {
        assert_eq!(rules(&format!("User-agent: foobot\n{key}: /x")), Some(2), "{key}");
    }
    for agent in ["user-agent: foobot", "useragent: FooBot/2.1", "User Agent : FooBot and others", "user-agent\tfoobot"]
    {
        assert_eq!(rules(&format!("{agent}\nDisallow /x # why")), Some(2), "{agent}");
    }
    for end in ["\n", "\r", "\r\n"] {
        assert_eq!(rules(&["\u{feff}User-agent: foobot", "", "Disallow: /x"].join(end)), Some(3));
    }
    assert_eq!(rules("User-agent: foobot\nDisallow all of: /x"), None);
    assert_eq!(rules("User-agent: foobot\nDisallow: /x\0/never"), Some(2));
    assert_eq!(rules("User-agent: foobot\nDisallow: x"), None);
}

#[test]
fn any_bytes_are_a_robots_txt_and_each_beginning_of_one() {
    let mut data = b"\xef\xbb\xbf\xef\xbb\r\n\0User-agent\0: \xffbot \xc3\x28\rUser-agent: \xe3\x83\x84 # \xf0\nDisallow: /\xe9%zz%\xc3*$$\n\
                     :\nCrawl-delay: 1e9\nCrawl-delay: 99999999999999999999999999\n \t\x0b\x0c:::\n*: *\nDisallow:\n"
        .to_vec();
    data.extend([b'x'; 40_000]);
    data.extend(b"\nUser-agent: *\nDisallow: /");
    data.extend([0xff; 20_000]);
    for end in (0..200).chain([40_100, 40_250, data.len()]) {
        check(&data[..end]);
    }
    let mut next = numbers(7);
    let pieces: [&[u8]; 12] =
        [b"User-agent:", b"Disallow:", b" /", b"*", b"$", b"%", b"\n", b"\r", b"\0", b"\xff", b"#", b"a"];
    for _ in 0..200 {
        let drawn: Vec<u8> = (0..next(60)).flat_map(|_| pieces[next(pieces.len())]).copied().collect();
        check(&drawn);
        check(&drawn.iter().flat_map(|byte| [*byte, 0]).collect::<Vec<u8>>());
    }
}

/// What holds of any robots.txt: rows in order, and one verdict, whoever asks.
fn check(data: &[u8]) {
    let robots = Robots::new(data);
    assert!(robots.rows.windows(2).all(|pair| pair[0].number < pair[1].number));
    let urls = ["https://a.example/", "/a%C3", "/é", "/robots.txt", "", "/%FF%FF", "?"];
    let mut census = robots.census();
    urls.iter().for_each(|url| census.take(url));
    let counted: Vec<u64> = census.crawlers().map(|tally| tally.urls).collect();
    let refused = |url: &&str, name: &str| robots.crawler(name).disallowing(&Target::of(url)).is_some();
    let judged = robots.named().iter().map(|each| urls.iter().filter(|url| refused(url, &each.name)).count() as u64);
    assert_eq!(counted, judged.collect::<Vec<u64>>());
}

#[test]
fn both_spellings_of_a_character_match() {
    for (value, path) in [
        ("/a%2Ab", "/a*b"),
        ("/c%24", "/c$"),
        ("/c%24", "/c%24d"),
        ("/*?", "/page?"),
        ("/*?$", "/page?"),
        ("/foo/bar?baz=https://foo.bar", "/foo/bar?baz=https%3A%2F%2Ffoo.bar"),
        ("/foo/bar?baz=https%3A%2F%2Ffoo.bar", "/foo/bar?baz=https://foo.bar"),
        ("/*%2F", "/login?next=/home"),
        ("/*/home", "/login?next=%2Fhome"),
        ("/\u{30c4}", "/%e3%83%84"),
        ("/%62%61%7A", "/baz"),
        ("/a b", "/a%20b"),
        ("/b", "https://a.example/a/../b"),
        ("/%7bx", "/{x}"),
    ] {
        assert!(matches(path, value), "{value} {path}");
    }
    for (value, path) in [
        ("/a%2Ab", "/axb"),
        ("/c%24", "/c"),
        ("/*?", "/page"),
        ("/a%2Fb", "/a/b"),
        ("/?a%26", "/?a&"),
        ("/*?", "/page#?"),
    ] {
        assert!(!matches(path, value), "{value} {path}");
    }
    assert!(!matches("https://a.example/robots.txt#x", "/"));
    assert!(matches("https://a.example/robots.txt.bak", "/"));
    // An escaped asterisk is longer than one that stands for anything.
    assert!(Pattern::of("/a%2A").map(|one| one.length) > Pattern::of("/a*").map(|other| other.length));
}

#[test]
fn latin_1_is_compared_byte_by_byte() {
    let crawler = Robots::new(b"User-agent: *\nDisallow: /caf\xe9").crawler("any");
    assert!(crawler.disallowing(&Target::of("/caf%e9")).is_some());
    assert!(crawler.disallowing(&Target::of("/café")).is_none());
}

#[test]
fn a_census_counts_each_url_once_per_line_and_crawler() {
    let text = "User-agent: A\nUser-agent: B\nDisallow: /x\nUser-agent: B\nAllow: /x/y\nUser-agent: *\nDisallow: /\n";
    let robots = Robots::new(text.as_bytes());
    let mut census = robots.census();
    ["/x", "/x/y", "/z", "/robots.txt"].into_iter().for_each(|url| census.take(url));
    let crawlers: Vec<u64> = census.crawlers().map(|tally| tally.urls).collect();
    assert_eq!(crawlers, [2, 1, 3]);
    let mut lines: Vec<(u32, u64)> = census.lines().map(|(line, tally)| (line, tally.urls)).collect();
    lines.sort_unstable();
    assert_eq!((lines, census.urls()), (vec![(3, 2), (7, 3)], 4));
}

#[test]
fn memory_grows_with_the_file_and_not_with_crawlers_times_rules() {
    let text = |agents: usize, rules: usize| {
        let agents: String = (0..agents).map(|number| format!("User-agent: bot{number}\n")).collect();
        let rules: String = (0..rules).map(|number| format!("Disallow: /p{number}\n")).collect();
        agents + &rules
    };
    let cost = |text: String| {
        allocation_counter::measure(|| {
            let mut census = Robots::new(text.as_bytes()).census();
            census.take("https://a.example/p7");
        })
    };
    let (one, two) = (cost(text(3_000, 1_000)), cost(text(6_000, 2_000)));
    assert!(two.bytes_max * 10 <= one.bytes_max * 23, "{one:?} {two:?}");
    assert!(two.count_total * 10 <= one.count_total * 21, "{one:?} {two:?}");
    assert!(cost(text(24_000, 8_000)).bytes_max < 20 << 20);
}

#[test]
fn sites_are_told_apart_by_scheme_host_and_port() {
    let mut sites = Sites::default();
    sites.insert(Some("https".into()), "a.example".into(), 1);
    sites.insert(None, "b.example:8080".into(), 2);
    let mut finder = Finder::new(&sites);
    for (url, found) in [
        ("https://a.example/x", Some(&1)),
        ("https://A.example:443/x", Some(&1)),
        ("https://user@a.example?x", Some(&1)),
        ("http://a.example/", None),
        ("http://b.example:8080/", Some(&2)),
        ("https://B.EXAMPLE:8080", Some(&2)),
        ("https://b.example/", None),
        ("https://a.example./", None),
        ("mailto:x", None),
        ("", None),
    ] {
        assert_eq!((sites.of(url), finder.of(url), finder.of(url)), (found, found, found), "{url}");
    }
}
