//! One exchange: a request, its answer, and what becomes of the body.

use std::error::Error as _;
use std::future::poll_fn;
use std::rc::Rc;
use std::sync::Arc;

use http::header::{CONTENT_LENGTH, TRANSFER_ENCODING};
use http::{Method, Response, StatusCode, Version};
use http_body_util::BodyExt;
use hyper::body::{Body as _, Incoming};
use tokio::sync::oneshot;
use tokio::time::Instant;
use urlset_engine::pipe::Pipe;

use crate::connections::{Connection, Connections};
use crate::content::{Content, content_coding};
use crate::event::{Event, EventKind};
use crate::fault::Fault;
use crate::hyper_fault::fault_of;
use crate::inbox::Inbox;
use crate::order::Order;
use crate::patience::{Patience, Pulse};
use crate::settings::Settings;

/// What the exchanges of a transport share.
pub struct Net {
    pub settings: Arc<Settings>,
    pub connections: Rc<Connections>,
    pub inbox: Arc<Inbox>,
}

/// Where the body of a streamed answer goes, once somebody says so.
pub type Poured = oneshot::Receiver<Arc<Pipe>>;

/// Runs an exchange to its end, and reports that.
pub async fn run(order: Order, net: Rc<Net>, poured: Poured) {
    let begun = Instant::now();
    let mut event = Event::new(order.number);
    let mut exchange = Exchange { order: &order, net: &net, event: &mut event, begun };
    let ended = exchange.run(poured).await;
    let seconds = exchange.begun.elapsed().as_secs_f64();
    if let Err(fault) = ended {
        event.kind = EventKind::Failed;
        event.is_whole = false;
        event.fault = Some(fault);
    }
    event.seconds = seconds;
    net.inbox.add(event);
}

struct Exchange<'a> {
    order: &'a Order,
    net: &'a Rc<Net>,
    event: &'a mut Event,
    begun: Instant,
}

/// A request that was not answered, and whether it may be sent again without harm.
struct Unanswered {
    fault: Fault,
    may_repeat: bool,
}

impl Exchange<'_> {
    async fn run(&mut self, poured: Poured) -> Result<(), Fault> {
        let mut patience = Patience::new(self.order.deadline, self.net.settings.timeout);
        let (response, connection) = self.answer(&mut patience).await?;
        let (head, body) = response.into_parts();
        self.event.status = head.status.as_u16();
        self.event.version = head.version;
        self.event.headers = head.headers;
        if head.status == StatusCode::SWITCHING_PROTOCOLS {
            return Err(Fault::protocol("the server switched to another protocol, which nobody asked for"));
        }
        let end = End::of(self.order, self.event, &body);
        let pulse = match &connection {
            Connection::One(one) => Some(one.pulse.clone()),
            Connection::Two(_) => None, // others use it, too
        };
        let mut arriving = Arriving { body, pulse, end };
        match self.order.most {
            Some(most) => self.collect(most, &mut arriving, &mut patience).await?,
            None => self.stream(poured, &mut arriving, &mut patience).await?,
        }
        if let Connection::One(one) = connection
            && self.event.is_whole
            && !arriving.end.is_doubtful
        {
            self.net.connections.keep(one);
        }
        Ok(())
    }

    /// Send the request until it is answered: twice at most, and the second time only if that cannot harm.
    async fn answer(&mut self, patience: &mut Patience) -> Result<(Response<Incoming>, Connection), Fault> {
        let mut is_fresh = false;
        loop {
            let mut connection = self.net.connections.open(self.order, is_fresh, patience).await?;
            match self.send(&mut connection, patience).await? {
                Ok(response) => return Ok((response, connection)),
                Err(unanswered) => {
                    if let Connection::Two(two) = &connection {
                        self.net.connections.forget(two);
                    }
                    if is_fresh || !unanswered.may_repeat {
                        return Err(unanswered.fault);
                    }
                }
            }
            is_fresh = true;
        }
    }

    async fn send(
        &mut self,
        connection: &mut Connection,
        patience: &mut Patience,
    ) -> Result<Result<Response<Incoming>, Unanswered>, Fault> {
        let order = self.order;
        // Source: RFC 9110, section 9.2.2: a request is repeated without asking only if its method is idempotent.
        let is_harmless = order.method.is_idempotent();
        match connection {
            Connection::One(one) => {
                self.event.address = Some(one.address);
                let proxy = self.net.settings.proxy_for(&order.target).filter(|_| one.is_proxied);
                let request = proxy.map_or_else(|| order.for_server(), |proxy| order.for_proxy(proxy));
                let before = one.pulse.bytes();
                let sent = patience.wait(Some(&one.pulse), one.sender.try_send_request(request)).await?;
                Ok(sent.map_err(|mut failed| {
                    let was_sent = failed.take_message().is_none();
                    let is_silent = one.pulse.bytes() == before;
                    let may_repeat = one.is_reused && is_silent && (is_harmless || !was_sent);
                    Unanswered { fault: self.fault_of(failed.error()), may_repeat }
                }))
            }
            Connection::Two(two) => {
                self.event.address = Some(two.address);
                let sent = patience.wait(None, two.sender.try_send_request(order.for_http2())).await?;
                Ok(sent.map_err(|mut failed| {
                    let was_sent = failed.take_message().is_none();
                    let error = failed.error();
                    let may_repeat = !was_sent
                        || is_refused_stream(error)
                        || (is_harmless && (is_goaway(error) || (two.is_reused && is_broken(error))));
                    Unanswered { fault: self.fault_of(error), may_repeat }
                }))
            }
        }
    }

    fn fault_of(&self, error: &hyper::Error) -> Fault {
        fault_of(error, &self.order.target.host, self.net.settings.max_header_bytes)
    }

    /// Take the first bytes of the content.
    async fn collect(&mut self, most: usize, arriving: &mut Arriving, patience: &mut Patience) -> Result<(), Fault> {
        let mut content = Content::new(&content_coding(&self.event.headers), most)?;
        let mut is_cut = false;
        while !is_cut && let Some(bytes) = self.next(arriving, patience).await? {
            is_cut = content.feed(&bytes)?;
        }
        let (body, has_more) = content.finish()?;
        self.event.body = Some(body);
        self.event.is_cut = has_more;
        self.event.is_whole = !is_cut && arriving.is_whole();
        Ok(())
    }

    /// Tell of the headers, and pass the body on to whoever wants it, as fast as they take it.
    async fn stream(&mut self, poured: Poured, arriving: &mut Arriving, patience: &mut Patience) -> Result<(), Fault> {
        let mut head = self.event.clone();
        head.kind = EventKind::Head;
        head.seconds = self.begun.elapsed().as_secs_f64();
        self.net.inbox.add(head);
        let Ok(pipe) = patience.wait_until_deadline(poured).await? else { return Ok(()) };
        while let Some(bytes) = self.next(arriving, patience).await? {
            let wait = Instant::now();
            let is_wanted = poll_fn(|context| pipe.poll_write(&bytes, context)).await;
            // Neither the server nor the network is to blame for a reader that takes its time.
            self.begun += wait.elapsed();
            patience.extend(wait.elapsed());
            if !is_wanted {
                self.event.is_cut = true;
                return Ok(());
            }
        }
        self.event.is_whole = arriving.is_whole();
        Ok(())
    }

    /// The next bytes of the body. Trailers and empty frames carry no bytes, and do not end the body.
    async fn next(&mut self, arriving: &mut Arriving, patience: &mut Patience) -> Result<Option<bytes::Bytes>, Fault> {
        loop {
            let pulse = arriving.pulse.as_ref();
            match patience.wait(pulse, arriving.body.frame()).await? {
                None => return Ok(None),
                Some(Err(error)) => return Err(self.fault_of(&error)),
                Some(Ok(frame)) => {
                    if let Ok(bytes) = frame.into_data()
                        && !bytes.is_empty()
                    {
                        self.event.received += bytes.len() as u64;
                        return Ok(Some(bytes));
                    }
                }
            }
        }
    }
}

/// A body on its way.
struct Arriving {
    body: Incoming,
    /// What else shows that the server is still there.
    pulse: Option<Pulse>,
    end: End,
}

impl Arriving {
    /// Whether the body that has ended is known to have ended where it should.
    fn is_whole(&self) -> bool {
        // By HTTP/2, a server that gives up may look as one that is done, but for the last flag.
        self.end.is_marked && (!self.end.is_http2 || self.body.is_end_stream())
    }
}

/// How the end of a message is known.
struct End {
    /// By its length, by its last chunk, or by the last flag of HTTP/2; otherwise, it ends with the connection.
    is_marked: bool,
    is_http2: bool,
    /// It says two things, so that what follows it on the connection may be a part of it.
    ///
    /// Source: RFC 9112, section 6.3: such a message ought to be handled as an error, and its connection closed.
    is_doubtful: bool,
}

impl End {
    fn of(order: &Order, event: &Event, body: &Incoming) -> Self {
        let is_http2 = event.version == Version::HTTP_2;
        let has_length = body.size_hint().exact().is_some();
        let is_chunked = event.headers.get_all(TRANSFER_ENCODING).iter().next_back().is_some_and(|last| {
            let names = last.as_bytes().rsplit(|byte| *byte == b',');
            names.take(1).any(|name| name.trim_ascii().eq_ignore_ascii_case(b"chunked"))
        });
        let has_none = order.method == Method::HEAD || matches!(event.status, 204 | 304);
        let is_doubtful =
            event.headers.contains_key(TRANSFER_ENCODING) && event.headers.contains_key(CONTENT_LENGTH) && !is_http2;
        End { is_marked: is_http2 || has_length || is_chunked || has_none, is_http2, is_doubtful }
    }
}

/// The error of HTTP/2 behind one of hyper.
fn of_http2(error: &hyper::Error) -> Option<&h2::Error> {
    error.source().and_then(|source| source.downcast_ref())
}

fn is_refused_stream(error: &hyper::Error) -> bool {
    of_http2(error).is_some_and(|error| error.reason() == Some(h2::Reason::REFUSED_STREAM))
}

fn is_goaway(error: &hyper::Error) -> bool {
    of_http2(error).is_some_and(h2::Error::is_go_away)
}

fn is_broken(error: &hyper::Error) -> bool {
    error.is_canceled() || error.is_closed() || of_http2(error).is_some_and(h2::Error::is_io)
}
