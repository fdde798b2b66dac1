//! The links of crawled pages: the rows that they become, and which of them may lead to something new.

mod link_rows;
mod seen;

pub use link_rows::LinkRows;
pub use seen::SeenUrls;
