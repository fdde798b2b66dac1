//! Where a refresh leads, and where a script does. Source: HTML Standard, shared declarative refresh steps.

/// Bytes of a script beyond which it does more than lead to another page.
const MAX_SCRIPT: usize = 4096;

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

/// Return the text that a script puts into `location`; None if it does not do that with a plain text.
///
/// Of a page with hardly any words, such a script leads visitors to another page. What is computed is not followed.
/// Source: HTML Standard, the Location interface: assigning to it, its `href`, `assign` and `replace`.
pub fn script_target(script: &str) -> Option<&str> {
    if script.len() > MAX_SCRIPT {
        return None;
    }
    script.match_indices("location").find_map(|(at, name)| {
        let is_name = script[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '$' || c == '-');
        if is_name {
            return None;
        }
        let rest = script[at + name.len()..].trim_ascii_start();
        let called = [".replace", ".assign"].iter().find_map(|call| rest.strip_prefix(call));
        let value = match called {
            Some(rest) => rest.trim_ascii_start().strip_prefix('(')?,
            None => rest.strip_prefix(".href").unwrap_or(rest).trim_ascii_start().strip_prefix('=')?,
        };
        let value = value.trim_ascii_start();
        let inside = value.strip_prefix(['"', '\''])?;
        Some(&inside[..inside.find(&value[..1])?])
    })
}

#[cfg(test)]
mod tests {
    use super::{script_target, target};

    #[test]
    fn a_script_leads_where_it_sets_the_location() {
        for (script, expected) in [
            ("location='/x'", Some("/x")),
            ("window.location.href = \"https://a.example/?a=1\";", Some("https://a.example/?a=1")),
            ("top.location.replace( '/x' )", Some("/x")),
            ("if (x) { document.location.assign(\"/y\") }", Some("/y")),
            ("var a = location.href; location = '/z'", Some("/z")),
            ("location == '/x'", None),
            ("location = base + '/x'", None),
            ("my_location = '/x'", None),
            ("location.hash = '#x'", None),
            ("location.reload()", None),
            ("location = '/x", None),
            ("", None),
        ] {
            assert_eq!(script_target(script), expected, "{script}");
        }
        assert_eq!(script_target(&format!("location='/x'{}", " ".repeat(super::MAX_SCRIPT))), None);
    }

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
