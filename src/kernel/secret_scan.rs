//! Secret scanning: files with secrets are never committed, whatever the check mode.
//!
//! Commits are pushed, and a push cannot be undone. Such a file stays in the work tree until the secret is removed, or
//! a comment explains that it is not a secret.

use super::finding_line::line_of;
use std::sync::Arc;
use tgp_compile::{Compiler, Diagnostic, INSTEAD_OF_SECRETS, LintOptions, NO_SECRETS, Severity};

/// The end of a finding about the name of a file.
const IN_NAME: &str = ", in the name of the file: rename it";

/// A secret scanner; finds nothing when the rule is turned off.
#[derive(Clone)]
pub struct SecretScan(Option<Arc<Compiler>>);

impl SecretScan {
    pub fn new(compiler: &Arc<Compiler>, lint: &LintOptions) -> Self {
        let is_on = lint.severity_of(NO_SECRETS, Severity::Error).is_some();
        Self(is_on.then(|| Arc::clone(compiler)))
    }

    /// The secrets in a file, except those excused by a comment; one line each.
    pub fn findings(&self, path: &str, content: &[u8]) -> Vec<String> {
        let Some(compiler) = &self.0 else { return Vec::new() };
        let named = compiler.secrets_in_text(path).into_iter().map(|found| {
            let message = format!("{}{IN_NAME}", found.message);
            line_of(path, &Diagnostic { message, ..found })
        });
        let found = compiler.secrets(path, &String::from_utf8_lossy(content));
        named.chain(found.iter().map(|found| line_of(path, found))).collect()
    }

    /// The secrets in a text that is not a file; `what` is its name in the findings.
    pub fn findings_in_words(&self, what: &str, text: &str) -> Vec<String> {
        let Some(compiler) = &self.0 else { return Vec::new() };
        compiler.secrets_in_text(text).iter().map(|found| line_of(what, found)).collect()
    }

    /// Whether a text that is not a file contains a secret. Comments in it excuse nothing.
    pub fn is_in_words(&self, text: &str) -> bool {
        self.0.as_ref().is_some_and(|compiler| compiler.holds_secret(text))
    }

    pub fn holds_secret(&self, path: &str, content: &[u8]) -> bool {
        !self.findings(path, content).is_empty()
    }
}

/// The problem of a written file that contains a secret.
pub fn held_back(first: &str) -> String {
    let fix = fix(first, "Write it under another name, then delete this file", "write the file again");
    format!("It is on disk but not committed or pushed, because it contains a secret: {first}. {fix}")
}

/// The problem of a commit of several files, one of which contains a secret.
pub fn commit_held_back(first: &str) -> String {
    let fix = fix(first, "Rename the file, then commit again", "commit again");
    format!("Nothing was committed or pushed, because a file contains a secret: {first}. {fix}")
}

/// Why a move is refused that would write a secret; `first` has the new path.
pub fn move_held_back(first: &str) -> String {
    let fix = fix(first, "Choose another name for it", "move it again");
    format!("a file that the move would write contains a secret: {first}. {fix}")
}

/// What to do about a secret in the name or in the text of a file.
fn fix(first: &str, rename: &str, repeat: &str) -> String {
    if first.ends_with(IN_NAME) {
        return format!("Treat the secret as leaked. {rename}.");
    }
    format!(
        "Remove the secret and treat it as leaked. Instead, {INSTEAD_OF_SECRETS}. Then {repeat}. If it is not a secret, write `tgp-ignore no-secrets: reason` in a comment on the line above; in JSON, write a member \"tgp-ignore no-secrets\": \"reason\" there."
    )
}

/// The problem of a commit message that contains a secret.
pub fn message_held_back(first: &str) -> String {
    format!(
        "Nothing was committed or pushed, because the message contains a secret: {first}. Remove it from the message, and treat it as leaked if it was ever shown."
    )
}

/// The notice for a removed file that was never committed, because of a secret.
pub fn secret_file_removed() -> String {
    "It was removed from disk. It contained a secret and was never committed, so it cannot be restored.".to_owned()
}

/// The notice for a removed file of which only an older text was committed.
pub fn newest_text_lost() -> String {
    "Its last text contained a secret and was never committed, so only an older text can be restored.".to_owned()
}

/// The notice for a replaced text that was never committed, because of a secret.
pub fn previous_text_lost() -> String {
    "Its previous text contained a secret and was never committed, so it cannot be restored.".to_owned()
}
