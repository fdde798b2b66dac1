//! `urlset._core`: glue between Python and `urlset-core` with `urlset-engine`, one file per verb. It only converts: Python
//! above it or the crates below it decide.

mod bounds;
mod compare;
mod crawl;
mod diff;
mod encoding;
mod filter;
mod findings;
mod fingerprint;
mod input;
mod interpreter;
mod lent;
mod lint;
mod manifest;
mod net;
mod objects;
mod page;
mod pipe;
mod publish;
mod records;
mod render;
mod report;
mod robots;
mod rows;
mod sample;
mod single;
mod slotted;
mod store;
mod stream;
mod table;
mod values;
mod write;

use pyo3::prelude::*;

/// The compiled core of urlset. Private: the package's own modules are its only callers.
#[pymodule]
mod _core {
    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");
    #[pymodule_export]
    use super::bounds::{Budget, Limits, default_budget, protocol_limits};
    #[pymodule_export]
    use super::compare::{AssignedRows, Compared, compare_rows};
    #[pymodule_export]
    use super::crawl::{LinkRows, SeenUrls};
    #[pymodule_export]
    use super::diff::{Candidates, DiffRows};
    #[pymodule_export]
    use super::encoding::check_content_encoding;
    #[pymodule_export]
    use super::filter::Filter;
    #[pymodule_export]
    use super::findings::{findings_schema, findings_stream};
    #[pymodule_export]
    use super::fingerprint::Fingerprint;
    #[pymodule_export]
    use super::lint::{LintReport, Rule, RuleSelection, catalogue, fix, lint};
    #[pymodule_export]
    use super::manifest::ManifestWriter;
    #[pymodule_export]
    use super::net::{Content, Event, Transport, is_public_address};
    #[pymodule_export]
    use super::page::{PageExtract, body_hash, challenger, check_selectors, joined_url, page_extract, refresh_target};
    #[pymodule_export]
    use super::pipe::Pipe;
    #[pymodule_export]
    use super::publish::{Documents, PackedShard, ShardContent, ShardDocument, pack_shards};
    #[pymodule_export]
    use super::records::records;
    #[pymodule_export]
    use super::render::Renderer;
    #[pymodule_export]
    use super::report::{Child, DocumentReport, Edit, Fault, Finding, Fix};
    #[pymodule_export]
    use super::robots::{Refused, Robots, RobotsCensus, RobotsCrawler, RobotsSites, robots_fields, robots_pairs};
    #[pymodule_export]
    use super::rows::Rows;
    #[pymodule_export]
    use super::sample::EntrySample;
    #[pymodule_export]
    use super::single::read_document;
    #[pymodule_export]
    use super::store::{Lastmods, NewSet, RowStore, StoredRows};
    #[pymodule_export]
    use super::stream::Stream;
    #[pymodule_export]
    use super::table::{Batches, JsonLines, columns, schema};
    #[pymodule_export]
    use super::values::{
        host_name, lastmod_micros, normalized_url, normalized_urls, page_form, standard_url, url_origin, usual_hreflang,
    };
    #[pymodule_export]
    use super::write::{FillStatus, Filled, Finished, Packer, Refusal, Verified, gzip, verify};
}
