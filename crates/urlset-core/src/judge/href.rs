//! The URL of an image or of another version of the page.

use super::fault::Fault;
use crate::diagnostic::Rule;
use crate::value::loc::{self, LocError};

/// What is wrong with a URL that is missing, or that no consumer can use. `missing` and `wrong` are the rules for it.
#[cold]
pub fn fault(what: &str, text: Option<&str>, (missing, wrong): (&'static Rule, &'static Rule)) -> Fault {
    match text {
        None => Fault::new(missing, format!("the {what} is missing")),
        Some(text) => bad(what, text, wrong, "http or https"),
    }
}

/// What is wrong with a URL that no consumer can use.
pub fn bad(what: &str, text: &str, rule: &'static Rule, schemes: &str) -> Fault {
    match loc::check(text) {
        Ok(()) | Err(LocError::Empty | LocError::Relative | LocError::Scheme | LocError::TooLong(_)) => {
            Fault::new(rule, format!("the {what} is not an absolute {schemes} URL"))
        }
        Err(error) => Fault { help: error.help(), ..Fault::new(rule, error.said_of(what)) },
    }
}
