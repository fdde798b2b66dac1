//! What may end a wait or a reading early.

use std::error::Error;
use std::fmt::{Display, Formatter, Result};
use std::io;
use std::time::Duration;

/// How often whoever waits asks whether to go on.
pub const CHECK_INTERVAL: Duration = Duration::from_millis(100);

/// Asked now and then by whoever waits. Its error ends the wait.
pub trait Interrupt: Send + Sync {
    /// Return an error if the work is not wanted any more.
    fn check(&self) -> io::Result<()>;
}

/// Nothing interrupts the work.
#[derive(Debug, Clone, Copy)]
pub struct Never;

impl Interrupt for Never {
    fn check(&self) -> io::Result<()> {
        Ok(())
    }
}

/// Work that another part of the program has given up, which is no error of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Abandoned(pub &'static str);

impl Display for Abandoned {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> Result {
        formatter.write_str(self.0)
    }
}

impl Error for Abandoned {}

impl From<Abandoned> for io::Error {
    fn from(abandoned: Abandoned) -> io::Error {
        io::Error::other(abandoned)
    }
}
