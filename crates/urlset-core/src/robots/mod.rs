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
mod value;

pub use self::census::{Census, Tally};
pub use self::file::{Crawler, Grouping, Robots, Row};
pub use self::line::{Field, Line, MAX_BYTES, MAX_LINE_BYTES, is_padding};
pub use self::origin::{Finder, Sites};
pub use self::pattern::Target;
pub use self::rules::{Rules, Use};
pub use self::value::pairs;

#[cfg(test)]
mod tests;
