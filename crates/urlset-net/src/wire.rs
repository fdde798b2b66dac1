//! A connection as bytes: plain, in TLS, or through a tunnel.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

#[cfg(target_os = "linux")]
use socket2::SockRef;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

use crate::patience::Pulse;

/// Bytes in both directions.
pub trait Stream: AsyncRead + AsyncWrite + Unpin {}

impl<S: AsyncRead + AsyncWrite + Unpin> Stream for S {}

/// Reads after which the other exchanges have their turn: what a hostile server sends may be dear to parse.
const READS_AT_ONCE: u32 = 4;

/// A connection that tells when something came, ends quietly, and lets others have their turn.
pub struct Wire {
    stream: Box<dyn Stream>,
    pulse: Pulse,
    /// Reads since there was nothing to read, or others had their turn.
    reads: u32,
}

impl Wire {
    pub fn new(stream: Box<dyn Stream>, pulse: Pulse) -> Self {
        Wire { stream, pulse, reads: 0 }
    }
}

impl AsyncRead for Wire {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.reads == READS_AT_ONCE {
            self.reads = 0;
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        let before = buffer.filled().len();
        match Pin::new(&mut self.stream).poll_read(context, buffer) {
            // A server that ends TLS without saying so has ended its message where its length says so, and not
            // otherwise: what the message itself says of its length decides.
            Poll::Ready(Err(error)) if error.kind() == io::ErrorKind::UnexpectedEof => Poll::Ready(Ok(())),
            Poll::Ready(Ok(())) => {
                self.pulse.beat(buffer.filled().len() - before);
                self.reads += 1;
                Poll::Ready(Ok(()))
            }
            other => {
                self.reads = 0;
                other
            }
        }
    }
}

impl AsyncWrite for Wire {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(context, pieces)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}

/// How long a system puts off the confirmation of what has come: about 40 ms.
const PUT_OFF: std::ops::Range<Duration> = Duration::from_millis(20)..Duration::from_millis(200);

/// A socket that confirms at once what has come, if the server waits for that.
///
/// A server that sends an answer in two pieces and has not set `TCP_NODELAY` keeps the second one back until the first is
/// confirmed, which a system may put off for 40 ms on a connection that is used again. Where the second piece comes as
/// late as that, the next ones are confirmed at once; elsewhere, each confirmation would be a packet too many.
pub struct Prompt {
    socket: TcpStream,
    /// Something of the answer has come that may not be confirmed yet.
    has_news: bool,
    /// Since when more of the answer is awaited.
    waiting_since: Option<Instant>,
    is_prompt: bool,
}

impl Prompt {
    pub fn new(socket: TcpStream) -> Self {
        Prompt { socket, has_news: false, waiting_since: None, is_prompt: false }
    }

    /// A request goes out: what comes next is another answer.
    fn asks(&mut self) {
        (self.has_news, self.waiting_since) = (false, None);
    }

    /// There is nothing to read now.
    fn wait(&mut self) {
        if !std::mem::take(&mut self.has_news) {
            return;
        }
        if self.is_prompt {
            #[cfg(target_os = "linux")]
            drop(SockRef::from(&self.socket).set_tcp_quickack(true)); // it only saves time, so a failure does not matter
        } else {
            self.waiting_since = Some(Instant::now());
        }
    }
}

impl AsyncRead for Prompt {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let polled = Pin::new(&mut self.socket).poll_read(context, buffer);
        if polled.is_pending() {
            self.wait();
        } else {
            self.has_news = true;
            let waited = self.waiting_since.take();
            self.is_prompt |= waited.is_some_and(|since| PUT_OFF.contains(&since.elapsed()));
        }
        polled
    }
}

impl AsyncWrite for Prompt {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.asks();
        Pin::new(&mut self.socket).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_shutdown(context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.asks();
        Pin::new(&mut self.socket).poll_write_vectored(context, pieces)
    }

    fn is_write_vectored(&self) -> bool {
        self.socket.is_write_vectored()
    }
}
