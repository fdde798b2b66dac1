//! The errors of hyper in our words.

use std::error::Error as _;
use std::io;

use crate::fault::{Fault, FaultKind, reason};
use crate::tls;

/// What an error of hyper means for an exchange with a host.
pub fn fault_of(error: &hyper::Error, host: &str, max_header_bytes: usize) -> Fault {
    let said = error.to_string();
    if error.is_parse() && said.contains("too large") {
        return Fault::protocol(&format!("its headers are larger than {max_header_bytes} bytes, or too many"));
    }
    if error.is_incomplete_message() {
        return Fault::reset("the server closed it before the end of the answer");
    }
    let mut source = error.source();
    while let Some(inner) = source {
        if let Some(error) = inner.downcast_ref::<io::Error>() {
            return of_system(error, host);
        }
        if let Some(error) = inner.downcast_ref::<h2::Error>() {
            return of_http2(error, host);
        }
        source = inner.source();
    }
    if error.is_canceled() || error.is_closed() {
        return Fault::reset("the server closed it before an answer");
    }
    Fault::protocol(said.strip_suffix(" parsed").unwrap_or(&said))
}

fn of_system(error: &io::Error, host: &str) -> Fault {
    match error.kind() {
        // A fault that TLS reports after the handshake, for example a client certificate that the server rejects.
        io::ErrorKind::InvalidData if error.get_ref().is_some_and(|inner| inner.is::<rustls::Error>()) => {
            tls::problem(error, host)
        }
        io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput => Fault::protocol(&reason(error)),
        io::ErrorKind::UnexpectedEof => Fault::reset("the server closed it before the end of the answer"),
        _ => Fault::reset(&reason(error)),
    }
}

fn of_http2(error: &h2::Error, host: &str) -> Fault {
    if let Some(error) = error.get_io() {
        return of_system(error, host);
    }
    match error.reason() {
        Some(h2::Reason::REFUSED_STREAM) => Fault::new(FaultKind::Refused, "the server refused the request"),
        Some(h2::Reason::PROTOCOL_ERROR) if !error.is_remote() => Fault::protocol("it breaks the rules of HTTP/2"),
        Some(reason) => Fault::reset(&format!("the server ended it ({reason})")),
        None => Fault::reset(&error.to_string()),
    }
}
