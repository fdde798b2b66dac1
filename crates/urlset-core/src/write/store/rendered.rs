//! How a store holds rendered rows.

use super::facts::Facts;
use super::rendered_row::{Extras, RenderedRow};
use super::row::{Record, RowKind, Texts, push_texts};
use crate::compact::{push_number, take_number};
use crate::write::layout::NamespacesUsed;

/// The kind of rows that were rendered.
#[derive(Debug, Clone, Copy)]
pub struct Rendered;

impl RowKind for Rendered {
    type Row<'r> = RenderedRow<'r>;
    type Facts = Facts;

    fn key<'a>(row: &'a RenderedRow<'_>) -> (u32, &'a str) {
        (row.shard, row.loc)
    }

    /// The index of the row, its size, its namespaces, when it was first seen, and its texts.
    fn write(row: &RenderedRow<'_>, out: &mut Vec<u8>) {
        for number in [row.row, row.size.into(), row.namespaces.0.into(), row.first_seen] {
            push_number(number, out);
        }
        push_texts([row.lastmod, row.after_lastmod, row.news].into_iter().chain(row.extras.iter()), out);
    }

    fn read(record: Record<'_>) -> Option<RenderedRow<'_>> {
        let Record { shard, loc, mut rest } = record;
        let row = take_number(&mut rest)?;
        let size = take_number(&mut rest)?.try_into().ok()?;
        let namespaces = NamespacesUsed(take_number(&mut rest)?.try_into().ok()?);
        let first_seen = take_number(&mut rest)?;
        let mut texts = Texts::read(rest)?;
        Some(RenderedRow {
            row,
            loc: simdutf8::basic::from_utf8(loc).ok()?,
            lastmod: texts.take(),
            after_lastmod: texts.take(),
            news: texts.take(),
            namespaces,
            size,
            shard,
            first_seen,
            extras: Extras::Stored(texts),
        })
    }

    fn count(row: &RenderedRow<'_>, bytes: usize, facts: &mut Facts) {
        facts.add(row, bytes);
    }
}
