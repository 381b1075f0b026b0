//! Types as part of the strict check: the kernel asks, JavaScript's type checker answers.

use super::type_sources::TypeSources;
use crate::kernel::bounded_cache::BoundedCache;
use crate::kernel::host_functions::HostFunctions;
use crate::kernel::host_question::ask_and_wait;
use serde::Deserialize;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tgp_base::error::{Error, ErrorCode};
use tgp_compile::{Diagnostic, Severity, TYPES};

/// The question that the JavaScript side answers with findings. No guest can ask it.
const QUESTION: &str = "#types";
/// The checker has a deadline of its own, which is shorter.
const TYPE_CHECK_TIMEOUT: Duration = Duration::from_secs(60);
/// Answers kept at one time.
const MAX_KNOWN: usize = 4096;

/// A tool whose types take too long to check is not tried again for so long: every try keeps others waiting.
const UNCHECKED_FOR: Duration = Duration::from_secs(10);

/// What came of a check of types.
#[derive(Clone)]
pub enum Types {
    Checked(Vec<Diagnostic>),
    /// With the reason, where the user should know it.
    Unchecked(Option<String>),
}

/// Asks for types, once for the same texts.
pub struct TypeGate {
    functions: Arc<dyn HostFunctions>,
    /// By path.
    known: BoundedCache<String, Known>,
}

/// An answer, and a hash of all that it depends on.
#[derive(Clone)]
struct Known {
    hash: blake3::Hash,
    types: Types,
    /// When it was given: that types could not be checked is no answer for long.
    at: Instant,
}

impl Known {
    fn holds(&self, hash: blake3::Hash) -> bool {
        let lasts = match self.types {
            Types::Checked(_) => true,
            Types::Unchecked(_) => self.at.elapsed() < UNCHECKED_FOR,
        };
        self.hash == hash && lasts
    }
}

/// What JavaScript answers.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "TypesReply"))]
#[serde(untagged)]
pub enum Reply {
    Checked { diagnostics: Vec<Finding> },
    Unchecked { notice: String },
}

#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "TypesFinding"))]
#[serde(rename_all = "camelCase")]
pub struct Finding {
    severity: Severity,
    message: String,
    line: u32,
    column: u32,
    end_line: u32,
    end_column: u32,
}

impl TypeGate {
    pub fn new(functions: Arc<dyn HostFunctions>) -> Self {
        Self { functions, known: BoundedCache::new(MAX_KNOWN) }
    }

    /// The findings in the tool at `path`, whose texts these are.
    pub fn check(&self, path: &str, sources: &TypeSources) -> Result<Types, Error> {
        let question = serde_json::to_string(&[sources]).map_err(|_| unanswered(path))?;
        let hash = blake3::hash(question.as_bytes());
        if let Some(known) = self.known.get(path).filter(|known| known.holds(hash)) {
            return Ok(known.types);
        }
        let types = match self.ask(path, question)? {
            Reply::Unchecked { notice } => Types::Unchecked(Some(notice)),
            Reply::Checked { diagnostics } => Types::Checked(diagnostics.into_iter().map(Diagnostic::from).collect()),
        };
        self.known.put(path.to_owned(), Known { hash, types: types.clone(), at: Instant::now() });
        Ok(types)
    }

    fn ask(&self, path: &str, question: String) -> Result<Reply, Error> {
        let answer = ask_and_wait(&*self.functions, QUESTION, question, TYPE_CHECK_TIMEOUT);
        let json = answer.ok_or_else(|| unanswered(path))??;
        serde_json::from_str(&json).map_err(|_| unanswered(path))
    }
}

impl From<Finding> for Diagnostic {
    fn from(found: Finding) -> Self {
        let Finding { severity, message, line, column, end_line, end_column } = found;
        Self {
            rule: TYPES.to_owned(),
            standard: None,
            severity,
            message,
            line,
            column,
            end_line,
            end_column,
            help: None,
            fix: None,
        }
    }
}

fn unanswered(path: &str) -> Error {
    let message = format!("The types of {path} could not be checked: the type checker gave no answer. Try again.");
    Error::new(ErrorCode::Compilation, message).with("path", path)
}
