//! Any bytes, read; what was read, written; what was written, read again: the same rows.

use urlset_core::read::Kind;
use urlset_core::write::arrow::BatchRows;
use urlset_core::write::names::ColumnNames;

use crate::outcome::{ROOMY, read_bytes};
use crate::written;

pub fn run(data: &[u8]) {
    let outcome = read_bytes([data], "", ROOMY);
    for (record, sitemaps) in outcome.rows.iter().zip(&outcome.sitemaps) {
        let rows = BatchRows::new(record, &ColumnNames::default(), &[]).expect("our own table can be read");
        let is_sitemap = |at: usize| sitemaps.get(at).copied().unwrap_or(false);
        for kind in [Kind::Urlset, Kind::Sitemapindex] {
            let of_kind = |at: &usize| is_sitemap(*at) == (kind == Kind::Sitemapindex);
            written::check(kind, None, (0..rows.len()).filter(of_kind).map(|at| rows.row(at)));
        }
    }
}
