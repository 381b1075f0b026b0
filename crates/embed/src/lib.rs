//! Text embeddings: vectors of texts with similar meaning have similar directions.
//!
//! A small language model (all-MiniLM-L6-v2, weights quantised to 8 bits) maps a text to 384 numbers. This part has the
//! model, the vector index and its search. It reads no files: the kernel passes bytes.
//!
//! All sums have the same order and rounding on every machine, so the same text gives the same vector everywhere.

// Not used by name: pinned beside `multiversion`.
use multiversion_macros as _;

mod attention;
mod checksum;
mod elementwise;
mod embed_error;
mod embedder;
mod encoder;
mod linear;
mod model_file;
mod packed;
mod plain_text;
#[cfg(test)]
mod tests;
mod tile;
#[cfg(target_arch = "x86_64")]
mod tile_x86;
mod vector;
mod vector_file;
mod vector_index;
mod wordpiece;

pub use embed_error::EmbedError;
pub use embedder::{Embedder, MAX_TEXT_BYTES};
pub use model_file::{MAX_MODEL_BYTES, ModelId};
pub use vector::{MAX_DIMENSION, Vector};
pub use vector_file::MAX_VECTOR_FILE_BYTES;
pub use vector_index::{Cosines, MAX_VECTORS, Slot, TextKey, VectorIndex};
