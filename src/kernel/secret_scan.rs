//! Files that hold a secret stay out of the history, whatever the configuration says of checks.
//!
//! What is committed is pushed, and what is pushed cannot be taken back. Such a file stays in the work tree until the secret
//! is gone, or a comment says why it is none.

use super::finding_line::line_of;
use std::sync::Arc;
use tgp_compile::{Compiler, Diagnostic, INSTEAD_OF_SECRETS, LintOptions, NO_SECRETS, Severity};

/// Looks for secrets; for none when the application has turned the rule off.
#[derive(Clone)]
pub struct SecretScan(Option<Arc<Compiler>>);

impl SecretScan {
    pub fn new(compiler: &Arc<Compiler>, lint: &LintOptions) -> Self {
        let is_on = lint.severity_of(NO_SECRETS, Severity::Error).is_some();
        Self(is_on.then(|| Arc::clone(compiler)))
    }

    /// The secrets in a file that nobody has excused, one line each.
    pub fn findings(&self, path: &str, content: &[u8]) -> Vec<String> {
        let Some(compiler) = &self.0 else { return Vec::new() };
        let named = compiler.secrets_in_text(path).into_iter().map(|found| {
            let message = format!("{}, in the name of the file: give it another one", found.message);
            line_of(path, &Diagnostic { message, ..found })
        });
        let found = compiler.secrets(path, &String::from_utf8_lossy(content));
        named.chain(found.iter().map(|found| line_of(path, found))).collect()
    }

    /// The same for words that are no file; `what` names them.
    pub fn findings_in_words(&self, what: &str, text: &str) -> Vec<String> {
        let Some(compiler) = &self.0 else { return Vec::new() };
        compiler.secrets_in_text(text).iter().map(|found| line_of(what, found)).collect()
    }

    /// Whether words hold a secret. A comment in them excuses nothing: they are nobody's source.
    pub fn is_in_words(&self, text: &str) -> bool {
        self.0.as_ref().is_some_and(|compiler| compiler.holds_secret(text))
    }

    pub fn holds_secret(&self, path: &str, content: &[u8]) -> bool {
        !self.findings(path, content).is_empty()
    }
}

/// Why a file with a secret is not committed, and what to do about it.
pub fn held_back(first: &str) -> String {
    format!(
        "It is on disk and neither committed nor pushed, because it holds a secret: {first}. Take the secret out and treat it as leaked: {INSTEAD_OF_SECRETS}. Then write the file again. If it is no secret, write `tgp-ignore no-secrets: why` in a comment on the line above."
    )
}

/// The same of a commit whose message holds one.
pub fn message_held_back(first: &str) -> String {
    format!(
        "Nothing is committed or pushed, because the message holds a secret: {first}. Write the message without it, and treat it as leaked if it was ever shown."
    )
}

/// What is said of a file that is removed and was never committed, because of a secret.
pub fn not_kept() -> String {
    "It is removed from disk. It held a secret, so it was never committed: it cannot be brought back.".to_owned()
}

/// The same when the history has an older text of it.
pub fn not_kept_whole() -> String {
    "What it held last had a secret in it and was never committed: that cannot be brought back, only what the history has."
        .to_owned()
}

/// What is said of a text with a secret that was never committed and that another takes the place of.
pub fn not_kept_before() -> String {
    "What it held before had a secret in it and was never committed: that cannot be brought back.".to_owned()
}
