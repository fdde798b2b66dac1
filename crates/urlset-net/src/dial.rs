//! Reaching a server: its addresses, which of them may be dialled, and the tunnel of a proxy.

use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
use std::time::Duration;
use std::{io, iter};

use rustls::pki_types::ServerName;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::sleep;
use tokio_rustls::TlsConnector;

use crate::addresses::is_public;
use crate::fault::{Fault, FaultKind};
use crate::order::{Order, Target};
use crate::patience::Patience;
use crate::proxy::Proxy;
use crate::tls::{self, Tls};
use crate::wire::{Prompt, Stream};

/// How long an address is tried alone before the next one. Source: RFC 8305, section 8.
const HEAD_START: Duration = Duration::from_millis(250);
/// The most bytes of a proxy's answer to CONNECT.
const MAX_TUNNEL_HEAD: usize = 16 << 10;

/// A server that was reached.
pub struct Reached {
    pub stream: Box<dyn Stream>,
    pub address: SocketAddr,
    pub is_http2: bool,
}

/// Reach the server of an order, through its proxy if it has one. The waits end as `patience` says.
pub async fn reach(order: &Order, proxy: Option<&Proxy>, tls: &Tls, patience: &mut Patience) -> Result<Reached, Fault> {
    let target = &order.target;
    let tcp = match proxy {
        // The caller has named the proxy, wherever it is.
        Some(proxy) => {
            connect(&proxy.host, proxy.port, true, patience).await.map_err(|fault| at_proxy(fault, proxy))?
        }
        None => connect(&target.host, target.port, order.private, patience).await?,
    };
    let address = tcp.peer_addr().map_err(|error| Fault::connect(&error))?;
    let mut stream: Box<dyn Stream> = Box::new(Prompt::new(tcp));
    if let Some(proxy) = proxy {
        if proxy.is_secure {
            let secured = secure(stream, &proxy.host, tls, false, patience).await;
            stream = secured.map_err(|fault| at_proxy(fault, proxy))?.0;
        }
        if target.is_secure {
            patience.wait(None, open_tunnel(&mut stream, target, proxy)).await??;
        }
    }
    let is_last_hop_secure = target.is_secure;
    if !is_last_hop_secure {
        return Ok(Reached { stream, address, is_http2: false });
    }
    let (stream, is_http2) = secure(stream, &target.host, tls, true, patience).await?;
    Ok(Reached { stream, address, is_http2 })
}

/// What is said of a fault on the way to the proxy, which is not the server's.
fn at_proxy(fault: Fault, proxy: &Proxy) -> Fault {
    let message = format!("the proxy {}:{} cannot be reached: {}", proxy.host, proxy.port, fault.message);
    Fault { message, ..fault }
}

/// Speak TLS on a connection, and offer the versions of HTTP if it is for the server itself.
async fn secure(
    stream: Box<dyn Stream>,
    host: &str,
    tls: &Tls,
    is_server: bool,
    patience: &mut Patience,
) -> Result<(Box<dyn Stream>, bool), Fault> {
    let failed = |error: rustls::Error| Fault::new(FaultKind::Tls, format!("TLS failed: {error}"));
    let mut config = tls.config().map_err(failed)?;
    if !is_server && !config.alpn_protocols.is_empty() {
        let mut plain = (*config).clone();
        plain.alpn_protocols.clear();
        config = plain.into();
    }
    let name = ServerName::try_from(host.trim_end_matches('.').to_owned());
    let name =
        name.map_err(|_| Fault::new(FaultKind::Tls, format!("TLS failed: {host} is not a valid server name")))?;
    let shaken = patience.wait(None, TlsConnector::from(config).connect(name, stream)).await?;
    let stream = shaken.map_err(|error| tls::problem(&error, host))?;
    let is_http2 = stream.get_ref().1.alpn_protocol() == Some(b"h2");
    Ok((Box::new(stream), is_http2))
}

/// Connect to an address of a host that may be reached.
async fn connect(host: &str, port: u16, is_private_allowed: bool, patience: &mut Patience) -> Result<TcpStream, Fault> {
    let found = match host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>() {
        Ok(address) => vec![SocketAddr::new(address, port)],
        Err(_) => patience.wait(None, resolve(host.to_owned(), port)).await??,
    };
    let allowed = allowed(host, found, is_private_allowed)?;
    patience.wait(None, first_that_answers(allowed)).await?.map_err(|error| Fault::connect(&error))
}

/// The addresses that may be dialled: only they are.
fn allowed(host: &str, mut found: Vec<SocketAddr>, is_private_allowed: bool) -> Result<Vec<SocketAddr>, Fault> {
    let first = found.first().map(SocketAddr::ip);
    if !is_private_allowed {
        found.retain(|address| is_public(address.ip()));
    }
    match first {
        None => Err(Fault::new(FaultKind::Dns, format!("no connection: {host} has no address"))),
        Some(first) if found.is_empty() => Err(refused(host, first)),
        Some(_) => Ok(found),
    }
}

/// A host may not be reached at this address.
pub fn refused(host: &str, address: IpAddr) -> Fault {
    let named = address.to_string();
    let what = if named == host { named } else { format!("{host} is {named}") };
    Fault::new(FaultKind::Address, format!("a private address, which this run may not reach: {what}"))
}

/// The addresses of a host, as the system knows them. It may take its time for that, on a thread of its own.
async fn resolve(host: String, port: u16) -> Result<Vec<SocketAddr>, Fault> {
    struct Asked(JoinHandle<io::Result<Vec<SocketAddr>>>);
    impl Drop for Asked {
        fn drop(&mut self) {
            self.0.abort(); // one that has not begun, because all threads wait for others
        }
    }
    let unknown = Fault::new(FaultKind::Dns, format!("no connection: the host {host} was not found"));
    let mut asked = Asked(tokio::task::spawn_blocking(move || {
        let mut found: Vec<SocketAddr> = Vec::new();
        for address in (host.as_str(), port).to_socket_addrs()? {
            if !found.contains(&address) {
                found.push(address);
            }
        }
        Ok(found)
    }));
    match (&mut asked.0).await {
        Ok(Ok(found)) => Ok(found),
        _ => Err(unknown),
    }
}

/// Connect to the first address that answers. Each has a head start before the next, and IPv6 begins.
///
/// Source: RFC 8305, sections 4 and 5.
async fn first_that_answers(addresses: Vec<SocketAddr>) -> io::Result<TcpStream> {
    let (six, four): (Vec<_>, Vec<_>) = addresses.into_iter().partition(SocketAddr::is_ipv6);
    let longest = six.len().max(four.len());
    let mut waiting = (0..longest).flat_map(|at| [six.get(at).copied(), four.get(at).copied()]).flatten();
    let mut attempts = JoinSet::new();
    let mut problem = io::Error::from(io::ErrorKind::AddrNotAvailable);
    let mut next = waiting.next();
    loop {
        let is_started = next.is_some();
        if let Some(address) = next {
            attempts.spawn(TcpStream::connect(address));
        }
        tokio::select! {
            ended = attempts.join_next() => match ended {
                Some(Ok(Ok(stream))) => {
                    stream.set_nodelay(true)?;
                    return Ok(stream);
                }
                Some(Ok(Err(error))) => problem = error,
                Some(Err(error)) => return Err(error.into()),
                None => return Err(problem),
            },
            () = sleep(HEAD_START), if is_started => {}
        }
        next = waiting.next();
    }
}

/// Ask a proxy for a connection to a server. Source: RFC 9110, section 9.3.6.
async fn open_tunnel(stream: &mut Box<dyn Stream>, target: &Target, proxy: &Proxy) -> Result<(), Fault> {
    let broke = |error: io::Error| Fault::reset(&format!("the proxy: {}", crate::fault::reason(&error)));
    let authority = target.with_port();
    let mut request = format!("CONNECT {authority} HTTP/1.1\r\nHost: {authority}\r\n").into_bytes();
    if let Some(authorization) = &proxy.authorization {
        request.extend(
            iter::once(b"Proxy-Authorization: ".as_slice()).chain([authorization.as_bytes(), b"\r\n"]).flatten(),
        );
    }
    request.extend_from_slice(b"\r\n");
    stream.write_all(&request).await.map_err(broke)?;
    stream.flush().await.map_err(broke)?;
    // Byte by byte: what follows the head is the server's.
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") && !head.ends_with(b"\n\n") {
        if head.len() == MAX_TUNNEL_HEAD {
            return Err(Fault::protocol("the headers of the proxy have no end"));
        }
        head.push(stream.read_u8().await.map_err(broke)?);
    }
    let status = head.split(u8::is_ascii_whitespace).nth(1).and_then(|status| std::str::from_utf8(status).ok());
    match status {
        Some(status) if head.starts_with(b"HTTP/1.") && status.starts_with('2') && status.len() == 3 => Ok(()),
        Some(status) if head.starts_with(b"HTTP/1.") && status.parse::<u16>().is_ok() => {
            let message = format!("no connection: the proxy answered {status} to CONNECT");
            Err(Fault::new(FaultKind::Refused, message))
        }
        _ => Err(Fault::protocol("the proxy sent something else")),
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv6Addr;

    use tokio::net::TcpListener;
    use tokio::time::{Instant, timeout};

    use super::*;

    fn run<F: Future>(future: F) -> F::Output {
        tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
    }

    #[test]
    fn ipv6_comes_first_and_ipv4_takes_its_place() {
        run(async {
            let four = TcpListener::bind("127.0.0.1:0").await.unwrap();
            let port = four.local_addr().unwrap().port();
            let addresses: Vec<SocketAddr> = vec![([127, 0, 0, 1], port).into(), (Ipv6Addr::LOCALHOST, port).into()];
            let reached = first_that_answers(addresses.clone()).await.unwrap();
            assert_eq!(reached.peer_addr().unwrap(), four.local_addr().unwrap());
            // Where both answer, it is the first. Not every machine has IPv6.
            if let Ok(six) = TcpListener::bind((Ipv6Addr::LOCALHOST, port)).await {
                let reached = first_that_answers(addresses).await.unwrap();
                assert_eq!(reached.peer_addr().unwrap(), six.local_addr().unwrap());
            }
        });
    }

    #[test]
    fn an_address_that_does_not_answer_holds_up_the_next_for_a_moment() {
        run(async {
            let open = TcpListener::bind("127.0.0.1:0").await.unwrap();
            // A listener whose queue is full drops what else would connect.
            let socket = tokio::net::TcpSocket::new_v4().unwrap();
            socket.bind("127.0.0.2:0".parse().unwrap()).unwrap();
            let full = socket.listen(0).unwrap();
            let mute = full.local_addr().unwrap();
            let mut held = Vec::new();
            while let Ok(Ok(stream)) = timeout(HEAD_START, TcpStream::connect(mute)).await {
                held.push(stream);
            }
            let begun = Instant::now();
            let reached = first_that_answers(vec![mute, open.local_addr().unwrap()]).await.unwrap();
            assert_eq!(reached.peer_addr().unwrap(), open.local_addr().unwrap());
            assert!(begun.elapsed() >= HEAD_START);
        });
    }

    #[test]
    fn only_addresses_that_may_be_reached_are_left() {
        let private: SocketAddr = "127.0.0.1:80".parse().unwrap();
        let public: SocketAddr = "[2606:2800:21f:cb07:6820:80da:af6b:8b2c]:80".parse().unwrap();
        assert_eq!(allowed("e.com", vec![private, public], false).unwrap(), [public]);
        assert_eq!(allowed("e.com", vec![private, public], true).unwrap(), [private, public]);
        let fault = allowed("e.com", vec![private], false).unwrap_err();
        assert_eq!(fault.message, "a private address, which this run may not reach: e.com is 127.0.0.1");
        assert_eq!(allowed("e.com", vec![], true).unwrap_err().kind, FaultKind::Dns);
    }
}
