//! Hosts of examples among those of a site: what was to be filled in.

use crate::diagnostic::{Findings, catalogue};

pub const HOST_HELP: &str = "set the base URL of whatever writes the sitemap";

/// Hosts of examples in a document of which the location is not known: whether they are meant shows a host that is real.
#[derive(Debug, Default)]
pub struct ExampleHosts {
    has_real: bool,
    /// How many locs were on one before that, and the first such host.
    before: u64,
    first: String,
}

impl ExampleHosts {
    /// Notes the host of a loc; returns whether it is one of examples among others.
    pub fn is_among_others(&mut self, host: &str) -> bool {
        let is_example = is_of_examples(host);
        self.has_real |= !is_example;
        if is_example && !self.has_real {
            if self.before == 0 {
                self.first = host.to_owned();
            }
            self.before += 1;
        }
        is_example && self.has_real
    }

    /// Reports the locs that stand before the first one on a real host.
    pub fn report(&self, findings: &mut Findings) {
        if self.has_real && self.before > 0 {
            let locs = if self.before == 1 {
                "the first loc is".into()
            } else {
                format!("the first {} locs are", self.before)
            };
            let message = format!("{locs} on {}, a host of examples, and others are not", self.first);
            findings.report_on_document(&catalogue::LOC018, message, Some(HOST_HELP));
        }
    }
}

/// Whether a host is reserved for examples. Sources: RFC 2606, section 3; RFC 6761, section 6.5.
fn is_of_examples(host: &str) -> bool {
    let mut labels = host.trim_end_matches('.').rsplit('.');
    let end = labels.next().unwrap_or_default();
    end.eq_ignore_ascii_case("example")
        || is_one_of(end, &["com", "net", "org"])
            && labels.next().is_some_and(|name| name.eq_ignore_ascii_case("example"))
}

/// Whether a text is one of these, in whatever letters.
pub fn is_one_of(text: &str, known: &[&str]) -> bool {
    known.iter().any(|each| text.eq_ignore_ascii_case(each))
}
