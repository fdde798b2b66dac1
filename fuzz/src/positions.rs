//! Positions of findings, checked against the text by counting from its beginning.

use urlset_core::diagnostic::Finding;

use crate::outcome::Outcome;

/// Characters of a line that are shown before and after a position at most.
const SNIPPET: usize = 96;

/// Checks every position that was reported of `text`, which has no byte order mark.
pub fn check(text: &str, outcome: &Outcome) {
    let mut counted = Counted { text, at: 0, line: 1, column: 1 };
    for finding in &outcome.findings {
        counted.check(finding);
    }
    if let Some(fault) = &outcome.fault {
        Counted { text, at: 0, line: 1, column: 1 }.check(&fault.finding);
    }
}

/// The position of the previous finding: counting from the start each time is slow when lines are long and findings many.
struct Counted<'t> {
    text: &'t str,
    at: usize,
    line: usize,
    column: usize,
}

impl Counted<'_> {
    fn check(&mut self, finding: &Finding) {
        let (text, at) = (self.text, finding.position.offset as usize);
        assert!(text.is_char_boundary(at), "{finding:?} stands inside a character of {text:?}");
        let mut passed = &text[self.at..at];
        if let Some(newline) = passed.rfind('\n') {
            self.line += passed.matches('\n').count();
            self.column = 1;
            passed = &passed[newline + 1..];
        }
        self.column += passed.chars().count();
        self.at = at;
        let position = (finding.position.line as usize, finding.position.column as usize);
        assert_eq!(position, (self.line, self.column), "{finding:?} in {text:?}");
        assert!(finding.width > 0, "{finding:?} has no width");

        let shown = &finding.snippet;
        let before = (self.column - 1).min(SNIPPET);
        assert_eq!(shown.column as usize, before + 1, "{finding:?} in {text:?}");
        let start = text[..at].char_indices().rev().take(before).last().map_or(at, |(start, _)| start);
        assert!(text[start..].starts_with(&shown.text), "{finding:?} shows what is not {:?}", &text[start..]);
        assert!(!shown.text.contains('\n'), "{finding:?} shows more than a line");
        assert!(shown.text.chars().count() <= 2 * SNIPPET, "{finding:?} shows too much");
    }
}
