//! Writes the corpus that fuzzing begins with, out of the vectors: `corpus/<target>/`, where it adds to what is there.

use std::fs;
use std::path::Path;

fn main() -> std::io::Result<()> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
    let vectors = urlset_fuzz::vectors();
    for target in &urlset_fuzz::TARGETS {
        let folder = corpus.join(target.name);
        fs::create_dir_all(&folder)?;
        for (number, seed) in vectors.iter().flat_map(|document| (target.seeds)(document)).enumerate() {
            fs::write(folder.join(format!("seed-{number:04}")), seed)?;
        }
    }
    Ok(())
}
