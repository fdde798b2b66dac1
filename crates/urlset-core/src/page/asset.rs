//! The names of links and images without what each build or visit writes anew into them.

/// The files that builds give a name with a hash.
const ASSETS: [&str; 29] = [
    "avif", "bmp", "css", "gif", "ico", "jpg", "jpeg", "js", "json", "m4a", "m4v", "mjs", "mp3", "mp4", "ogg", "pdf",
    "png", "svg", "ttf", "wasm", "wav", "webm", "webp", "woff", "woff2", "zip", "eot", "map", "jxl",
];
/// Parameters that change with each build or visit, by the ends and the beginnings of their names.
const TOKEN_ENDS: [&str; 4] = ["nonce", "token", "jsessionid", "phpsessid"];
const TOKEN_STARTS: [&str; 2] = ["csrf", "xsrf"];
/// Characters between a hash and the extension, such as those of `.min`.
const MAX_BEHIND: usize = 40;

/// Append a URL without hashes of builds, queries that defeat caches, and tokens. Names that people choose rarely mix
/// digits with letters of both cases.
pub fn push_stable(url: &str, out: &mut String) {
    let (rest, fragment) = url.find('#').map_or((url, ""), |at| url.split_at(at));
    let (path, query) = rest.find('?').map_or((rest, ""), |at| rest.split_at(at));
    let (folder, name) = path.split_at(path.rfind('/').map_or(0, |at| at + 1));
    out.push_str(folder);
    match name.rsplit_once('.').filter(|(_, extension)| ASSETS.contains(extension)) {
        Some((stem, extension)) => {
            push_stem(stem, out);
            out.push('.');
            out.push_str(extension);
        }
        None => {
            out.push_str(name);
            push_query(query, out);
        }
    }
    out.push_str(fragment);
}

/// Append the name of a file without its extension and without hashes.
fn push_stem(stem: &str, out: &mut String) {
    let stem = without_mixed(stem);
    let (mut at, mut is_first) = (0, true);
    for part in stem.split_inclusive(['.', '_', '-']) {
        at += part.len();
        let word = part.trim_end_matches(['.', '_', '-']);
        let behind = stem.len() - at + part.len() - word.len();
        if is_first || behind > MAX_BEHIND || !is_hexadecimal(word) {
            out.push_str(part);
        } else {
            // Hugo writes `_hu_` before its hashes.
            if let Some(before) = out.strip_suffix("hu_").filter(|before| before.ends_with(['.', '_', '-'])) {
                out.truncate(before.len());
            }
            out.push_str(&part[word.len()..]);
        }
        is_first = false;
    }
}

/// Return the name of a file without the hash of a bundler at its end: eight characters with a digit and letters of both
/// cases, and a shorter part behind them.
fn without_mixed(stem: &str) -> &str {
    let shorter = stem.rsplit_once('_').filter(|(_, end)| (4..=8).contains(&end.len()) && end.bytes().all(is_of_word));
    [Some(stem), shorter.map(|(start, _)| start)].into_iter().flatten().find_map(mixed_end).unwrap_or(stem)
}

fn mixed_end(stem: &str) -> Option<&str> {
    let start = stem.len().checked_sub(8).filter(|start| *start > 0 && stem.is_char_boundary(*start))?;
    let (before, hash) = stem.split_at(start);
    let has = |is_wanted: fn(&u8) -> bool| hash.as_bytes().iter().any(is_wanted);
    (before.ends_with(['.', '_', '-'])
        && hash.bytes().all(|byte| is_of_word(byte) || byte == b'-')
        && has(u8::is_ascii_digit)
        && has(u8::is_ascii_lowercase)
        && has(u8::is_ascii_uppercase))
    .then_some(before)
}

fn is_hexadecimal(word: &str) -> bool {
    (8..=64).contains(&word.len())
        && word.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
        && word.bytes().any(|byte| byte.is_ascii_digit())
        && word.bytes().any(|byte| byte.is_ascii_lowercase())
}

fn is_of_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

fn push_query(query: &str, out: &mut String) {
    for part in query.split_inclusive(['?', '&', ';']) {
        let name = part.split('=').next().unwrap_or_default();
        if part.contains('=') && is_token(name) {
            out.push_str(&part[part.trim_end_matches(['&', ';']).len()..]);
        } else {
            out.push_str(part);
        }
    }
}

fn is_token(name: &str) -> bool {
    let ends = |end: &&str| {
        name.len() >= end.len() && name.as_bytes()[name.len() - end.len()..].eq_ignore_ascii_case(end.as_bytes())
    };
    let starts = |start: &&str| {
        name.as_bytes().get(..start.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(start.as_bytes()))
    };
    name.eq_ignore_ascii_case("sid") || TOKEN_ENDS.iter().any(ends) || TOKEN_STARTS.iter().any(starts)
}

#[cfg(test)]
mod tests {
    use super::push_stable;

    #[test]
    fn what_builds_and_visits_write_anew_is_left_out() {
        for (url, stable) in [
            ("/a/app.3f9c2a1b.png", "/a/app..png"),
            ("rack_hu_9c41d27e0ab35f68.webp", "rack_.webp"),
            ("a-3f9c2a1b.min.jpg", "a-.min.jpg"),
            ("/_astro/a.B7xk2_dQ.png", "/_astro/a..png"),
            ("/_astro/sizes.Cd3gT1x2_Z1Ab3.webp?w=1", "/_astro/sizes..webp"),
            ("a.png?v=1#x", "a.png#x"),
            ("/login?next=/&csrf_token=1", "/login?next=/&"),
            ("/x?nonce=3&a=b;sid=7#f", "/x?&a=b;#f"),
        ] {
            let mut out = String::new();
            push_stable(url, &mut out);
            assert_eq!(out, stable, "{url}");
        }
        for url in [
            "IMG_1234.jpg",
            "shot-20240105.png",
            "photo.original.png",
            "https://video.example/watch?v=1",
            "/commit/3f9c2a1b",
            "3f9c2a1b.png",
            "/tea?side=1",
            "ä.png",
            "",
            "?",
        ] {
            let mut out = String::new();
            push_stable(url, &mut out);
            assert_eq!(out, url);
        }
    }
}
