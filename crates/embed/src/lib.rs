//! Meaning as vectors: texts that mean the same point the same way.
//!
//! A small language model (all-MiniLM-L6-v2, its weights rounded to 8 bits) reads a text and gives 384 numbers. This part
//! holds the model, the vectors and the search among them. It reads no file: the kernel hands it bytes.
//!
//! Everything is computed in the same order with the same rounding on every machine, so the same text gives the same
//! vector everywhere.

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
mod vectors;
mod wordpiece;

pub use embed_error::EmbedError;
pub use embedder::{Embedder, MAX_TEXT_BYTES};
pub use model_file::{MAX_MODEL_BYTES, ModelId};
pub use vector::{MAX_DIMENSION, Vector};
pub use vector_file::MAX_VECTOR_FILE_BYTES;
pub use vectors::{Cosines, MAX_VECTORS, Slot, TextKey, Vectors};
