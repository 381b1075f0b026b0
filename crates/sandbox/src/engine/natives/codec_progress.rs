//! What one step of a compression or decompression has done.

/// Bytes read, bytes written, and whether the data has ended.
pub type Progress = [u64; 3];
