use encoding_rs::{Encoding, UTF_8};

use super::*;

/// The document in a charset, declared as `label`.
fn encoded(label: &str, charset: &'static Encoding, text: &str) -> Vec<u8> {
    let text = text.replace("UTF-8", label);
    let (bytes, _, failed) = charset.encode(&text);
    assert!(!failed, "{label}");
    bytes.into_owned()
}

fn utf16(text: &str, little: bool) -> Vec<u8> {
    text.encode_utf16().flat_map(|unit| if little { unit.to_le_bytes() } else { unit.to_be_bytes() }).collect()
}

#[test]
fn declared_charsets() {
    for (label, text, named) in [
        ("ISO-8859-1", "äöüß", "declared as \"ISO-8859-1\""),
        ("windows-1252", "“€”", "declared as \"windows-1252\""),
        ("ISO-8859-2", "žluťoučký", "declared as \"ISO-8859-2\""),
        ("windows-1251", "Відео", "declared as \"windows-1251\""),
        ("KOI8-R", "страница", "declared as \"KOI8-R\""),
        ("windows-874", "หน้าแรก", "declared as \"windows-874\""),
        ("GBK", "网站地图", "in GBK"),
        ("gb2312", "网站", "in GBK"),
        ("GB18030", "网站𠀀", "in gb18030"),
        ("Big5", "網站", "in Big5"),
        ("Shift_JIS", "サイトマップ表", "in Shift_JIS"),
        ("EUC-JP", "日本語", "in EUC-JP"),
        ("ISO-2022-JP", "日本語", "in ISO-2022-JP"),
        ("EUC-KR", "사이트맵", "in EUC-KR"),
    ] {
        let charset = Encoding::for_label(label.as_bytes()).unwrap();
        let seen = read(&encoded(label, charset, &document(text)));
        assert_eq!((&seen.locs, &seen.fault, seen.is_recovered), (&locs(text), &None, false), "{label}");
        let message = format!("the document is {named}; a sitemap has to be UTF-8");
        assert_eq!(seen.findings, [("XML002", 1, 1, message)]);
    }
}

#[test]
fn declared_utf8_has_no_finding() {
    for label in ["utf-8", "UTF8", "unicode-1-1-utf-8", " utf-8 "] {
        assert_fine(&read(document("é").replace("UTF-8", label).as_bytes()), "é");
    }
    assert_fine(&read(document("e").replace("UTF-8", "US-ASCII").as_bytes()), "e");
}

#[test]
fn declarations_that_the_bytes_contradict() {
    for (label, text, codes, recovered) in [
        ("ISO-8859-1", "é", vec![("XML002", 1, 1), ("XML004", 4, 28)], false),
        ("windows-1251", "ещё", vec![("XML002", 1, 1), ("XML004", 4, 28)], false),
        ("us-ascii", "é", vec![("XML004", 4, 28)], false),
        ("UTF-16", "é", vec![("XML004", 1, 1)], false),
        ("utf-7", "é", vec![("XML004", 1, 1)], false),
        ("iso-2022-kr", "é", vec![("XML004", 1, 1)], false),
        ("", "é", vec![("XML004", 1, 1)], true),
        ("no such charset", "é", vec![("XML004", 1, 1)], true),
        ("ISO-8859-1", "e", vec![("XML002", 1, 1)], false),
    ] {
        let seen = read(document(text).replace("UTF-8", label).as_bytes());
        assert_eq!((seen.codes(), seen.is_recovered, &seen.fault), (codes, recovered, &None), "{label}");
        assert_eq!(seen.locs, locs(text));
    }
    let latin = Encoding::for_label(b"latin1").unwrap();
    let seen = read(&encoded("us-ascii", latin, &document("é")));
    assert_eq!((seen.codes(), seen.locs), (vec![("XML002", 4, 28)], locs("é")));
    assert_eq!(read(&encoded("UTF-8", latin, &document("é"))).locs, locs("\u{fffd}"));
}

#[test]
fn a_long_run_is_detected_by_its_beginning() {
    let latin = Encoding::for_label(b"latin1").unwrap();
    for (text, charset) in [("é".repeat(200), UTF_8), ("é".repeat(200), latin), ("é日本".repeat(70), UTF_8)] {
        assert_eq!(read(&encoded("latin1", charset, &document(&text))).locs, locs(&text));
    }
    // It begins as UTF-8 and goes on otherwise.
    let (mut bytes, wrong) = (encoded("latin1", UTF_8, &document(&"é".repeat(40))), 0xe9);
    let offset = bytes.len() - 35;
    bytes[offset] = wrong;
    assert!(read(&bytes).locs[2].contains('\u{fffd}'));
}

#[test]
fn utf_16() {
    for little in [true, false] {
        let name = if little { "UTF-16LE" } else { "UTF-16BE" };
        let about = ("XML002", 1, 1, format!("the document is in {name}; a sitemap has to be UTF-8"));
        let text = document("é日𠀀").replace("UTF-8", "UTF-16");
        for start in ["", "\u{feff}"] {
            let seen = read(&utf16(&format!("{start}{text}"), little));
            assert_eq!((seen.findings, seen.fault), (vec![about.clone()], None));
            assert_eq!(seen.locs, locs("é日𠀀"));
        }
        let seen = read(&utf16(&document("é"), little));
        assert_eq!((seen.codes(), seen.locs), (vec![("XML002", 1, 1), ("XML004", 1, 1)], locs("é")));
        let seen = read(&utf16(&format!("\u{feff}\u{feff}{text}"), little));
        assert_eq!((seen.codes(), seen.is_recovered), (vec![("XML002", 1, 1), ("XML004", 1, 1)], true));
        let bare = text.split_once('\n').unwrap().1;
        let seen = read(&utf16(&format!(" \n{bare}"), little));
        assert_eq!((seen.findings, seen.locs), (vec![about], locs("é日𠀀")));
    }
    // Half a pair, and half a unit at the end.
    let mut bytes = utf16("\u{feff}<urlset>@</urlset>", true);
    let offset = bytes.iter().position(|byte| *byte == b'@').unwrap();
    (bytes[offset], bytes[offset + 1]) = (0, 0xd8);
    bytes.push(b'x');
    let seen = read(&bytes);
    let codes: Vec<_> = seen.codes().into_iter().filter(|(code, ..)| *code == "XML002").collect();
    assert_eq!(codes[..2], [("XML002", 1, 1), ("XML002", 1, 9)]);
    assert!(seen.is_recovered);
}

#[test]
fn byte_order_marks() {
    let seen = read(format!("\u{feff}{}", document("é")).as_bytes());
    assert_fine(&seen, "é");
    let seen = read(format!("\u{feff}\u{feff}\u{feff}{}", document("é")).as_bytes());
    assert_eq!((seen.locs, seen.is_recovered), (locs("é"), true));
    assert_eq!(seen.findings, [("XML004", 1, 1, "3 byte order marks at the beginning; there may be only one".into())]);
    let seen = read(format!("\u{feff}{}", document("é").replace("UTF-8", "GBK")).as_bytes());
    assert_eq!((seen.codes(), seen.locs, seen.is_recovered), (vec![("XML004", 1, 1)], locs("é"), false));
    for marks in ["", "\u{feff}", "\u{feff}\u{feff}"] {
        assert_eq!(read(marks.as_bytes()).fault.unwrap().3, "it is empty");
    }
    // Not at the beginning it is a character.
    assert_eq!(read(document("\u{feff}x").as_bytes()).locs[2], "http://a.example/\u{feff}x");
}

#[test]
fn bytes_that_mean_nothing() {
    let text = document("@a@b");
    let [start, middle, end] = text.split('@').collect::<Vec<_>>().try_into().unwrap();
    let with =
        |first: &[u8], second: &[u8]| [start.as_bytes(), first, middle.as_bytes(), second, end.as_bytes()].concat();
    for (bad, replaced) in [
        (b"\xfc".as_slice(), 1),
        (b"\xc0\xaf", 2),
        (b"\xed\xa0\xbd\xed\xb8\x80", 6),
        (b"\xf4\x90\x80\x80", 4),
        (b"\xe2\x82", 1),
        (b"\xf0\x9f\x98\xff", 2),
        (b"\x80\x80\x80\xe2\x82\xff", 5),
    ] {
        let seen = read(&with(bad, b"\xff"));
        let signs = "\u{fffd}".repeat(replaced);
        assert_eq!((seen.locs, seen.fault, seen.is_recovered), (locs(&format!("{signs}a\u{fffd}b")), None, true));
        let message = |byte: u8| format!("the byte 0x{byte:02X} here is not UTF-8");
        let second = 28 + replaced as u32 + 1;
        assert_eq!(seen.findings, [("XML002", 4, 28, message(bad[0])), ("XML002", 4, second, message(0xff))]);
    }
    for (label, bad) in
        [("windows-1253", b"\xaa".as_slice()), ("Shift_JIS", b"\xa0"), ("EUC-KR", b"\xff"), ("GBK", b"\xff")]
    {
        let bytes = with(bad, b"");
        let declared = String::from_utf8_lossy(&bytes[..40]).replace("UTF-8", label);
        let seen = read(&[declared.as_bytes(), &bytes[40..]].concat());
        assert_eq!((seen.locs, seen.is_recovered), (locs("\u{fffd}ab"), true), "{label}");
        let name = Encoding::for_label(label.as_bytes()).unwrap().name();
        assert_eq!(seen.findings[1], ("XML002", 4, 28, format!("the byte 0x{:02X} here is not {name}", bad[0])));
    }
}

#[test]
fn a_document_that_ends_inside_a_character() {
    let text = document("é");
    let seen = read(&text.as_bytes()[..text.find('é').unwrap() + 1]);
    assert_eq!((seen.codes(), seen.is_recovered), (vec![("XML002", 4, 28)], true));
    let (kind, line, column, _) = seen.fault.unwrap();
    assert_eq!((kind, line, column), (FaultKind::Truncated, 4, 1));
}
