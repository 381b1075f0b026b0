//! The input of lint rules, and helpers that several rules share.

pub(super) mod entry;
pub(super) mod identifier_words;
#[expect(clippy::module_inception, reason = "the file is named for its main item")]
pub(super) mod rule_context;
pub(super) mod string_literals;
