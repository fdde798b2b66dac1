//! What is wrong with the extensions of an entry: images, videos, links to other versions, and the news article.
//!
//! `lint` reports it with its place in the document, and whatever writes refuses the row. Both ask here, so the rule, the
//! words and the remedy are the same.

pub mod instead;

mod alternate;
mod fault;
mod href;
mod image;
mod judging;
mod news;
mod place;
mod video;

pub use alternate::{Link, alternates};
pub use fault::Fault;
pub use image::images;
pub use judging::Judge;
pub use news::news;
pub use place::{Item, Part, Place, Spot};
pub use video::video;
