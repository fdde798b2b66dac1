//! robots.txt: its lines, its groups, and which line decides about a URL. Everything that asks what a robots.txt says asks
//! here: fetching, the rules about it, its table, and sources of pages.
//!
//! Sources: RFC 9309, Robots Exclusion Protocol; Google's parser (google/robotstxt, robots.cc), whose leniency about keys,
//! colons, line ends and long lines is kept. Where the two differ, the RFC decides, and `DIFFERENCE:` says so.
//!
//! The crates `robotstxt` and `texting_robots` were looked at first. The former parses the file again for each URL and
//! crawler; the latter makes a regular expression of each rule, for one crawler. Neither says which line decided, or keeps
//! the lines.

mod census;
mod file;
mod line;
mod origin;
mod pattern;
mod rules;

pub use self::census::{Census, Tally};
pub use self::file::{Crawler, Grouping, Robots, Row};
pub use self::line::{Field, Line, is_padding};
pub use self::origin::{Finder, Sites, origin};
pub use self::pattern::Target;
pub use self::rules::{Rules, Use};

/// Bytes of a robots.txt that count. Source: RFC 9309, 2.5: a parser reads at least 500 kibibytes; Google Search Central,
/// robots.txt: what follows them is ignored.
pub const MAX_BYTES: usize = 500 << 10;

/// Bytes of a line that count. Source: google/robotstxt, kMaxLineLen: eight times the longest URL that browsers took, less
/// the one that ends a text there.
pub const MAX_LINE_BYTES: usize = 2_083 * 8 - 1;

#[cfg(test)]
mod tests;
