//! What a transport reports about an exchange.

use std::net::SocketAddr;

use http::{HeaderMap, Version};

use crate::fault::Fault;

/// How far an exchange is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventKind {
    /// The headers are there, and the body waits.
    Head,
    /// The exchange is over.
    Done,
    /// The exchange is over, and [`Event::fault`] says why.
    Failed,
}

impl EventKind {
    pub const fn name(self) -> &'static str {
        match self {
            EventKind::Head => "head",
            EventKind::Done => "done",
            EventKind::Failed => "failed",
        }
    }
}

/// What has become of an exchange.
#[derive(Debug, Clone)]
pub struct Event {
    pub number: u64,
    pub kind: EventKind,
    /// 0 if no headers came.
    pub status: u16,
    pub headers: HeaderMap,
    pub version: Version,
    /// The address at the other end of the connection.
    pub address: Option<SocketAddr>,
    /// The first bytes of the content, if so many were asked for.
    pub body: Option<Vec<u8>>,
    /// There is more content than was asked for, or than its reader wanted.
    pub is_cut: bool,
    /// The end of the message is certain.
    pub is_whole: bool,
    /// Bytes of the body as they came.
    pub received: u64,
    /// Since the exchange was started, without the time in which nobody took what was there.
    pub seconds: f64,
    pub fault: Option<Fault>,
}

impl Event {
    /// Nothing is known yet.
    pub fn new(number: u64) -> Self {
        Event {
            number,
            kind: EventKind::Done,
            status: 0,
            headers: HeaderMap::new(),
            version: Version::HTTP_11,
            address: None,
            body: None,
            is_cut: false,
            is_whole: false,
            received: 0,
            seconds: 0.0,
            fault: None,
        }
    }

    /// The version of HTTP, as an answer states it.
    pub fn http_version(&self) -> &'static str {
        match self.version {
            Version::HTTP_10 => "HTTP/1.0",
            Version::HTTP_2 => "HTTP/2",
            _ => "HTTP/1.1",
        }
    }
}
