//! Bounds on their way in: Python's `Budget` and `Limits` as the core's.

use std::collections::HashMap;

use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use urlset_core::limits::{Budget, Limits};

/// The fields of a budget and the limits, as `_limits.bounds_for_core` hands them over.
pub type Given = (HashMap<String, u64>, Option<(u64, u64)>);

pub fn bounds((budget, limits): &Given) -> PyResult<(Budget, Option<Limits>)> {
    let get = |name: &str| budget.get(name).copied().ok_or_else(|| PyKeyError::new_err(name.to_owned()));
    // Where a machine's words are smaller, more than it can address is as good as no bound.
    let size = |name: &str| get(name).map(|number| usize::try_from(number).unwrap_or(usize::MAX));
    let budget = Budget {
        wire_bytes: get("wire_bytes")?,
        decoded_bytes: get("decoded_bytes")?,
        ratio: get("ratio")?,
        layers: size("layers")?,
        // Places inside a piece are kept in 32 bits.
        piece_bytes: size("piece_bytes")?.min(1 << 30),
        text_bytes: size("text_bytes")?,
        depth: size("depth")?,
        attributes: size("attributes")?,
        prefixes: size("prefixes")?,
        items_per_entry: size("items_per_entry")?,
        entries: get("entries")?,
        findings: size("findings")?,
    };
    Ok((budget, limits.map(|(entries, bytes)| Limits { entries, bytes })))
}

/// The default of every field of a budget.
#[pyfunction]
pub fn default_budget() -> HashMap<&'static str, u64> {
    let budget = Budget::DEFAULT;
    HashMap::from([
        ("wire_bytes", budget.wire_bytes),
        ("decoded_bytes", budget.decoded_bytes),
        ("ratio", budget.ratio),
        ("layers", budget.layers as u64),
        ("piece_bytes", budget.piece_bytes as u64),
        ("text_bytes", budget.text_bytes as u64),
        ("depth", budget.depth as u64),
        ("attributes", budget.attributes as u64),
        ("prefixes", budget.prefixes as u64),
        ("items_per_entry", budget.items_per_entry as u64),
        ("entries", budget.entries),
        ("findings", budget.findings as u64),
    ])
}

/// Entries and bytes that the protocol allows one document.
#[pyfunction]
pub fn protocol_limits() -> (u64, u64) {
    (Limits::PROTOCOL.entries, Limits::PROTOCOL.bytes)
}
