//! What keeps an exchange from its end, in the words that users read.

use std::io;

/// The kinds of faults. What a caller does next depends on them: ask again, later, or never.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaultKind {
    /// The host has no address.
    Dns,
    /// No address of the host could be connected to.
    Connect,
    /// The TLS handshake failed, for another reason than the certificate.
    Tls,
    /// The server has no certificate that is trusted for its name.
    Certificate,
    /// Nothing came for as long as a wait may take.
    Timeout,
    /// The time of the whole exchange is over.
    Deadline,
    /// The host has no address that may be reached.
    Address,
    /// What came is not HTTP, or what was to be sent is not.
    Protocol,
    /// The connection broke.
    Reset,
    /// The server, or the proxy, would not take the request.
    Refused,
    /// The body is compressed in a way that nobody asked for, or its compression is broken.
    Coding,
}

impl FaultKind {
    pub const fn name(self) -> &'static str {
        match self {
            FaultKind::Dns => "dns",
            FaultKind::Connect => "connect",
            FaultKind::Tls => "tls",
            FaultKind::Certificate => "certificate",
            FaultKind::Timeout => "timeout",
            FaultKind::Deadline => "deadline",
            FaultKind::Address => "address",
            FaultKind::Protocol => "protocol",
            FaultKind::Reset => "reset",
            FaultKind::Refused => "refused",
            FaultKind::Coding => "coding",
        }
    }
}

/// What kept an exchange from its end. The message is the rest of a sentence that begins with the URL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    pub kind: FaultKind,
    pub message: String,
}

impl Fault {
    #[cold]
    pub fn new(kind: FaultKind, message: impl Into<String>) -> Self {
        Fault { kind, message: message.into() }
    }

    pub fn deadline() -> Self {
        Fault::new(FaultKind::Deadline, "the server took too long")
    }

    pub fn timeout() -> Self {
        Fault::new(FaultKind::Timeout, "the server did not answer in time")
    }

    pub fn protocol(reason: &str) -> Self {
        Fault::new(FaultKind::Protocol, format!("the answer is not valid HTTP: {reason}"))
    }

    pub fn reset(reason: &str) -> Self {
        Fault::new(FaultKind::Reset, format!("the connection broke: {reason}"))
    }

    /// No connection, because of an error of the system.
    pub fn connect(error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::ConnectionRefused => Fault::new(FaultKind::Refused, "no connection: connection refused"),
            io::ErrorKind::TimedOut => Fault::timeout(),
            _ => Fault::new(FaultKind::Connect, format!("no connection: {}", reason(error))),
        }
    }
}

/// What the system says of an error, without its number and its capital.
pub fn reason(error: &io::Error) -> String {
    let said = error.to_string();
    let said = said.split(" (os error").next().unwrap_or_default();
    let mut letters = said.chars();
    letters.next().map_or_else(String::new, |first| first.to_lowercase().chain(letters).collect())
}
