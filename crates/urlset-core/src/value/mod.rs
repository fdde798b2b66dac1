//! The grammars of single values, one per file, each next to the sentence of the protocol that it implements.

pub mod calendar;
pub mod changefreq;
pub mod feed_date;
pub mod host;
pub mod href;
pub mod hreflang;
pub mod hrefs;
pub mod identity;
pub mod languages;
pub mod lastmod;
pub mod loc;
pub mod loose_date;
pub mod pattern;
pub mod priority;
pub mod relative;
pub mod repair;
pub mod standard_url;
pub mod w3c_date;
pub mod zone;
