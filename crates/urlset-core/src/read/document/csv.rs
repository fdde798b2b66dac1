//! Tables in CSV, which can look like lists of URLs.

use super::lines::is_date;
use crate::read::index::window::is_url;

const SEPARATORS: [char; 3] = [',', ';', '\t'];
/// What tables call the column of the URLs.
const NAMES: [&str; 6] = ["loc", "url", "uri", "link", "address", "page"];

/// Whether a line is the header of a table with a column of URLs.
pub fn is_header(line: &str) -> bool {
    let columns = || line.split(SEPARATORS).map(|column| column.trim().trim_matches('"'));
    columns().count() > 1
        && columns().any(|column| NAMES.iter().any(|name| column.eq_ignore_ascii_case(name)))
        && !columns().any(is_url)
}

/// Whether a line is a URL, a separator that a URL may have, and a date, which that of a page hardly ends with.
pub fn is_row(line: &str) -> bool {
    let line = line.trim();
    is_url(line) && line.rsplit_once([',', ';']).is_some_and(|(_, last)| is_date(last))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_and_rows() {
        for line in ["loc;lastmod", "\"url\",\"updated\"\r\n", " Address , Status", "id\tURL"] {
            assert!(is_header(line), "{line}");
        }
        for line in ["loc", "a,b", "https://a.example/,loc", "no link here, sorry"] {
            assert!(!is_header(line), "{line}");
        }
        for line in ["https://a.example/;2026-01-02", "http://a.example/,2026-01-02T10:00:00Z\n"] {
            assert!(is_row(line), "{line}");
        }
        for line in ["https://a.example/", "https://a.example/2026-01-02", "https://a.example/a,b", "/a;2026-01-02"] {
            assert!(!is_row(line), "{line}");
        }
    }
}
