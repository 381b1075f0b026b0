//! What a secret looks like, in code and in any other text.

pub(super) mod patterns;
pub(super) mod text_scan;
