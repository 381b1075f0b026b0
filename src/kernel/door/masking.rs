//! Redaction of ledger events: configured secrets, text that looks like a secret, and whatever the application's hook
//! removes.

use crate::kernel::host_functions::HostFunctions;
use crate::kernel::host_question::ask_and_wait;
use crate::kernel::known_secrets::KnownSecrets;
use crate::kernel::secret_scan::SecretScan;
use parking_lot::Mutex;
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tgp_base::error::{Error, ErrorCode};
use tgp_ledger::Redact;

const HIDDEN: &str = "[hidden]";
/// The host function of the redaction hook, and its timeout.
const QUESTION: &str = "#redact";
const REDACT_TIMEOUT: Duration = Duration::from_secs(5);
/// How long a hook that timed out is not called again, because every event waits for it.
const RETRY_AFTER: Duration = Duration::from_secs(10);

/// Bytes of a text that are scanned for a preview: no known secret is longer.
const PREVIEW_WINDOW: usize = 64 << 10;
/// Characters after a preview that are scanned too, for secrets that are recognised by their form.
const NEAR_CHARS: usize = 1024;

/// Members whose text comes from the kernel.
const PLAIN: [&str; 6] = ["type", "ts", "call", "parent", "effect", "code"];
/// The shortest text that can be a secret.
const SHORTEST: usize = 12;

/// Prefix of capability tokens, and their minimum length after it.
const CAPABILITY: &str = "tgp_";
const CAPABILITY_CHARS: usize = 32;

/// The text with capability tokens masked.
fn without_capabilities(text: &str) -> String {
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-');
    let (mut masked, mut rest) = (String::new(), text);
    while let Some((before, found)) = rest.find(CAPABILITY).and_then(|at| rest.split_at_checked(at)) {
        let behind = found.trim_start_matches(is_part);
        let word = found.strip_suffix(behind).unwrap_or(found);
        masked.push_str(before);
        if word.len() < CAPABILITY.len() + CAPABILITY_CHARS {
            masked.push_str(word);
        } else {
            masked.push_str(CAPABILITY);
            masked.push_str(HIDDEN);
        }
        rest = behind;
    }
    masked.push_str(rest);
    masked
}

/// A cheap pre-check: whether the value has a long word with a digit, or a name before a value.
fn may_hold_secret(value: &Value) -> bool {
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        match value {
            Value::String(text) if is_suspicious(text) => return true,
            Value::Array(items) => open.extend(items),
            Value::Object(members) => {
                if members.keys().any(|key| is_suspicious(key)) {
                    return true;
                }
                open.extend(members.values());
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    false
}

fn is_suspicious(text: &str) -> bool {
    if text.len() < SHORTEST {
        return false;
    }
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'+' | b'.');
    let mut words = text.as_bytes().split(|byte| !is_word(*byte));
    text.contains([':', '=']) || words.any(|word| word.len() >= SHORTEST && word.iter().any(u8::is_ascii_digit))
}

/// Whether the application has a redaction hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RedactHook {
    Absent,
    Present,
}

impl RedactHook {
    /// Parses JavaScript's `'present' | 'absent'`.
    ///
    /// # Errors
    /// For any other text: without the hook, the application's secrets would be recorded.
    pub fn parse(text: &str) -> Result<Self, Error> {
        match text {
            "present" => Ok(Self::Present),
            "absent" => Ok(Self::Absent),
            _ => Err(Error::new(ErrorCode::Internal, "The redaction hook is neither 'present' nor 'absent'.")),
        }
    }
}

pub struct Masking {
    pub known: Arc<KnownSecrets>,
    pub secrets: SecretScan,
    pub functions: Arc<dyn HostFunctions>,
    pub hook: RedactHook,
    /// When a hook that timed out is called again.
    pub silent_until: Mutex<Option<Instant>>,
}

impl Masking {
    /// The text with known secrets masked, and beginnings of them, as the text may have been cut.
    fn without_known(&self, text: &str) -> String {
        without_capabilities(&self.known.without_beginnings(text))
    }

    fn masked(&self, content: &str) -> Option<String> {
        let known = self.without_known(content);
        // Most events hold nothing that looks like a secret, and need not be parsed.
        if !self.secrets.is_in_words(&known) {
            return Some(known);
        }
        let mut value: Value = serde_json::from_str(&known).ok()?;
        let mut open = vec![&mut value];
        while let Some(value) = open.pop() {
            match value {
                Value::String(text) if self.secrets.is_in_words(text) => HIDDEN.clone_into(text),
                Value::Array(items) => open.extend(items),
                Value::Object(members) => {
                    // A key that holds a secret is removed with its value.
                    members.retain(|key, _| !self.secrets.is_in_words(key));
                    open.extend(members.values_mut());
                }
                Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
            }
        }
        Some(value.to_string())
    }

    fn redacted_by_hook(&self, content: &str) -> Option<String> {
        if self.silent_until.lock().is_some_and(|until| Instant::now() < until) {
            return None;
        }
        let answer = ask_and_wait(&*self.functions, QUESTION, format!("[[{content}]]"), REDACT_TIMEOUT);
        if answer.is_none() {
            *self.silent_until.lock() = Some(Instant::now() + RETRY_AFTER);
        }
        let answer = answer?.ok()?;
        let [kept]: [Option<Box<RawValue>>; 1] = serde_json::from_str(&answer).ok()?;
        kept.map(|json| json.get().to_owned())
    }
}

impl Redact for Masking {
    fn concerns(&self, members: &Map<String, Value>) -> bool {
        self.hook == RedactHook::Present
            || !self.known.is_empty()
            || members.iter().any(|(name, value)| !PLAIN.contains(&name.as_str()) && may_hold_secret(value))
    }

    fn concerns_plain(&self, name: &str, json: &str) -> bool {
        // Without escapes, quotes only begin and end strings.
        let mut strings = json.split('"').skip(1).step_by(2);
        self.hook == RedactHook::Present
            || !self.known.is_empty()
            || (!PLAIN.contains(&name) && strings.any(is_suspicious))
    }

    fn preview(&self, text: &str, chars: usize) -> String {
        // The hook redacts whole events, not previews.
        if self.hook == RedactHook::Present {
            return HIDDEN.to_owned();
        }
        let window = text.get(..text.floor_char_boundary(PREVIEW_WINDOW)).unwrap_or(text);
        let near: String = self.without_known(window).chars().take(chars + NEAR_CHARS).collect();
        if self.secrets.is_in_words(&near) { HIDDEN.to_owned() } else { near.chars().take(chars).collect() }
    }

    fn redact(&self, content: String) -> String {
        let masked = self.masked(&content);
        let kept = match self.hook {
            RedactHook::Absent => masked,
            RedactHook::Present => masked.and_then(|content| self.redacted_by_hook(&content)),
        };
        // An empty text makes the ledger record that the content was not kept.
        kept.unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::{may_hold_secret, without_capabilities};
    use serde_json::json;
    use tgp_compile::Compiler;

    #[test]
    fn capability_tokens_are_masked_and_similar_words_are_kept() {
        let token = format!("tgp_{}", "aZ09_-".repeat(12));
        let masked = without_capabilities(&format!(r#"{{"a":"{token}","b":"x {token}{token} y","c":"tgp_core"}}"#));
        assert_eq!(masked, r#"{"a":"tgp_[hidden]","b":"x tgp_[hidden] y","c":"tgp_core"}"#);
        assert_eq!(without_capabilities("no tgp here"), "no tgp here");
    }

    #[test]
    fn the_pre_check_finds_every_secret_that_the_scan_finds() {
        let secrets = [
            "sk_live_4eC39HqLyjWDarjtT1zdp7dc",
            "AKIAIOSFODNN7EXAMPLE",
            "ghp_16C7e42F292c6912E7710c838347Ae178B4a",
            "the password = hunter2-and-more",
            "tgp-ignore no-secrets: sk_live_4eC39HqLyjWDarjtT1zdp7dc",
        ];
        for secret in secrets {
            assert!(Compiler::new().holds_secret(secret), "{secret}");
            assert!(may_hold_secret(&json!({ "deep": [secret] })), "{secret}");
            assert!(may_hold_secret(&json!({ secret: 1 })), "{secret}");
        }
        for plain in [json!({ "n": 5 }), json!(6), json!("tools/reports/revenue.ts"), json!([null, "Grace Hopper"])] {
            assert!(!may_hold_secret(&plain), "{plain}");
        }
    }
}
