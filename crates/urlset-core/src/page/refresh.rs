//! Where a refresh leads. Source: HTML Standard, shared declarative refresh steps.

/// Return the target of a refresh as written, which is empty for one that only reloads the page; None for a text that
/// browsers ignore.
///
/// It begins with a delay, which may be left out before a dot; behind it stand the target, and `url=` before that.
pub fn target(text: &str) -> Option<&str> {
    let text = text.trim_ascii_start();
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    if rest.len() == text.len() && !rest.starts_with('.') {
        return None;
    }
    let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    if !rest.is_empty() && !rest.starts_with(|c: char| c == ';' || c == ',' || c.is_ascii_whitespace()) {
        return None;
    }
    let rest = rest.trim_ascii_start();
    let rest = rest.strip_prefix([';', ',']).unwrap_or(rest).trim_ascii_start();
    let named = rest.get(..3).filter(|name| name.eq_ignore_ascii_case("url")).map(|_| rest[3..].trim_ascii_start());
    let url = named.and_then(|rest| rest.strip_prefix('=')).map_or(rest, str::trim_ascii_start);
    let quoted = url.strip_prefix(['"', '\'']);
    let end = quoted.and_then(|inside| inside.find(&url[..1]));
    Some(quoted.map_or(url, |inside| &inside[..end.unwrap_or(inside.len())]).trim_ascii())
}

#[cfg(test)]
mod tests {
    use super::target;

    #[test]
    fn as_browsers_read_it() {
        for (text, found) in [
            ("0; url=/there", Some("/there")),
            ("  5;URL='https://b.example/'", Some("https://b.example/")),
            ("0.5 , /there", Some("/there")),
            (".5 /there", Some("/there")),
            ("0;\turl \n= \"/a b\" x", Some("/a b")),
            ("0; url='/it", Some("/it")),
            ("0; '/it's", Some("/it")),
            ("0; url", Some("url")),
            ("0; urls/x", Some("urls/x")),
            ("0; url=", Some("")),
            ("300", Some("")),
            ("300;", Some("")),
            ("0url=/there", None),
            ("url=/there", None),
            ("-1; url=/there", None),
            ("", None),
            ("ü", None),
            ("0; ürl", Some("ürl")),
        ] {
            assert_eq!(target(text), found, "{text}");
        }
    }
}
