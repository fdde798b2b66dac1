use super::*;

#[test]
fn the_lists_are_whole() {
    for (list, count, of) in [(LANGUAGES, 183, LANGUAGE_PAIRS), (COUNTRIES, 249, COUNTRY_PAIRS)] {
        let codes: Vec<&str> = list.split(' ').collect();
        assert!(codes.is_sorted() && codes.iter().all(|code| code.len() == 2));
        assert_eq!((codes.len(), of.iter().map(|word| word.count_ones()).sum()), (count, count as u32));
        assert!(codes.iter().all(|code| holds(&of, code.as_bytes()[0], code.as_bytes()[1])));
    }
}

#[test]
fn codes_and_their_usual_case() {
    for (text, usual) in [
        ("en", "en"),
        ("EN", "en"),
        ("De", "de"),
        ("de-AT", "de-AT"),
        ("de-at", "de-AT"),
        ("DE-AT", "de-AT"),
        ("dE-aT", "de-AT"),
        ("zh-Hant", "zh-Hant"),
        ("zh-hant", "zh-Hant"),
        ("zh-HANT", "zh-Hant"),
        ("zh-Hans-CN", "zh-Hans-CN"),
        ("ZH-hans-cn", "zh-Hans-CN"),
        ("sr-Latn", "sr-Latn"),
        // A script need not be one that we know.
        ("sr-Xyzw-RS", "sr-Xyzw-RS"),
        ("uk", "uk"),
        ("en-GB", "en-GB"),
        ("es-419", "es-419"),
        ("ES-419", "es-419"),
        ("en-001", "en-001"),
        ("fil", "fil"),
        ("Yue", "yue"),
        ("yue-hk", "yue-HK"),
        ("yue-hant-hk", "yue-Hant-HK"),
        ("ckb-Arab", "ckb-Arab"),
        ("zh-hans-001", "zh-Hans-001"),
        ("x-default", "x-default"),
        ("X-DEFAULT", "x-default"),
        ("x-Default", "x-default"),
    ] {
        let (code, is_usual) = parse(text).unwrap_or_else(|| panic!("{text}"));
        assert_eq!((code.usual().as_str(), is_usual), (usual, text == usual), "{text}");
        assert_eq!(parse(usual), Some((code, true)), "{text}");
    }
}

#[test]
fn codes_differ_where_more_than_case_does() {
    let texts = [
        "en",
        "en-GB",
        "en-Latn",
        "en-Latn-GB",
        "de",
        "de-GB",
        "x-default",
        "zh-Hans",
        "zh-Hant",
        "fil",
        "fil-PH",
        "fil-Latn",
        "fil-Latn-PH",
        "es-419",
        "es-202",
        "es-Latn-419",
        "yue-419",
        "aaz-AD",
        "aab-AO",
    ];
    let keys: std::collections::BTreeSet<u64> = texts.iter().map(|text| parse(text).unwrap().0.key()).collect();
    assert_eq!((keys.len(), keys.contains(&0)), (texts.len(), false));
}

#[test]
fn texts_that_are_not_codes_and_what_they_mean() {
    let language = |part: &str| HreflangError::Language(part.into());
    let country = |part: &str| HreflangError::Country(part.into());
    let (form, spelling) = (HreflangError::Form, HreflangError::Spelling);
    for (text, wrong, meant) in [
        ("en_US", spelling("en_US".into()), Some("en-US")),
        ("EN_us", spelling("EN_us".into()), Some("en-US")),
        ("zh_Hant_TW", spelling("zh_Hant_TW".into()), Some("zh-Hant-TW")),
        ("zh_hant-tw", spelling("zh_hant-tw".into()), Some("zh-Hant-TW")),
        ("x_default", spelling("x_default".into()), Some("x-default")),
        ("\u{a0}de ", spelling("\u{a0}de ".into()), Some("de")),
        ("en-UK", country("UK"), Some("en-GB")),
        ("en_uk", country("uk"), Some("en-GB")),
        ("en-Latn-UK", country("UK"), Some("en-Latn-GB")),
        ("es-999", country("999"), None),
        ("uk-UK", country("UK"), None),
        ("UK_uk", country("uk"), None),
        ("en-EU", country("EU"), None),
        ("sq-XK", country("XK"), None),
        ("en-USA", country("USA"), None),
        ("zh-Latin", country("Latin"), None),
        ("zh-Hant-XX", country("XX"), None),
        ("jp", language("jp"), None),
        ("GB", language("GB"), None),
        ("xx-DE", language("xx"), None),
        ("xx_YY", language("xx"), None),
        ("xx-UK", language("xx"), None),
        ("bh", language("bh"), None),
        ("sh", language("sh"), None),
        ("iw", language("iw"), None),
        ("deu", language("deu"), None),
        ("fil-PHI", country("PHI"), None),
        ("fil_ph", spelling("fil_ph".into()), Some("fil-PH")),
        ("deu-AT", language("deu"), None),
        ("xxx", language("xxx"), None),
        ("english", language("english"), None),
        ("default", language("default"), None),
        ("x-defaults", language("x"), None),
        ("e", language("e"), None),
        ("-DE", form("-DE".into()), None),
        ("de-", form("de-".into()), None),
        ("de--DE", form("de--DE".into()), None),
        ("zh-Hanx-", form("zh-Hanx-".into()), None),
        ("en-GB-oed", form("en-GB-oed".into()), None),
        ("de-AT-Latn", form("de-AT-Latn".into()), None),
        ("de AT", form("de AT".into()), None),
        ("fr, it", form("fr, it".into()), None),
        ("*", form("*".into()), None),
        ("dé", form("dé".into()), None),
        ("de-\0\0", form("de-\0\0".into()), None),
        ("", form("".into()), None),
    ] {
        assert_eq!(parse(text), None, "{text}");
        assert_eq!(error(text), wrong, "{text}");
        assert_eq!(repaired(text).map(Code::usual).as_deref(), meant, "{text}");
    }
}

/// Any two and three characters, against a search in the lists.
#[test]
fn short_texts_are_codes_only_where_the_lists_have_them() {
    let languages: Vec<&str> = LANGUAGES.split(' ').collect();
    let countries: Vec<&str> = COUNTRIES.split(' ').collect();
    for first in 0..128_u8 {
        for second in 0..128_u8 {
            let text = String::from_utf8(vec![first, second]).unwrap();
            let is_language = languages.contains(&text.to_ascii_lowercase().as_str());
            assert_eq!(parse(&text).is_some(), is_language, "{text:?}");
            let is_known = countries.contains(&text.to_ascii_uppercase().as_str());
            assert_eq!(is_country(&text), is_known, "{text:?}");
            assert_eq!(parse(&format!("de-{text}")).is_some(), is_known, "{text:?}");
            assert_eq!(parse(&format!("de-Latn-{text}")).is_some(), is_known, "{text:?}");
        }
    }
}

#[test]
fn what_may_follow_a_code() {
    // Well-formed tags of RFC 5646, appendix A, among others.
    for text in [
        "de-1996",
        "de-DE-1996",
        "sl-rozaj",
        "sl-rozaj-biske",
        "de-CH-1901",
        "hy-Latn-IT-arevela",
        "en-x-us",
        "de-CH-x-phonebk",
        "az-Arab-x-AZE-derbend",
        "en-a-bbb-x-a-ccc",
        "en-US-u-islamcal",
        "zh-CN-a-myext-x-private",
        "ar-u-nu-latn",
        "EN-X-Short",
        "es-419-x-a",
        "yue-x-1",
    ] {
        assert!(is_extended(text) && parse(text).is_none(), "{text}");
    }
    for text in [
        "",
        "de",
        "de-DE",
        "x-default",
        "x-default-a",
        "x-priv",
        "i-klingon",
        "a-DE",
        "de-419-DE",
        "en-x-",
        "en-x",
        "en-a",
        "de-1996-1996",
        "ar-a-aaa-b-bbb-a-ccc",
        "en-a-b",
        "en-x-ninechars",
        "xx-1996",
        "de-abcd-",
        "de--1996",
        "de_1996",
        "en-é-aa",
        "de-1996-DE",
        "en-u-é",
    ] {
        assert!(!is_extended(text), "{text}");
    }
}
