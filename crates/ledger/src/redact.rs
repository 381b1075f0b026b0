//! The application's hook that masks what must not be kept.

use serde_json::{Map, Value};

/// Masks an event before it is hashed and kept. Called on the ledger's own thread.
pub trait Redact: Send + Sync {
    /// The content of an event as JSON (everything but `seq`, `id`, `prev` and `hash`), large values in it. What comes back
    /// takes its place; `type`, `ts`, `call` and `parent` stay what they were. When it is no JSON object, or this panics, the
    /// event is kept without path and body, and says so.
    fn redact(&self, content: String) -> String;

    /// The first `chars` characters of a text of which nobody keeps the rest. It is masked before it is cut: the end of what is
    /// left must not be the beginning of a secret. Called on any thread.
    fn preview(&self, text: &str, chars: usize) -> String {
        text.chars().take(chars).collect()
    }

    /// Whether it could change any of these members: most events hold nothing to hide, and need not be written out for it.
    fn concerns(&self, members: &Map<String, Value>) -> bool;
}

/// What stands for a body that could not be masked.
pub const HIDDEN: &str = "[hidden: redact failed]";
