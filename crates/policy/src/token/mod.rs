//! Capability tokens: a holder can narrow a token, but not widen it.

mod block;
pub(super) mod capability;
mod chain;
mod instant;
pub(super) mod keys;
mod mac;
pub(super) mod token_id;
pub(super) mod token_text;
