//! Callbacks of the application: messages, and the masking of secrets in events.

use serde_json::{Map, Value};
use std::sync::Arc;

/// Receives a message. It must not block.
pub type Log = Arc<dyn Fn(&str) + Send + Sync>;

/// Masks an event before it is hashed and stored. Called on the ledger's thread.
pub trait Redact: Send + Sync {
    /// Masks the content of an event: JSON of all members but `seq`, `id`, `prev` and `hash`, including large values. The
    /// returned content replaces it, except `type`, `ts`, `call` and `parent`. If it is not a JSON object, or on a panic,
    /// the event is kept without path and body, and records that.
    fn redact(&self, content: String) -> String;

    /// The first `chars` characters of a text whose rest is not kept. It is masked before it is truncated, so that it does
    /// not end with the beginning of a secret. Called on any thread.
    fn preview(&self, text: &str, chars: usize) -> String {
        text.chars().take(chars).collect()
    }

    /// Whether the hook may change any of these members. Most events have nothing to mask and need not be serialised for the
    /// hook.
    fn concerns(&self, members: &Map<String, Value>) -> bool;

    /// As [`Self::concerns`], for the JSON of one member, which has no escapes.
    fn concerns_plain(&self, name: &str, json: &str) -> bool;
}

/// Replaces a body that could not be masked.
pub const HIDDEN: &str = "[hidden: redact failed]";
