//! Tests of the whole model: against the reference implementation, and with hostile files.

mod hostile_file;
mod originals;
mod tiles;
mod tiny_model;

use super::Embedder;
use std::io::Write;
use std::path::Path;

/// The real weights, if `npm run memory` has made them.
fn real_weights() -> Option<Vec<u8>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../npm/memory/all-minilm-l6-v2.int8.bin");
    let weights = std::fs::read(path).ok();
    if weights.is_none() {
        let _ = writeln!(std::io::stderr(), "skipped: no weights. Make them with `npm run memory`");
    }
    weights
}

fn real_model() -> Option<Embedder> {
    real_weights().map(|weights| Embedder::read(weights).unwrap())
}
