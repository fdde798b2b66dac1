//! Where the text of a document goes in the end.

use crate::read::Reader;

/// The reader of a document, and the sink that its entries go to.
pub struct Output<'a, S> {
    pub reader: &'a mut Reader,
    pub sink: &'a mut S,
}
