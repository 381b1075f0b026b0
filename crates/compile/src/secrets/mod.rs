//! Secret detection in code and in other text.

pub(super) mod patterns;
pub(super) mod text_scan;
