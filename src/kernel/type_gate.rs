//! Types as part of the strict check: the kernel asks, JavaScript's type checker answers.

use super::host_functions::HostFunctions;
use super::kernel::Kernel;
use super::type_sources::{TypeSources, is_typescript};
use crate::compile::{Diagnostic, Severity, TYPES, Verdict};
use crate::error::{Error, ErrorCode};
use crate::ids::RunId;
use crate::vfs::{JailPath, Vfs};
use parking_lot::Mutex;
use serde::Deserialize;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The question that the JavaScript side answers with findings. No guest can ask it.
const QUESTION: &str = "#types";
/// The checker has a deadline of its own, which is shorter.
const TYPE_CHECK_TIMEOUT: Duration = Duration::from_secs(60);
/// Questions that belong to no run.
const NO_RUN: RunId = RunId(0);
/// Answers kept at one time. Past it the memory starts anew, which costs a question each.
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
    known: Mutex<HashMap<String, Known>>,
}

/// An answer, and a hash of all that it depends on.
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
        Self { functions, known: Mutex::default() }
    }

    fn check(&self, path: &str, sources: &TypeSources) -> Result<Types, Error> {
        let question = serde_json::to_string(&[sources]).map_err(|_| unanswered(path))?;
        let hash = blake3::hash(question.as_bytes());
        if let Some(known) = self.known.lock().get(path).filter(|known| known.holds(hash)) {
            return Ok(known.types.clone());
        }
        let types = match self.ask(path, question)? {
            Reply::Unchecked { notice } => Types::Unchecked(Some(notice)),
            Reply::Checked { diagnostics } => Types::Checked(diagnostics.into_iter().map(Diagnostic::from).collect()),
        };
        let mut known = self.known.lock();
        if known.len() >= MAX_KNOWN {
            known.clear();
        }
        known.insert(path.to_owned(), Known { hash, types: types.clone(), at: Instant::now() });
        Ok(types)
    }

    fn ask(&self, path: &str, question: String) -> Result<Reply, Error> {
        let (sender, receiver) = crossbeam_channel::bounded(1);
        let answer = Box::new(move |result| {
            // Whoever asked may have lost patience.
            let _gone = sender.send(result);
        });
        self.functions.call(NO_RUN, QUESTION, question, answer);
        let json = receiver.recv_timeout(TYPE_CHECK_TIMEOUT).map_err(|_| unanswered(path))??;
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

impl Kernel {
    /// The findings of the type checker in a tool as it is on disk.
    pub(super) fn check_types(&self, path: &str) -> Result<Types, Error> {
        let entry = JailPath::parse(path)?;
        let text = self.vfs.read(&entry)?;
        let verdict = self.compiler.check(path, &text, &self.lint);
        self.check_types_of(&entry, text, &verdict)
    }

    /// The findings of the type checker in a text, on which the rules gave `verdict`.
    pub(super) fn check_types_of(&self, entry: &JailPath, text: String, verdict: &Verdict) -> Result<Types, Error> {
        let path = entry.as_str();
        let sources = self.type_sources(entry, text, verdict)?;
        if let Some(why) = &sources.refused {
            // What is no TypeScript has no types to check.
            let notice = is_typescript(path).then(|| format!("Types were not checked: {why}."));
            return Ok(Types::Unchecked(notice));
        }
        // Whoever turned the rule off knows.
        if sources.severity.is_none() { Ok(Types::Unchecked(None)) } else { self.types.check(path, &sources) }
    }
}

fn unanswered(path: &str) -> Error {
    let message = format!("The types of {path} could not be checked: the type checker gave no answer. Try again.");
    Error::new(ErrorCode::Compilation, message).with("path", path)
}
