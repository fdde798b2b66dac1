use std::collections::{HashMap, HashSet};

use super::escapes::{escape, room_for, room_without_escapes, unescape};
use super::*;
use crate::value::identity::normalized;

#[test]
fn a_glance_agrees_with_the_grammar() {
    let characters = ["https://", "http://", "a", "B", ".", "/", ":", "8", "%", "é", " ", "[", "]", "?", "#", "@", "<"];
    for number in 0..characters.len().pow(4) {
        let pick = |power: u32| characters[number / characters.len().pow(power) % characters.len()];
        let loc = format!("{}{}{}{}/{}", pick(0), pick(1), pick(2), pick(3), pick(1));
        if glance(&loc).is_some() {
            assert_eq!(check_grammar(&loc), Ok(()), "{loc}");
            assert_eq!(parts(&loc).map(|parts| parts.rest), glance(&loc).map(|seen| &loc[seen.path..]), "{loc}");
        }
    }
    assert!(glance("https://www.example.com/a%20b?c=d&e#f").is_some());
}

#[test]
fn what_plainly_has_no_traits_has_none() {
    let (mut plain, mut all) = (0, 0);
    for (length, path) in
        [(1, 0), (15, 9), (16, 0), (17, 8), (31, 8), (47, 8), (48, 1), (49, 1), (60, 12), (61, 12), (90, 20)]
    {
        for at in path..length {
            for byte in 0..=u8::MAX {
                let mut text = vec![b'a'; length];
                text[at] = byte;
                let bits = traits::of_path(&text[path..]);
                let seen = traits::at_once(&text, path);
                assert!(seen.is_none_or(|seen| seen == bits), "{byte:#x} at {at} of {length}");
                plain += usize::from(length >= 17 && seen == Some(0));
            }
            all += usize::from(length >= 17);
        }
    }
    // Letters, digits and `()*+,-./:;=?_`.
    assert_eq!(plain, (26 + 26 + 10 + 13) * all);
    assert!(is_plain(b"", 0) && is_plain(b"/~a", 0));
}

fn is_plain(text: &[u8], path: usize) -> bool {
    traits::at_once(text, path) == Some(0)
}

#[test]
fn traits_are_the_same_in_one_look_and_byte_by_byte() {
    let pieces = [
        "a",
        "tea/",
        "é",
        "字",
        "%C3%A9",
        "%",
        "&a=",
        "?",
        "/.",
        ".",
        "'",
        "~",
        "|",
        "#",
        "@",
        " ",
        "\u{7f}",
        "<",
        "of-sixteen-bytes",
        "-of-a-path-that-is-longer-than-the-usual-ones-of-48",
    ];
    let mut at_once = [0; 3];
    for seed in 1..20_000 {
        let mut numbers = crate::tests::Numbers(seed);
        let (origin, of) =
            (["https://e.com/", "https://www.example.com/"][numbers.below(2) as usize], 1 + numbers.below(20));
        let rest: String = (0..numbers.below(9)).map(|_| pieces[numbers.below(of) as usize]).collect();
        let (loc, path) = (format!("{origin}{rest}"), origin.len() - 1);
        let bits = traits::of_path(&loc.as_bytes()[path..]);
        assert_eq!(traits::of_rest(loc.as_bytes(), path), bits, "{loc}");
        let seen = traits::at_once(loc.as_bytes(), path);
        assert!(seen.is_none_or(|seen| seen == bits), "{loc}");
        at_once[seen.map_or(2, |seen| usize::from(seen != 0))] += 1;
    }
    assert!(at_once.into_iter().all(|number| number > 1_000), "{at_once:?}");
}

#[test]
fn a_dot_behind_a_slash_is_seen_wherever_it_stands() {
    for (length, path) in [(9, 1), (16, 8), (17, 8), (18, 8), (48, 8), (49, 8), (50, 8), (60, 12), (61, 12), (200, 20)]
    {
        let mut text = vec![b'a'; length];
        text[path] = b'/';
        for at in path + 1..length {
            let mut dotted = text.clone();
            dotted[at - 1] = b'/';
            dotted[at] = b'.';
            assert!(!is_plain(&dotted, path), "at {at} of {length}");
            dotted[at - 1] = b'a';
            assert!(at == path + 1 || is_plain(&dotted, path), "at {at} of {length}");
        }
    }
}

#[test]
fn a_path_is_behind_an_origin_if_the_loc_begins_with_it() {
    for length in [0, 1, 8, 15, 16, 17, 24, 31, 32, 33, 50] {
        let known: String = ('a'..='z').cycle().take(length).collect();
        for at in 0..length + 2 {
            let mut loc = format!("{known}/path");
            loc.replace_range(at..=at, "A");
            let expected = (length > 0 && at >= length).then(|| length - 1);
            assert_eq!(path_behind(&known, loc.as_bytes()), expected, "{known} and {loc}");
            assert_eq!(
                path_behind(&known, &loc.as_bytes()[..at]),
                expected.filter(|_| at >= length),
                "{known} and {}",
                &loc[..at]
            );
        }
    }
}

#[test]
fn equal_locs_have_equal_hashes_and_others_do_not() {
    let mut hashes = HashSet::new();
    let mut places = HashSet::new();
    let mut locs: Vec<String> =
        ["", "a", "https:", "https://", "https://a", "https://a/", "http://a/", "http:///", "https:/a//"]
            .map(str::to_owned)
            .into();
    for origin in ["http://a.b", "https://www.example.com"] {
        for length in 0..120 {
            locs.push(format!("{origin}/{}", "a".repeat(length)));
        }
        for number in 0..20_000 {
            locs.push(format!("{origin}/{number}"));
            locs.push(format!("{origin}/shop/tea/{number:08}/a-name-of-so-many"));
            locs.push(format!("{origin}/shop/tea/{number:08}/a-name/of-so-many-letters-that-it-is-long"));
        }
    }
    for loc in &locs {
        assert!(hashes.insert(hash(1, loc)), "{loc}");
        places.insert(hash(1, loc) & 0xffff);
        let path = loc.find("//").and_then(|at| Some(at + 3 + loc.get(at + 3..)?.find('/')?));
        if let Some(path) = path.filter(|path| plain_origin(loc) == Some(*path)) {
            assert_eq!(hash_behind(hash_of(1, &loc.as_bytes()[..path]), loc.as_bytes(), path), hash(1, loc), "{loc}");
        }
    }
    // With so many hashes a few hundredths more or less of the places would be a bad hash.
    let expected = 65_536.0 * (1.0 - (-(locs.len() as f64) / 65_536.0).exp());
    assert!((places.len() as f64 / expected - 1.0).abs() < 0.01, "{} and {expected}", places.len());
}

#[test]
fn fine_locs() {
    let long = format!("https://example.com/{}", "é".repeat(LOC_CHARS - 1 - 20));
    for loc in [
        "http://a.io/",
        "https://example.com",
        "HTTPS://EXAMPLE.COM/",
        "https://example.com:8443/a?b=c&d=e#f",
        "https://user:pass@example.com/",
        "https://[::1]:80/x",
        "https://[v1.a]/",
        "https://例え.jp/パス",
        "https://https/",
        "https://https.example//a",
        "https://e.com/a|b{c}",
        &long,
    ] {
        assert_eq!(check(loc), Ok(()), "{loc}");
    }
}

#[test]
fn each_error() {
    let long = format!("https://example.com/{}", "é".repeat(LOC_CHARS - 20));
    for (loc, expected) in [
        ("", LocError::Empty),
        ("/path", LocError::Relative),
        ("//example.com/", LocError::Relative),
        ("www.example.com/", LocError::Relative),
        ("example.com:8080/", LocError::Relative),
        ("?q=http://x/", LocError::Relative),
        ("mailto:a@b.c", LocError::Scheme),
        ("ftp://example.com/", LocError::Scheme),
        ("javascript:alert(1)", LocError::Scheme),
        ("http:", LocError::Host),
        ("http://", LocError::Host),
        ("http:///path", LocError::Host),
        ("http://:80/", LocError::Host),
        ("http://u@/a", LocError::Host),
        ("https://https://example.com/", LocError::TwoSchemes),
        ("http://https//example.com/", LocError::TwoSchemes),
        ("HTTPS://HTTP://example.com/ a", LocError::TwoSchemes),
        ("https://example..com/", LocError::HostName),
        ("https://exa%20mple.com/", LocError::HostName),
        ("https://[1:2]/", LocError::HostName),
        ("https://[::1/", LocError::HostName),
        ("https://exa mple.com/", LocError::HostCharacter(' ')),
        ("https://e.com:65536/", LocError::Port),
        ("https://e.com:tea/", LocError::Port),
        ("https://example.com/a b", LocError::Character(' ')),
        (" https://example.com/", LocError::Character(' ')),
        ("https://example.com/\u{1}", LocError::Character('\u{1}')),
        (&long, LocError::TooLong(LOC_CHARS)),
    ] {
        assert_eq!(check(loc), Err(expected), "{loc:?}");
    }
}

#[test]
fn requested_paths() {
    for (rest, path) in [
        ("", "/"),
        ("?a/b", "/"),
        ("/a/b?c/../d", "/a/b"),
        ("/a/../b", "/b"),
        ("/a/./b/.", "/a/b/"),
        ("/a/b/..", "/a/"),
        ("/../../a", "/a"),
        ("/%2e%2E/a", "/a"),
        ("/a/.../..b", "/a/.../..b"),
        ("/%73hop/%c3%89/É//", "/shop/%C3%89/%C3%89//"),
    ] {
        assert_eq!(requested_path(rest), path, "{rest}");
    }
    for (path, may) in [("a/../b", true), ("../b", true), ("%2e%2E/a", true), ("a.b/c%20d", false), ("", false)] {
        assert_eq!(may_have_dots(path), may, "{path}");
    }
}

#[test]
fn host_names() {
    for (loc, host) in [
        ("https://example.com/a", Some("example.com")),
        ("https://u:p@Example.com:8443/a", Some("Example.com")),
        ("https://[::1]:80/x", Some("[::1]")),
        ("https://[::1]/x", Some("[::1]")),
        ("/a", None),
        ("http:", None),
    ] {
        assert_eq!(host_name(loc), host, "{loc}");
    }
}

#[test]
fn characters_beyond_ascii_are_escaped_wherever_they_stand() {
    let pieces = ["a", "é", "字", "🍵", "~", "bcdefgh"];
    for seed in 1..2_000 {
        let mut numbers = crate::tests::Numbers(seed);
        let text: String = (0..numbers.below(70)).map(|_| pieces[numbers.below(6) as usize]).collect();
        let escaped: Vec<u8> = text
            .bytes()
            .flat_map(|byte| if byte.is_ascii() { vec![byte] } else { format!("%{byte:02X}").into_bytes() })
            .collect();
        let mut room = vec![b'!'; room_for(text.len())];
        let length = escape(text.as_bytes(), &mut room);
        assert_eq!(&room[..length], escaped, "{text}");
        let mut pushed = "/".to_owned();
        push_encoded(&text, &mut pushed);
        assert_eq!(&pushed.as_bytes()[1..], escaped, "{text}");
    }
}

#[test]
fn escapes_beyond_ascii_become_bytes_wherever_they_stand() {
    let pieces =
        ["a", "é", "字", "%C3%A9", "%E5", "%25", "%7F", "bcdefgh", "-sixteen-of-path", "%c3", "%7E", "%C", "%"];
    let mut refused = 0;
    for seed in 1..10_000 {
        let mut numbers = crate::tests::Numbers(seed);
        let of = if numbers.below(2) == 0 { 9 } else { 13 };
        let text: String = (0..numbers.below(20)).map(|_| pieces[numbers.below(of) as usize]).collect();
        let mut normal = String::new();
        push_encoded(&text, &mut normal);
        // No escape was changed.
        let is_normal = normal == text.replace('é', "%C3%A9").replace('字', "%E5%AD%97");
        let mut bytes = Vec::new();
        for (number, piece) in normal.split('%').enumerate() {
            match piece.get(..2).filter(|_| number > 0).and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
                Some(byte @ 0x80..) => bytes.extend([&[byte], &piece.as_bytes()[2..]].concat()),
                _ => bytes.extend(if number > 0 { ["%", piece].concat() } else { piece.to_owned() }.into_bytes()),
            }
        }
        let mut room = vec![b'!'; room_without_escapes(text.len())];
        let found = unescape(text.as_bytes(), &mut room).map(|length| &room[..length]);
        assert_eq!(found, is_normal.then_some(&*bytes), "{text}");
        refused += usize::from(!is_normal);
    }
    assert!((1_000..9_000).contains(&refused), "{refused}");
}

#[test]
fn spellings_of_one_loc_have_one_hash_and_other_locs_have_others() {
    let pieces = ["é", "%C3%A9", "%c3%a9", "%C3", "A9", "%25", "%25C3", "%", "a", "%61", "%2F", "/", "字-of-sixteen-b"];
    let (mut known, mut hashes) = (HashMap::new(), HashSet::new());
    let mut quick = 0;
    for seed in 1..40_000 {
        let mut numbers = crate::tests::Numbers(seed);
        let origin = ["https://e.com", "https://www.of-a-long-name.example"][numbers.below(2) as usize];
        let path: String = (0..numbers.below(6)).map(|_| pieces[numbers.below(13) as usize]).collect();
        let (loc, behind) = (format!("{origin}/{path}"), hash_of(1, origin.as_bytes()));
        let normal = normalized(&loc).unwrap().into_owned();
        let hash = hash(1, &normal);
        // Without making the normal form.
        let escaped = hash_of_escaped(behind, loc.as_bytes(), origin.len(), &mut Vec::new());
        assert!(escaped.is_none_or(|escaped| escaped == hash), "{loc}");
        if !path.contains('%') {
            assert_eq!(hash_behind(behind, loc.as_bytes(), origin.len()), hash, "{loc}");
        }
        quick += usize::from(escaped.is_some());
        match known.insert(normal, hash) {
            Some(before) => assert_eq!(hash, before, "{loc}"),
            None => assert!(hashes.insert(hash), "{loc}"),
        }
    }
    assert!(quick > 10_000 && known.len() > 5_000, "{quick} and {}", known.len());
    // What no client could ask for has no normal form, so no two spellings of it are one.
    let [raw, escaped] = ["https://[/é", "https://[/%C3%A9"];
    assert!(normalized(raw).is_none() && hash_as_written(1, raw) != hash_as_written(1, escaped));
}
