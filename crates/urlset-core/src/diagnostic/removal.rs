//! What has to be removed with an element, so that no empty line is left behind.

use std::ops::Range;

/// Return the element around a value of the window, with the lines that hold nothing else. The element is well-formed, and
/// the range is its text.
pub fn element_around(window: &str, value: Range<usize>) -> Option<Range<usize>> {
    let bytes = window.as_bytes();
    let start = memchr::memrchr(b'<', &bytes[..value.start])?;
    // An empty element has no closing tag.
    let end = match window[start..value.start].trim_end().ends_with("/>") {
        true => value.start,
        false => {
            // Where another markup comes first, such as a comment, its end is not the element's.
            let close = value.end + memchr::memchr(b'<', &bytes[value.end..])?;
            bytes[close..].strip_prefix(b"</")?;
            close + memchr::memchr(b'>', &bytes[close..])? + 1
        }
    };
    Some(whole_lines(window, 0, start..end))
}

/// Return the range, with the line break and the blanks before it if it begins a line. Nothing before `from` is looked at,
/// because what stands outside the current piece may not be in the window.
pub fn whole_lines(window: &str, from: usize, range: Range<usize>) -> Range<usize> {
    let before = window[from..range.start].trim_end_matches([' ', '\t']);
    match before.strip_suffix('\n') {
        Some(before) => from + before.strip_suffix('\r').unwrap_or(before).len()..range.end,
        None => range,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_element_that_holds_more_than_text_stays() {
        assert_eq!(element_around("<a><b>x<!-- </b> --></b></a>", 6..7), None);
        assert_eq!(element_around("<a><b><![CDATA[</b>]]></b></a>", 6..6), None);
    }

    #[test]
    fn an_element_goes_with_its_line() {
        for (text, value, left) in [
            ("<a>\n  <b>x</b>\n</a>", "x", "<a>\n</a>"),
            ("<a>\r\n\t<b c='d'>x</b> \r\n</a>", "x", "<a> \r\n</a>"),
            ("<a><b>x</b ></a>", "x", "<a></a>"),
            ("<a> <b>x</b>\n</a>", "x", "<a> \n</a>"),
            ("<a>\n  <b>x</b><c/></a>", "x", "<a><c/></a>"),
        ] {
            let at = text.find(value).unwrap();
            let range = element_around(text, at..at + value.len()).unwrap();
            assert_eq!(format!("{}{}", &text[..range.start], &text[range.end..]), left, "{text:?}");
        }
    }
}
