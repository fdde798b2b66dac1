//! The structured data of a page: the values of its JSON-LD, and those of microdata that no reader sees.

use super::asset::push_stable;
use super::content::stable_words;
use super::tag::{Attribute, Tag};

/// Bytes that are kept.
const MAX_DATA: usize = 1 << 20;
/// When a page or its data was made says nothing of what they say. Source: schema.org.
const OF_MAKING: [&str; 2] = ["dateModified", "sdDatePublished"];

/// Append each value of a script of JSON-LD as a line, behind the name of its property. The script need not be valid.
pub fn push(json: &str, out: &mut String) {
    let (mut rest, mut name) = (json, "");
    while let Some(start) = rest.find(|c: char| c == '"' || c == '-' || c.is_ascii_alphanumeric()) {
        rest = &rest[start..];
        if let Some(behind) = rest.strip_prefix('"') {
            let end = end_of_string(behind);
            let text = &behind[..end];
            rest = behind.get(end + 1..).unwrap_or_default();
            if rest.trim_start().starts_with(':') { name = text } else { push_value(name, text, out) }
        } else {
            let end = rest.find([',', '}', ']', '"', ' ', '\n', '\r', '\t']).unwrap_or(rest.len());
            push_value(name, &rest[..end], out);
            rest = &rest[end..];
        }
    }
}

/// Append a value of microdata that stands in an attribute.
pub fn push_item(tag: &Tag, out: &mut String) {
    let Some(name) = tag.get(Attribute::Itemprop) else { return };
    if let Some(value) = tag.text(Attribute::Content) {
        push_value(&String::from_utf8_lossy(name), &value, out);
    }
}

/// Where a string ends: at a quote that no backslash escapes.
fn end_of_string(text: &str) -> usize {
    let mut is_escaped = false;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'"' => return at,
            _ => {}
        }
    }
    text.len()
}

fn push_value(name: &str, value: &str, out: &mut String) {
    if OF_MAKING.contains(&name) || out.len() + name.len() + value.len() > MAX_DATA {
        return;
    }
    out.extend(name.chars().filter(|c| !c.is_control()));
    out.push('\t');
    let is_url = value.contains('/') && !value.contains(char::is_whitespace);
    if is_url {
        push_stable(value, out);
    } else {
        for word in stable_words(value) {
            out.push_str(word);
            out.push(' ');
        }
    }
    out.push('\n');
}

#[cfg(test)]
mod tests {
    use super::push;

    #[test]
    fn each_value_stands_behind_the_name_of_its_property() {
        for (json, lines) in [
            (
                r#"{"@type": "Tea", "offers": {"price": 12.50, "x": [true, "a \"b\""]}}"#,
                "@type\tTea \nprice\t12.50 \nx\ttrue \nx\ta \\\"b\\\" \n",
            ),
            (r#"{"dateModified": "2026-01-01", "datePublished": "2025-01-01"}"#, "datePublished\t2025-01-01 \n"),
            (r#"{"image": "/a/app.3f9c2a1b.png"}"#, "image\t/a/app..png\n"),
            ("{\"a\": \"b", "a\tb \n"),
            ("\"", "\t\n"),
            ("", ""),
        ] {
            let mut out = String::new();
            push(json, &mut out);
            assert_eq!(out, lines, "{json}");
        }
    }
}
