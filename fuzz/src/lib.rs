//! What must hold whatever is read or written. Each target is one function of bytes that panics where it does not.
//!
//! `cargo fuzz` calls them by `fuzz_targets/`, `cargo test` by `tests/`, without a fuzzer.

pub mod chunks;
pub mod fix;
pub mod formats;
pub mod outcome;
pub mod pack;
pub mod positions;
pub mod read;
pub mod recover;
pub mod rewrite;
pub mod robots;
pub mod write_read;
pub mod written;

/// One thing that must hold.
pub struct Target {
    pub name: &'static str,
    pub run: fn(&[u8]),
    /// The inputs that a document of the vectors makes.
    pub seeds: fn(&[u8]) -> Vec<Vec<u8>>,
}

pub const TARGETS: [Target; 8] = [
    Target { name: "read", run: read::run, seeds: as_it_is },
    Target { name: "chunks", run: chunks::run, seeds: chunks::seeds },
    Target { name: "formats", run: formats::run, seeds: formats::seeds },
    Target { name: "recover", run: recover::run, seeds: recover::seeds },
    Target { name: "rewrite", run: rewrite::run, seeds: as_it_is },
    Target { name: "fix", run: fix::run, seeds: as_it_is },
    Target { name: "write_read", run: write_read::run, seeds: as_it_is },
    Target { name: "robots", run: robots::run, seeds: robots::seeds },
];

fn as_it_is(document: &[u8]) -> Vec<Vec<u8>> {
    vec![document.to_vec()]
}

/// The documents of the conformance vectors, in the order of their names.
pub fn vectors() -> Vec<Vec<u8>> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../vectors");
    let entries = |folder| std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let folders = entries(folder).filter(|path| path.is_dir());
    let is_document = |path: &std::path::PathBuf| path.is_file() && path.extension().is_none_or(|end| end != "json");
    let mut paths: Vec<_> = folders.flat_map(entries).filter(is_document).collect();
    paths.sort();
    paths.iter().map(|path| std::fs::read(path).expect("a vector")).collect()
}
