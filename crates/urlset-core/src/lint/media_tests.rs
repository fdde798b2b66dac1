//! Images, videos, articles and languages: findings, their ranges, and the result of the fixes.

use super::*;
use crate::diagnostic::fix::apply;
use crate::diagnostic::{Findings, Safety, Severity};
use crate::limits::Budget;
use crate::read::Reader;
use crate::value::zone::Zone;

mod news;
mod video;

/// 2026-02-01T12:00:00Z.
const NOW: i64 = 1_769_947_200_000_000;

/// A finding's code and message, and how safe its fix is.
type Reported = (&'static str, String, Option<Safety>);

/// The findings of a document, each with its code and its message, and the text after its fixes. `⟦` and `⟧` mark the
/// ranges of the findings in the text, and are checked and removed first.
fn lint(marked: &str, zone: Option<&str>) -> (Vec<Reported>, String) {
    let text: String = marked.chars().filter(|character| !matches!(character, '⟦' | '⟧')).collect();
    let settings = Settings { now: NOW, zone: zone.map(Zone::fixed), ..Settings::default() };
    let mut linter = Linter::new(None, Selection::default(), settings);
    let mut reader = Reader::new(Budget::DEFAULT, Findings::default().with_fixes());
    reader.feed(&text, &mut linter);
    reader.finish(&mut linter);
    assert_eq!(reader.fault(), None, "{text}");
    let mut findings = reader.findings();
    findings.retain(|finding| ["IMG", "VID", "NWS", "ALT"].contains(&&finding.rule.code[..3]));
    let found = findings.iter().map(|finding| {
        let start = finding.position.offset as usize;
        let end = text[start..].char_indices().nth(finding.width as usize).map_or(text.len(), |(at, _)| start + at);
        (start, end)
    });
    let mut marks: Vec<(usize, usize)> = Vec::new();
    let (mut at, mut open) = (0, Vec::new());
    for character in marked.chars() {
        match character {
            '⟦' => open.push(at),
            // One that is empty is one wide.
            '⟧' => marks.push(open.pop().map(|start| (start, at.max(start + 1))).unwrap()),
            _ => at += character.len_utf8(),
        }
    }
    marks.sort_unstable();
    let codes: Vec<_> = findings.iter().map(|finding| (finding.rule.code, finding.message.as_str())).collect();
    assert_eq!(found.collect::<Vec<_>>(), marks, "{codes:?} of {marked}");
    let reported = findings
        .iter()
        .map(|finding| {
            let safety = finding.fix.as_ref().map(|fix| fix.safety);
            (finding.rule.code, finding.message.clone(), safety)
        })
        .collect();
    let fixes = reader.into_fixes();
    (reported, apply(&text, &fixes, false).0)
}

/// A document of these entries, whose extensions have the prefixes `i`, `v`, `n` and `x`.
fn urlset(inner: &str) -> String {
    let google = "http://www.google.com/schemas/sitemap";
    format!(
        "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9' xmlns:i='{google}-image/1.1' \
         xmlns:v='{google}-video/1.1' xmlns:n='{google}-news/0.9' xmlns:x='http://www.w3.org/1999/xhtml'>{inner}\
         </urlset>"
    )
}

const LOC: &str = "<loc>https://e.com/</loc>";

fn url(inner: &str) -> String {
    format!("<url>{LOC}{inner}</url>")
}

/// An entry with a video that has what it has to have, and this.
fn video(inner: &str) -> String {
    url(&format!(
        "<v:video><v:thumbnail_loc>https://e.com/i</v:thumbnail_loc><v:title>a</v:title>\
         <v:description>b</v:description><v:content_loc>https://e.com/v</v:content_loc>{inner}</v:video>"
    ))
}

fn link(hreflang: &str, href: &str) -> String {
    format!("<x:link rel='alternate' hreflang='{hreflang}' href='{href}'/>")
}

/// Checks what is reported of an entry: the code of each finding, and a part of its message.
fn expect(entry: &str, expected: &[(&str, &str)]) {
    let (reported, _) = lint(&urlset(entry), None);
    let codes: Vec<_> = reported.iter().map(|(code, ..)| *code).collect();
    assert_eq!(codes, expected.iter().map(|(code, _)| *code).collect::<Vec<_>>(), "{reported:?} of {entry}");
    for ((_, message, _), (_, part)) in reported.iter().zip(expected) {
        assert!(message.contains(part), "{message:?} of {entry}");
    }
}

/// Checks an entry after its safe fixes.
fn expect_fixed(entry: &str, zone: Option<&str>, expected: &str) {
    let (_, fixed) = lint(&urlset(entry), zone);
    assert_eq!(fixed, urlset(expected));
}

#[test]
fn images_and_their_dropped_children() {
    let image = |inner: &str| format!("<i:image><i:loc>https://e.com/{inner}</i:image>");
    let old =
        image("1</i:loc>⟦<⟧i:caption>a</i:caption>⟦<⟧i:geo_location/>⟦<⟧i:title>b</i:title>⟦<⟧i:license>c</i:license>");
    let again = image("2</i:loc><i:caption>d</i:caption><i:title>e</i:title>");
    expect(
        &format!("{}{}", url(&format!("{old}{again}")), url(&again)),
        &[("IMG003", "caption"), ("IMG003", "geo_location"), ("IMG003", "title"), ("IMG003", "license")],
    );
}

#[test]
fn images_twice_and_out_of_order() {
    let picture = |at: usize| format!("<i:image><i:loc>https://e.com/{at}</i:loc></i:image>");
    let marked = "<i:image><i:loc>⟦https://e.com/<![CDATA[1]]>⟧</i:loc></i:image>";
    for more in [0, 61, 62, 200] {
        let many: String = (10..10 + more).map(picture).collect();
        let entry = url(&format!("{}{}{many}{marked}{marked}", picture(1), picture(2)));
        expect(&entry, &[("IMG005", "already"), ("IMG005", "already")]);
        // Of another entry it is another.
        expect(&format!("{}{}", url(&picture(1)), url(&picture(1))), &[]);
    }
    expect(
        &url("<i:image><i:license>a</i:license>⟦<⟧i:title>b</i:title><i:loc>https://e.com/1</i:loc></i:image>")
            .replace("<i:license", "⟦<⟧i:license")
            .replace("⟦<⟧i:title", "⟦⟦<⟧⟧i:title"),
        &[("IMG003", "license"), ("IMG003", "title"), ("IMG005", "`title` comes after `license`")],
    );
}

#[test]
fn the_rules_of_sitemap_media_do_not_apply_to_feeds() {
    let media = "<m:content medium='image' url='https://e.com/i'/><m:title>a</m:title>";
    let item = format!("<link>https://e.com/</link>{media}<m:content medium='video' url='https://e.com/'/>");
    let feed = format!("<channel><item>{item}</item></channel>");
    let text = format!("<rss version='2.0' xmlns:m='http://search.yahoo.com/mrss/'>{feed}</rss>");
    assert_eq!(lint(&text, None), (vec![], text.clone()));
    // They are read anyway.
    let bad = text.replace("https://e.com/i", "⟦/i⟧").replace("https://e.com/'/>", "https://e.com/v'/>");
    assert_eq!(lint(&bad, None).0[0].0, "IMG004");
}

/// ALT008 is about the document, and is reported at its beginning.
fn with_default(links: &str) -> String {
    url(&format!("{links}{}", link("x-default", "https://e.com/")))
}

#[test]
fn codes_of_languages() {
    for (text, fixed, message) in [
        ("en_GB", "en-GB", "is not how a code is written"),
        ("en-UK", "en-GB", "UK is not a country"),
        ("uk-UK", "uk-UK", "UK is not a country"),
        ("deu", "deu", "deu is not a language"),
        ("jp", "jp", "jp is not a language"),
        ("-DE", "-DE", "is not a language code"),
        ("fr, it", "fr, it", "is not a language code"),
        ("&lt;&amp;", "&lt;&amp;", "is not a language code"),
    ] {
        let bad = with_default(&link(&format!("⟦{text}⟧"), "https://e.com/"));
        expect(&bad, &[("ALT002", message)]);
        expect_fixed(&bad, None, &with_default(&link(fixed, "https://e.com/")));
    }
    for (text, fixed) in [("EN", "en"), ("de-at", "de-AT"), ("ZH-hant-tw", "zh-Hant-TW"), ("&#68;E", "de")] {
        let bad = with_default(&link(&format!("⟦{text}⟧"), "https://e.com/"));
        expect(&bad, &[("ALT003", fixed)]);
        expect_fixed(&bad, None, &with_default(&link(fixed, "https://e.com/")));
    }
    for text in ["es-419", "fil", "yue-Hant-HK"] {
        let rare = with_default(&link(&format!("⟦{text}⟧"), "https://e.com/"));
        expect(&rare, &[("ALT010", "does not document")]);
    }
    // Beside the code that it would become, a code stays.
    let both = format!("{}{}", link("⟦en-UK⟧", "https://e.com/"), link("en-gb", "https://e.com/a"));
    let both = with_default(&both.replace("en-gb", "en-GB"));
    expect(&both, &[("ALT002", "UK")]);
    expect_fixed(&both, None, &both.replace(['⟦', '⟧'], ""));
    // Of a link that is not an alternate, only the rel is checked.
    let other = link("xx", "https://e.com/a");
    expect(&with_default(&other.replace("alternate", "⟦amphtml⟧")), &[("ALT001", "amphtml")]);
    expect(&with_default(&other.replace("alternate", "ALTERNATE").replace("xx", "⟦xx⟧")), &[("ALT002", "xx")]);
}

#[test]
fn a_page_lists_itself() {
    let check = |entry: &str, expected: &[(&str, &str)]| {
        let marked = entry.replacen("<url>", "⟦<⟧url>", 1);
        expect(if expected.is_empty() { entry } else { &marked }, expected);
    };
    let missing = [("ALT004", "its own loc")];
    check(&url(&link("x-default", "https://e.com")), &[]);
    check(&url(&link("x-default", "HTTPS://E.com:443/#")), &missing);
    check(&url(&link("x-default", "https://e.com/a")), &missing);
    check(&url(&link("x-default", "https://e.com/")), &[]);
    check(&url(&link("x-default", "https://e.com&#x2f;")), &[]);
    check(&url("<x:link rel='alternate' media='print' href='https://e.com/p'/>"), &[]);
    // An invalid loc or href is reported instead.
    check(&url(&link("x-default", "https://e.com/a")).replacen(LOC, "<loc>/</loc>", 1), &[]);
    check(&url(&link("x-default", "https://e.com/a")).replacen(LOC, "", 1), &[]);
    expect(&url(&link("x-default", "⟦/⟧")), &[("ALT007", "href")]);
    let amp = "<x:link rel='amphtml' href='https://e.com/'/>";
    check(&url(&format!("{amp}{}", link("x-default", "https://e.com/a"))), &missing);
    let without_rel = "⟦<⟧x:link hreflang='de' href='https://e.com/'/>";
    expect(&with_default(without_rel), &[("ALT001", "rel")]);
}

#[test]
fn one_code_has_one_href() {
    let (here, there) = ("https://e.com/", "https://e.com/a");
    for (first, later, href, is_reported) in [
        ("de", "de", there, true),
        ("de", "DE", there, true),
        ("x-default", "X-default", there, true),
        ("de-AT", "de-at", there, true),
        ("de", "de", here, false),
        ("de", "de-AT", there, false),
        ("de-AT", "de-Latn-AT", there, false),
        // Each of those is reported already.
        ("xx", "xx", there, false),
    ] {
        for more in [0, 40, 61, 62, 63, 300] {
            // Scripts that do not exist yet.
            let letter = |number: usize| char::from(b'a' + (number % 26) as u8);
            let others = (0..more).map(|at| link(&format!("en-Qq{}{}", letter(at / 26), letter(at)), there));
            let mut entry = link(first, here) + &others.collect::<String>() + &link(later, href);
            if first != "x-default" {
                entry += &link("x-default", here);
            }
            let text: String = urlset(&url(&entry));
            let settings = Settings { now: NOW, ..Settings::default() };
            let mut linter = Linter::new(None, Selection::default(), settings);
            let mut reader = Reader::new(Budget::DEFAULT, Findings::default());
            reader.feed(&text, &mut linter);
            reader.finish(&mut linter);
            let findings = reader.findings();
            let found: Vec<_> = findings.iter().filter(|finding| finding.rule.code == "ALT006").collect();
            assert_eq!(found.len(), usize::from(is_reported), "{first} {later} {more}");
            for finding in found {
                let offset = text.rfind(&format!("'{later}'")).unwrap() + 1;
                assert_eq!((finding.position.offset as usize, finding.width as usize), (offset, later.len()));
                assert_eq!(finding.message, format!("the entry has {later} already, with the href {here}"));
            }
        }
    }
}

#[test]
fn disabled_rules_report_nothing() {
    let none = Selection::new([("LOC001", Severity::Error)].into_iter());
    let mut linter = Linter::new(None, none, Settings { now: NOW, ..Settings::default() });
    let mut reader = Reader::new(Budget::DEFAULT, Findings::default());
    let links = link("EN", "https://e.com/a") + &link("en", "https://e.com/b") + &link("en_GB", "https://e.com/c");
    let old = "<i:image><i:title/><i:loc>/i</i:loc></i:image><i:image/><x:link/><v:video/>";
    let entry =
        video("<v:live>1</v:live><v:rating>9</v:rating><v:category>a</v:category><v:restriction>de</v:restriction>")
            .replace("<v:title>a</v:title>", "")
            .replace(LOC, &format!("{LOC}{old}{links}<n:news><n:genres/></n:news>"));
    reader.feed(&urlset(&entry), &mut linter);
    reader.finish(&mut linter);
    assert_eq!(reader.counts().keys().collect::<Vec<_>>(), [] as [&&str; 0]);
}
