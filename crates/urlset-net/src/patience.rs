//! How long an exchange may wait: for the next bytes, and in all.

use std::cell::Cell;
use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::rc::Rc;
use std::task::{Poll, ready};
use std::time::Duration;

use tokio::time::{Instant, Sleep, sleep_until};

use crate::fault::Fault;

/// When a connection last had something to read, and how much that was in all.
#[derive(Debug, Clone)]
pub struct Pulse(Rc<Cell<(Instant, u64)>>);

impl Pulse {
    pub fn new() -> Self {
        Pulse(Rc::new(Cell::new((Instant::now(), 0))))
    }

    pub fn beat(&self, bytes: usize) {
        self.0.set((Instant::now(), self.0.get().1 + bytes as u64));
    }

    fn last(&self) -> Instant {
        self.0.get().0
    }

    /// Bytes that have come.
    pub fn bytes(&self) -> u64 {
        self.0.get().1
    }
}

/// The waits of one exchange. A server that sends byte by byte resets the wait for bytes, but not the deadline.
pub struct Patience {
    /// Wakes at the earliest moment at which a wait may be over. It is set anew only then: most waits are short.
    alarm: Pin<Box<Sleep>>,
    deadline: Instant,
    timeout: Duration,
}

impl Patience {
    pub fn new(deadline: Instant, timeout: Duration) -> Self {
        let first = deadline.min(Instant::now() + timeout);
        Patience { alarm: Box::pin(sleep_until(first)), deadline, timeout }
    }

    /// Put the deadline off.
    pub fn extend(&mut self, by: Duration) {
        self.deadline += by;
    }

    /// Wait for `future`, and as long as something comes on the connection of `pulse`, if there is one.
    pub async fn wait<F: Future>(&mut self, pulse: Option<&Pulse>, future: F) -> Result<F::Output, Fault> {
        self.wait_at_most(Some(self.timeout), pulse, future).await
    }

    /// Wait for `future` until the deadline: what it waits for is not the server.
    pub async fn wait_until_deadline<F: Future>(&mut self, future: F) -> Result<F::Output, Fault> {
        self.wait_at_most(None, None, future).await
    }

    async fn wait_at_most<F: Future>(
        &mut self,
        timeout: Option<Duration>,
        pulse: Option<&Pulse>,
        future: F,
    ) -> Result<F::Output, Fault> {
        let begun = Instant::now();
        let first = timeout.map_or(self.deadline, |timeout| begun + timeout);
        if self.alarm.deadline() > first {
            self.alarm.as_mut().reset(first); // the wait before this one was for the deadline alone
        }
        let mut future = pin!(future);
        poll_fn(|context| {
            if let Poll::Ready(output) = future.as_mut().poll(context) {
                return Poll::Ready(Ok(output));
            }
            loop {
                ready!(self.alarm.as_mut().poll(context));
                let now = Instant::now();
                if now >= self.deadline {
                    return Poll::Ready(Err(Fault::deadline()));
                }
                let last = pulse.map_or(begun, |pulse| pulse.last().max(begun));
                let end = timeout.map_or(self.deadline, |timeout| last + timeout);
                if now >= end {
                    return Poll::Ready(Err(Fault::timeout()));
                }
                self.alarm.as_mut().reset(end.min(self.deadline));
            }
        })
        .await
    }
}
