//! Type checks as part of the strict check, answered by the type checker in JavaScript.

use super::type_sources::TypeSources;
use crate::kernel::bounded_cache::BoundedCache;
use crate::kernel::host_functions::HostFunctions;
use crate::kernel::host_question::ask_and_wait;
use serde::Deserialize;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tgp_base::error::{Error, ErrorCode};
use tgp_compile::{Diagnostic, Severity, TYPES};

/// The host function that answers with findings. Guests cannot call it.
const QUESTION: &str = "#types";
/// Longer than the checker's own deadline.
const TYPE_CHECK_TIMEOUT: Duration = Duration::from_secs(60);
/// Cached answers.
const MAX_CACHED: usize = 4096;

/// How long a failed check is not retried: every attempt delays other checks.
const RETRY_AFTER: Duration = Duration::from_secs(10);

/// The result of a type check.
#[derive(Clone)]
pub enum Types {
    Checked(Vec<Diagnostic>),
    /// With the reason, if the user should know it.
    Unchecked(Option<String>),
}

/// Requests type checks, once for the same texts.
pub struct TypeGate {
    functions: Arc<dyn HostFunctions>,
    /// By path.
    cached: BoundedCache<String, Cached>,
}

/// An answer, and a hash of its input.
#[derive(Clone)]
struct Cached {
    hash: blake3::Hash,
    types: Types,
    /// When it was stored: a failed check expires.
    at: Instant,
}

impl Cached {
    fn holds(&self, hash: blake3::Hash) -> bool {
        let lasts = match self.types {
            Types::Checked(_) => true,
            Types::Unchecked(_) => self.at.elapsed() < RETRY_AFTER,
        };
        self.hash == hash && lasts
    }
}

/// The answer of JavaScript.
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
        Self { functions, cached: BoundedCache::new(MAX_CACHED) }
    }

    /// The findings in the tool at `path`, from its sources.
    pub fn check(&self, path: &str, sources: &TypeSources) -> Result<Types, Error> {
        let question = serde_json::to_string(&[sources]).map_err(|_| no_answer(path))?;
        let hash = blake3::hash(question.as_bytes());
        if let Some(known) = self.cached.get(path).filter(|known| known.holds(hash)) {
            return Ok(known.types);
        }
        let types = match self.ask(path, question)? {
            Reply::Unchecked { notice } => Types::Unchecked(Some(notice)),
            Reply::Checked { diagnostics } => Types::Checked(diagnostics.into_iter().map(Diagnostic::from).collect()),
        };
        self.cached.put(path.to_owned(), Cached { hash, types: types.clone(), at: Instant::now() });
        Ok(types)
    }

    fn ask(&self, path: &str, question: String) -> Result<Reply, Error> {
        let answer = ask_and_wait(&*self.functions, QUESTION, question, TYPE_CHECK_TIMEOUT);
        let json = answer.ok_or_else(|| no_answer(path))??;
        serde_json::from_str(&json).map_err(|_| no_answer(path))
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

fn no_answer(path: &str) -> Error {
    let message = format!("The types of {path} could not be checked: the type checker did not answer. Try again.");
    Error::new(ErrorCode::Compilation, message).with("path", path)
}
