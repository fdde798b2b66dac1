//! Who links to whom, as columns.

use std::sync::{Arc, LazyLock};

use arrow_array::{ArrayRef, BooleanArray, RecordBatch};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use urlset_texts::TextBuilder;

use crate::value::identity::page_form;

static SCHEMA: LazyLock<SchemaRef> = LazyLock::new(|| {
    let text = |name| Field::new(name, DataType::Utf8, false);
    let is_nofollow = Field::new("is_nofollow", DataType::Boolean, false);
    Arc::new(Schema::new(vec![text("source"), text("target"), text("kind"), is_nofollow]))
});

/// Links under construction. Both ends are in the form by which pages are compared.
#[derive(Debug, Default)]
pub struct LinkRows {
    source: TextBuilder,
    target: TextBuilder,
    kind: TextBuilder,
    is_nofollow: Vec<bool>,
}

impl LinkRows {
    /// Add the links of one kind that a page has.
    pub fn extend<'l>(&mut self, source: &str, kind: &str, links: impl IntoIterator<Item = (&'l str, bool)>) {
        let source = page_form(source);
        for (target, is_nofollow) in links {
            self.source.push(&source);
            self.target.push(&page_form(target));
            self.kind.push(kind);
            self.is_nofollow.push(is_nofollow);
        }
    }

    /// Bytes of all texts.
    pub fn bytes(&self) -> usize {
        self.source.bytes() + self.target.bytes() + self.kind.bytes()
    }

    /// The rows. There are none afterwards.
    pub fn take(&mut self) -> RecordBatch {
        let columns: Vec<ArrayRef> = vec![
            Arc::new(self.source.finish()),
            Arc::new(self.target.finish()),
            Arc::new(self.kind.finish()),
            Arc::new(BooleanArray::from(std::mem::take(&mut self.is_nofollow))),
        ];
        RecordBatch::try_new(SCHEMA.clone(), columns).expect("each column has a value for each link")
    }
}

#[cfg(test)]
mod tests {
    use arrow_array::cast::AsArray;

    use super::*;

    #[test]
    fn links_are_rows_by_their_normal_forms() {
        let mut rows = LinkRows::default();
        rows.extend("https://E.com/a#top", "a", [("https://e.com/%7eb", false), ("https://e.com/c", true)]);
        rows.extend("https://e.com/d", "redirect", []);
        rows.extend("https://e.com/d", "redirect", [("https://e.com/e", false)]);
        assert_eq!(rows.bytes(), 45 + 46 + 10);
        let batch = rows.take();
        let texts = |at: usize| batch.column(at).as_string::<i32>().iter().flatten().collect::<Vec<_>>();
        assert_eq!(texts(0), ["https://e.com/a", "https://e.com/a", "https://e.com/d"]);
        assert_eq!(texts(1), ["https://e.com/~b", "https://e.com/c", "https://e.com/e"]);
        assert_eq!(texts(2), ["a", "a", "redirect"]);
        assert_eq!(batch.column(3).as_boolean(), &BooleanArray::from(vec![false, true, false]));
        assert_eq!((rows.bytes(), rows.take().num_rows()), (0, 0));
    }
}
