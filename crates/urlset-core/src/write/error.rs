//! Why a row, a table or a stored document is refused.

use std::error::Error;
use std::fmt;
use std::io;

use arrow_schema::ArrowError;

use crate::diagnostic::Rule;

/// Why an entry is not written: the rule that it breaks, in the words of that rule.
#[derive(Debug, Clone, PartialEq)]
pub struct Refusal {
    pub rule: &'static Rule,
    pub message: String,
}

impl Refusal {
    pub fn new(rule: &'static Rule, message: impl Into<String>) -> Self {
        Refusal { rule, message: message.into() }
    }

    /// A refusal of the value in a column, whose words do not say which.
    pub fn of_column(column: &str, rule: &'static Rule, message: String, help: Option<String>) -> Self {
        Refusal::with_help(rule, format!("{column}: {message}"), help)
    }

    /// The same about a value that was repaired, and is written as `text`.
    pub fn written_as(self, text: &str) -> Self {
        Refusal { message: format!("{}; it is written as {text:?}", self.message), ..self }
    }

    /// A refusal whose message ends with what to do, if that is known.
    pub fn with_help(rule: &'static Rule, message: String, help: Option<String>) -> Self {
        Refusal { rule, message: help.map_or_else(|| message.clone(), |help| format!("{message}; {help}")) }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.rule.code, self.message)
    }
}

impl Error for Refusal {}

/// Why a table cannot be taken as rows.
#[derive(Debug)]
pub enum TableError {
    /// A column is missing, or has a type that cannot mean the value.
    Column(String),
    /// The stream, or the memory behind it, is broken.
    Arrow(ArrowError),
    /// A run of rows cannot be read.
    Io(io::Error),
}

impl fmt::Display for TableError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TableError::Column(message) => formatter.write_str(message),
            TableError::Arrow(error) => error.fmt(formatter),
            TableError::Io(error) => error.fmt(formatter),
        }
    }
}

impl Error for TableError {}

impl From<ArrowError> for TableError {
    fn from(error: ArrowError) -> Self {
        TableError::Arrow(error)
    }
}

impl From<io::Error> for TableError {
    fn from(error: io::Error) -> Self {
        TableError::Io(error)
    }
}

/// How a stored document differs from what was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference(pub String);

impl fmt::Display for Difference {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl Error for Difference {}
