//! HTTP for urlset. One thread transfers; another one takes the events of its exchanges, and decides what is asked next.
//!
//! Whoever asks decides: what is asked and when, robots.txt, retries, redirects, pace and budgets. Here is what one
//! exchange needs: addresses that are judged before they are dialled, TLS, proxies, HTTP/1 and HTTP/2, connections that
//! are kept, and an end to every wait.

pub mod addresses;
pub mod content;
pub mod event;
pub mod fault;
pub mod inbox;
pub mod order;
pub mod proxy;
pub mod settings;

mod connections;
mod dial;
mod exchange;
mod hyper_fault;
mod patience;
mod tls;
mod transport;
mod wire;

pub use transport::Transport;
