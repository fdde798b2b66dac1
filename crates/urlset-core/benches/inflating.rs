//! How long the core takes to undo the compression of a document, without reading it.
//!
//!     cargo bench -p urlset-core --bench inflating -- "$PWD/benches/data/plain-50000.xml.gz"
//!
//! It prints a line of JSON for each file: the bytes that come of it, and the seconds of the best of `--times` times.

#![expect(clippy::print_stdout, reason = "that is where they are read")]

use std::time::Instant;
use std::{env, fs, hint, io};

use urlset_core::decode::{BodyDecoder, ContentEncoding};
use urlset_core::limits::Budget;

/// Undoes the compression, and hands on one buffer after the other. Returns how many bytes came of it.
fn inflate(document: &[u8]) -> io::Result<usize> {
    let encoding = ContentEncoding::parse("gzip").expect("a coding that is known");
    let mut decoder = BodyDecoder::new(encoding, Budget::DEFAULT);
    let mut bytes = 0;
    let mut out = |piece: &[u8]| {
        bytes += hint::black_box(piece).len();
        Ok(())
    };
    decoder.feed(document, &mut out).map_err(io::Error::other)?;
    decoder.finish(&mut out).map_err(io::Error::other)?;
    Ok(bytes)
}

fn main() -> io::Result<()> {
    let mut times = 1;
    for argument in env::args().skip(1) {
        if let Some(number) = argument.strip_prefix("--times=") {
            times = number.parse().map_err(io::Error::other)?;
        }
        if argument.starts_with("--") {
            continue;
        }
        let document = fs::read(&argument)?;
        let (mut best, mut bytes) = (f64::INFINITY, 0);
        for _ in 0..times {
            let start = Instant::now();
            bytes = inflate(&document)?;
            best = best.min(start.elapsed().as_secs_f64());
        }
        println!("{{\"bytes\": {bytes}, \"seconds\": {best:.6}}}");
    }
    Ok(())
}
