//! The charset that an XML declaration names, which has to be known before anything else can be read.

use memchr::memmem;

use crate::xml::is_xml_blank;

/// The declaration is searched for in this many bytes.
pub const SEARCHED: usize = 1024;

/// The beginnings of a root. A declaration after one of these does not belong to the document.
const ROOTS: [&[u8]; 5] = [b"urlset", b"sitemapindex", b"<rss", b"<feed", b"<rdf:RDF"];

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Declared {
    /// More bytes are needed to decide.
    Unclear,
    Nothing,
    Charset(String),
}

/// Return the charset declared in `first`, which is at most [`SEARCHED`] bytes and may be the whole document.
///
/// Blanks and noise may come before the declaration, and the declaration may be ill-formed: it is used anyway.
pub fn declared(first: &[u8], at_end: bool) -> Declared {
    let is_all = at_end || first.len() >= SEARCHED;
    let unclear = if is_all { Declared::Nothing } else { Declared::Unclear };
    let opening = b"<?xml";
    let Some(start) = memmem::find_iter(first, opening).map(|at| at + opening.len()).find(|at| {
        // Other instructions, such as <?xml-stylesheet, are skipped.
        first.get(*at).is_none_or(|byte| is_xml_blank(*byte))
    }) else {
        return unclear;
    };
    if ROOTS.iter().any(|root| memmem::find(&first[..start], root).is_some()) {
        return Declared::Nothing;
    }
    match memmem::find(&first[start..], b"?>") {
        Some(length) => charset(&first[start..start + length], true),
        None if is_all => charset(&first[start..], false),
        None => Declared::Unclear,
    }
}

/// The value of `encoding` inside a declaration, with quotes or without. A value that is cut off does not count.
fn charset(inner: &[u8], is_whole: bool) -> Declared {
    const NAME: &[u8] = b"encoding";
    for at in memmem::find_iter(inner, NAME) {
        let rest = inner[at + NAME.len()..].trim_ascii_start();
        let (Some(true), Some(rest)) = (at.checked_sub(1).map(|at| is_xml_blank(inner[at])), rest.strip_prefix(b"="))
        else {
            continue;
        };
        let rest = rest.trim_ascii_start();
        let (value, length) = match rest {
            [quote @ (b'"' | b'\''), value @ ..] => (value, value.iter().position(|byte| byte == quote)),
            _ => (rest, rest.iter().position(|byte| is_xml_blank(*byte))),
        };
        return match length.or(is_whole.then_some(value.len())) {
            Some(length) => Declared::Charset(String::from_utf8_lossy(&value[..length]).into_owned()),
            None => Declared::Nothing,
        };
    }
    Declared::Nothing
}

#[cfg(test)]
mod tests {
    use super::{Declared, declared};

    fn named(text: &str) -> Declared {
        declared(text.as_bytes(), true)
    }

    #[test]
    fn forms() {
        for (text, expected) in [
            ("<?xml version='1.0' encoding='koi8-r'?><urlset/>", Some("koi8-r")),
            ("<?xml version=\"1.0\"\tencoding = \"big5\" standalone='yes'?>", Some("big5")),
            ("\n<br />Warning\n<?xml version='1.0' encoding='gbk'?>", Some("gbk")),
            ("<?xml version=1.0 encoding=latin1 ?>", Some("latin1")),
            ("<?xml encoding=''?>", Some("")),
            ("<?xml version='1.0' encoding='gbk'", Some("gbk")),
            ("<?xml version='1.0' encoding='gb", None),
            ("<?xml version='1.0' encoding=gb", None),
            ("<?xml version='1.0'?><a encoding='gbk'/>", None),
            ("<?xml-stylesheet encoding='gbk'?><urlset/>", None),
            ("<?xml-stylesheet href='x'?><?xml encoding='gbk'?>", Some("gbk")),
            ("<?xml version='1.0' my-encoding='gbk'?>", None),
            ("<urlset></urlset><?xml version='1.0' encoding='gbk'?>", None),
            ("<?xml version='1.0' encoding?>", None),
            ("https://a.example/", None),
        ] {
            let expected = expected.map_or(Declared::Nothing, |name| Declared::Charset(name.into()));
            assert_eq!(named(text), expected, "{text}");
        }
    }

    #[test]
    fn a_decision_stands_whatever_follows() {
        for text in ["\n<?xml version='1.0' encoding='koi8-r'?><urlset>", "<urlset><?xml encoding='gbk'?>", "<a/>"] {
            let whole = named(text);
            for cut in 0..text.len() {
                let found = declared(&text.as_bytes()[..cut], false);
                assert!(found == Declared::Unclear || found == whole, "{text} at {cut}: {found:?}");
            }
        }
    }
}
