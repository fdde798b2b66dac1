//! Articles.

use super::*;

const PUBLICATION: &str = "<n:publication><n:name>a</n:name><n:language>en</n:language></n:publication>";
const DATE: &str = "<n:publication_date>2026-01-31</n:publication_date>";
const TITLE: &str = "<n:title>a</n:title>";

fn news(inner: &str) -> String {
    url(&format!("<n:news>{inner}</n:news>"))
}

fn article(language: &str, date: &str) -> String {
    let date = format!("<n:publication_date>{date}</n:publication_date>");
    news(&format!("{}{date}{TITLE}", PUBLICATION.replace("en<", &format!("{language}<"))))
}

#[test]
fn articles_that_lack_something() {
    expect(&news(&format!("{PUBLICATION}{DATE}{TITLE}")), &[]);
    expect(&news(&format!("{TITLE}{DATE}{PUBLICATION}")), &[]);
    for (inner, message) in [
        (format!("{PUBLICATION}{DATE}"), "the article has no title"),
        (PUBLICATION.to_owned(), "the article has no publication_date, no title"),
        (format!("{DATE}{TITLE}"), "the article has no publication"),
        (format!("{DATE}<!-- <n:publication> -->"), "the article has no publication, no title"),
        ("<n:publication><n:name>a</n:name></n:publication>".to_owned() + DATE, "no publication's language, no title"),
    ] {
        expect(&news(&inner).replace("<n:news>", "⟦<⟧n:news>"), &[("NWS001", message)]);
    }
    for (publication, message) in [
        ("⟦<⟧n:publication><n:name>a</n:name></n:publication>", "the article has no publication's language"),
        ("<n:publication><n:name>⟦⟧</n:name><n:language>en</n:language></n:publication>", "publication's name"),
        ("⟦<⟧n:publication/>", "the article has no publication's name, no publication's language"),
    ] {
        expect(&news(&format!("{publication}{DATE}{TITLE}")), &[("NWS001", message)]);
    }
    let empty = "<n:title><![CDATA[a]]></n:title><n:publication_date>⟦⟧ </n:publication_date>";
    expect(&news(&format!("{PUBLICATION}{empty}")), &[("NWS001", "no publication_date")]);
}

#[test]
fn languages_of_articles() {
    for text in ["en", "fil", "zh-cn", "zh-tw", "zh", " de "] {
        expect(&article(text, "2026-02-01"), &[]);
    }
    for (text, fixed) in [
        ("EN", "en"),
        ("zh-CN", "zh-cn"),
        ("zh_TW", "zh-tw"),
        ("zh-hant-tw", "zh-tw"),
        // What is lost, or a guess, is not safe.
        ("en-US", "en-US"),
        ("pt_BR", "pt_BR"),
        ("zh-Hans-SG", "zh-Hans-SG"),
        ("zh-hant", "zh-hant"),
        ("zh-HK", "zh-HK"),
        ("sr-Latn-RS", "sr-Latn-RS"),
        ("English", "English"),
        ("e", "e"),
        ("en, de", "en, de"),
        ("-US", "-US"),
    ] {
        let bad = article(&format!("⟦{text}⟧"), "2026-02-01");
        expect(&bad, &[("NWS004", "small letters")]);
        expect_fixed(&bad, None, &article(fixed, "2026-02-01"));
    }
    for text in ["xx", "xxx"] {
        expect(&article(&format!("⟦{text}⟧"), "2026-02-01"), &[("NWS004", "not the code of a language")]);
    }
}

#[test]
fn dates_of_articles() {
    for text in [
        "2026-01-30T12:00:00Z",
        "2026-01-30T13:00+01:00",
        "2026-01-31",
        "2026-01-30",
        "2026-02-01T12:00:00Z",
        "2026-02-02",
    ] {
        expect(&article("en", text), &[]);
    }
    for text in ["2026-01-30T11:59:59Z", "2026-01-30T11:59:59.999999Z", "2026-01-29"] {
        expect(&article("en", &format!("⟦{text}⟧")), &[("NWS002", "more than 2 days ago")]);
    }
    for text in ["2026-02-01T12:00:00.000001Z", "2026-02-01T12:00:01Z", "2026-02-03"] {
        expect(&article("en", &format!("⟦{text}⟧")), &[("NWS005", "in the future")]);
    }
    for text in ["2026-02", "2026", "2025-12", "2027"] {
        expect(&article("en", &format!("⟦{text}⟧")), &[("NWS005", "is not a day")]);
    }
    for (text, fixed) in [
        ("2026-01-31T08:00:00", "2026-01-31T08:00:00+01:00"),
        ("2026-01-31T08:00:00+0200", "2026-01-31T08:00:00+02:00"),
        ("2026-02-30", "2026-02-30"),
        ("this morning", "this morning"),
    ] {
        let (reported, fixed_text) = lint(&urlset(&article("en", &format!("⟦{text}⟧"))), Some("+01:00"));
        assert_eq!((reported.len(), reported[0].0, fixed_text), (1, "NWS005", urlset(&article("en", fixed))), "{text}");
    }
}

#[test]
fn dropped_children_of_articles() {
    let old = format!(
        "{PUBLICATION}<n:access>a</n:access><n:genres/>{DATE}{TITLE}<n:keywords>b</n:keywords><n:stock_tickers>c\
         </n:stock_tickers>"
    );
    let mut marked = old.clone();
    for name in ["access", "genres", "keywords", "stock_tickers"] {
        marked = marked.replace(&format!("<n:{name}"), &format!("⟦<⟧n:{name}"));
    }
    let names = ["access", "genres", "keywords", "stock_tickers"];
    expect(&format!("{}{}", news(&marked), news(&old)), &names.map(|name| ("NWS006", name)));
}
