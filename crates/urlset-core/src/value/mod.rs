//! The grammars of single values, one a file, each below the sentence of the protocol that it obeys.

pub mod changefreq;
pub mod feed_date;
pub mod href;
pub mod hreflang;
pub mod lastmod;
pub mod loc;
pub mod priority;
pub mod relative;
pub mod repair;
