//! The parameters of a tool as text, for readers of the registry and of messages.

use serde_json::Value;
use tgp_compile::Compiler;
use tgp_registry::{MAX_PARAMETERS_BYTES, META_FILE};

/// A schema that accepts anything.
const ANYTHING: &str = "{}";

/// The schema as text; `{}` if it is too large or contains a secret.
pub fn parameters_text(compiler: &Compiler, parameters: &Value) -> String {
    let text = parameters.to_string();
    let is_shown = text.len() <= MAX_PARAMETERS_BYTES && compiler.secrets(META_FILE, &text).is_empty();
    if is_shown { text } else { ANYTHING.to_owned() }
}
