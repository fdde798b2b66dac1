//! Bounds: Python's `Budget` and `Limits` as the core's, and their defaults.

use pyo3::prelude::*;
use urlset_core::limits;

/// The fields of a budget. `urlset.Budget` has the same ones, and takes their defaults from here.
#[pyclass(frozen, get_all)]
#[derive(FromPyObject)]
pub struct Budget {
    wire_bytes: u64,
    decoded_bytes: u64,
    ratio: u64,
    layers: u64,
    piece_bytes: u64,
    text_bytes: u64,
    depth: u64,
    attributes: u64,
    prefixes: u64,
    items_per_entry: u64,
    entries: u64,
    findings: u64,
}

/// The fields of the limits. `urlset.Limits` has the same ones, and takes their defaults from here.
#[pyclass(frozen, get_all)]
#[derive(FromPyObject)]
pub struct Limits {
    entries: u64,
    bytes: u64,
}

impl Budget {
    /// The one that Python passes as the core has it; the default without one.
    pub fn of(budget: Option<Budget>) -> limits::Budget {
        budget.map_or(limits::Budget::DEFAULT, |budget| budget.to_core())
    }

    fn to_core(&self) -> limits::Budget {
        // If a machine has smaller words, more than it can address is the same as no bound.
        let size = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
        limits::Budget {
            wire_bytes: self.wire_bytes,
            decoded_bytes: self.decoded_bytes,
            ratio: self.ratio,
            layers: size(self.layers),
            // Offsets inside a piece have 32 bits.
            piece_bytes: size(self.piece_bytes).min(1 << 30),
            text_bytes: size(self.text_bytes),
            depth: size(self.depth),
            attributes: size(self.attributes),
            prefixes: size(self.prefixes),
            items_per_entry: size(self.items_per_entry),
            entries: self.entries,
            findings: size(self.findings),
        }
    }
}

impl Limits {
    /// Return the limits as the core has them.
    pub fn to_core(&self) -> limits::Limits {
        limits::Limits { entries: self.entries, bytes: self.bytes }
    }
}

/// Return the default of every field of a budget.
#[pyfunction]
pub fn default_budget() -> Budget {
    let budget = limits::Budget::DEFAULT;
    Budget {
        wire_bytes: budget.wire_bytes,
        decoded_bytes: budget.decoded_bytes,
        ratio: budget.ratio,
        layers: budget.layers as u64,
        piece_bytes: budget.piece_bytes as u64,
        text_bytes: budget.text_bytes as u64,
        depth: budget.depth as u64,
        attributes: budget.attributes as u64,
        prefixes: budget.prefixes as u64,
        items_per_entry: budget.items_per_entry as u64,
        entries: budget.entries,
        findings: budget.findings as u64,
    }
}

/// Return the limits of the protocol.
#[pyfunction]
pub fn protocol_limits() -> Limits {
    let limits::Limits { entries, bytes } = limits::Limits::PROTOCOL;
    Limits { entries, bytes }
}
