//! Positions in a source and in its compiled text.

pub(super) mod covered_lines;
pub(super) mod position_map;
pub(super) mod source_index;
