//! Duplicate detection: by code, by descriptions and parameters, and by observed behaviour.

use super::behaviour::{Behaviour, Compared, compare};
use super::signature::is_compatible;
use crate::kernel::config::ReuseMode;
use crate::kernel::runs::{Runs, Trial, TrialSource, run_owner};
use crate::kernel::tools::{ReuseEvent, SimilarTool, Tools};
use crate::kernel::visibility::{runs, shows};
use serde_json::Value;
use std::cell::OnceCell;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tgp_base::error::{Error, ErrorCode};
use tgp_registry::{SAME_JOB, ToolKind, ToolMatch, ToolMeta};
use tgp_vfs::JailPath;

/// Most tools to compare, and to name in an answer.
const MAX_COMPARED: usize = 8;
const MAX_NAMED: usize = 3;
/// Most tools with the same parameters whose code is compared.
const MAX_COPIES: usize = 64;
/// Tools with less similar descriptions are not run: agreement would be chance.
const MIN_ALIKE: f32 = 0.35;
/// Highest score of a tool with different behaviour.
const SEEN_DIFFERENT: f32 = 0.8;
/// Time limit of all comparisons for one write.
const COMPARE_TIMEOUT: Duration = Duration::from_secs(2);

pub struct Reuse {
    mode: ReuseMode,
    tools: Arc<Tools>,
    runs: Arc<Runs>,
}

/// A tool that is about to be written.
pub struct Candidate<'c> {
    pub path: &'c JailPath,
    pub text: &'c str,
    /// Whether the file does not exist yet.
    pub is_new: bool,
    /// Tools that the same change removes.
    pub leaving: Vec<&'c str>,
}

impl Reuse {
    pub fn new(mode: ReuseMode, tools: Arc<Tools>, runs: Arc<Runs>) -> Self {
        Self { mode, tools, runs }
    }

    /// The tools that do the candidate's job, best first. In strict mode, a new duplicate is an error.
    pub fn judge(&self, candidate: &Candidate<'_>) -> Result<Vec<SimilarTool>, Error> {
        let judged = self.judge_uncounted(candidate);
        if judged.as_ref().is_err_and(|error| error.code == ErrorCode::Duplicate) {
            self.tools.note(ReuseEvent::Refused);
        }
        judged
    }

    /// As `judge`, for a preview.
    pub fn judge_uncounted(&self, candidate: &Candidate<'_>) -> Result<Vec<SimilarTool>, Error> {
        let same = self.same_job(candidate)?;
        match same.first() {
            Some(best) if self.mode == ReuseMode::Strict && candidate.is_new => {
                Err(refused(candidate.path.as_str(), best))
            }
            _ => Ok(same.into_iter().map(|duplicate| SimilarTool::from(duplicate.found)).collect()),
        }
    }

    fn same_job(&self, candidate: &Candidate<'_>) -> Result<Vec<Duplicate>, Error> {
        let entry = self.tools.registry().entry_of(candidate.path.as_str(), candidate.text);
        if entry.kind == ToolKind::Module {
            return Ok(Vec::new());
        }
        let mut alike = self.tools.alike(&entry, MAX_COMPARED)?;
        alike.retain(|found| !candidate.leaving.contains(&found.tool.path.as_str()) && shows(&found.tool.path));
        let new = NewTool {
            candidate,
            parameters: parameters_of(&entry),
            entry,
            trial: OnceCell::new(),
            until: Instant::now() + COMPARE_TIMEOUT,
        };
        let copies = self.copies(&new, &alike)?;
        let mut same: Vec<Duplicate> = alike.into_iter().map(|found| self.compared(found, &new)).collect();
        same.extend(copies);
        same.retain(|duplicate| duplicate.found.score > SAME_JOB);
        same.sort_by(|left, right| right.found.score.total_cmp(&left.found.score));
        same.truncate(MAX_NAMED);
        Ok(same)
    }

    /// In strict mode, tools with the code of a new one whose descriptions differ, so that they are not found as similar.
    fn copies<'r>(&'r self, new: &NewTool<'r>, alike: &[ToolMatch]) -> Result<Vec<Duplicate>, Error> {
        let Candidate { path, is_new, leaving, .. } = new.candidate;
        if self.mode != ReuseMode::Strict || !is_new {
            return Ok(Vec::new());
        }
        let shape = without_descriptions(new.parameters.clone());
        let found = self.tools.registry().wanted(MAX_COPIES, |tool| {
            tool.path != path.as_str()
                && tool.imports == new.entry.imports
                && !leaving.contains(&tool.path.as_str())
                && !alike.iter().any(|found| found.tool.path == tool.path)
                && shows(&tool.path)
                && without_descriptions(parameters_of(tool)) == shape
        })?;
        let is_copy = |path: &str| {
            let known = if Instant::now() > new.until { None } else { self.trial_of(path) };
            known.zip(self.new_trial(new)).is_some_and(|(known, new)| known.has_code_of(new))
        };
        let copies = found.into_iter().filter(|tool| is_copy(&tool.path));
        Ok(copies.map(|tool| Duplicate { found: ToolMatch { tool, score: 1.0 }, has_same_code: true }).collect())
    }

    /// A tool with its score as a duplicate of the new one.
    fn compared<'r>(&'r self, mut found: ToolMatch, new: &NewTool<'r>) -> Duplicate {
        let known = parameters_of(&found.tool);
        let is_compatible = is_compatible(&known, &new.parameters);
        let has_same_code = has_same_text(&found.tool, &new.entry) || is_compatible && self.has_same_code(&found, new);
        found.score = if has_same_code {
            1.0
        } else {
            match self.behaviour(&found, &known, new) {
                Behaviour::Same => SAME_JOB + (1.0 - SAME_JOB) * found.score.max(0.5),
                Behaviour::Different => found.score.min(SEEN_DIFFERENT),
                Behaviour::Unknown if is_compatible => found.score,
                Behaviour::Unknown => found.score.min(SAME_JOB),
            }
        };
        Duplicate { found, has_same_code }
    }

    /// Whether the two differ only in comments, types and white space.
    fn has_same_code<'r>(&'r self, found: &ToolMatch, new: &NewTool<'r>) -> bool {
        if found.score < MIN_ALIKE || Instant::now() > new.until {
            return false;
        }
        let known = self.trial_of(&found.tool.path);
        known.zip(self.new_trial(new)).is_some_and(|(known, new)| known.has_code_of(new))
    }

    fn trial_of(&self, path: &str) -> Option<Trial<'_>> {
        self.runs.trial(&TrialSource::Tool(&JailPath::parse(path).ok()?)).ok()
    }

    fn new_trial<'n, 'r>(&'r self, new: &'n NewTool<'r>) -> Option<&'n Trial<'r>> {
        let Candidate { path, text, .. } = new.candidate;
        new.trial.get_or_init(|| self.runs.trial(&TrialSource::Text(path, text)).ok()).as_ref()
    }

    fn behaviour<'r>(&'r self, found: &ToolMatch, known: &Value, new: &NewTool<'r>) -> Behaviour {
        // Arguments belong to their caller: comparing results for another caller's arguments would leak them.
        let Some(owner) = run_owner() else { return Behaviour::Unknown };
        let arguments = self.tools.arguments_of(&owner, &found.tool.path);
        if arguments.len() < 2 || found.score < MIN_ALIKE || Instant::now() > new.until {
            return Behaviour::Unknown;
        }
        let Some((there, here)) = self.trial_of(&found.tool.path).zip(self.new_trial(new)) else {
            return Behaviour::Unknown;
        };
        // A trial is a run: its outcome must not leak to a caller who may not run all of it.
        if !there.files().iter().chain(&here.files()).all(|path| runs(path)) {
            return Behaviour::Unknown;
        }
        let known = Compared { trial: &there, parameters: known };
        compare(&known, &Compared { trial: here, parameters: &new.parameters }, &arguments, new.until)
    }
}

/// A candidate and what is derived from it.
struct NewTool<'r> {
    candidate: &'r Candidate<'r>,
    entry: ToolMeta,
    parameters: Value,
    /// Compiled when first needed; `None` if that fails.
    trial: OnceCell<Option<Trial<'r>>>,
    /// When the comparisons end.
    until: Instant,
}

/// A tool that does the job of the new one.
struct Duplicate {
    found: ToolMatch,
    has_same_code: bool,
}

/// Whether the texts are the same and import the same files: a relative specifier depends on the folder.
fn has_same_text(known: &ToolMeta, new: &ToolMeta) -> bool {
    known.hash == new.hash && !new.imports.iter().any(|specifier| specifier.starts_with('.'))
}

fn parameters_of(tool: &ToolMeta) -> Value {
    serde_json::from_str(tool.parameters.get()).unwrap_or_default()
}

/// A schema without the texts of comments. A property named `description` has a schema, and stays.
fn without_descriptions(mut schema: Value) -> Value {
    match &mut schema {
        Value::Object(members) => {
            members.retain(|name, value| name != "description" || !value.is_string());
            for value in members.values_mut() {
                *value = without_descriptions(value.take());
            }
        }
        Value::Array(items) => {
            for item in items {
                *item = without_descriptions(item.take());
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
    schema
}

fn refused(path: &str, best: &Duplicate) -> Error {
    let tool = &best.found.tool;
    let names = tool.parameter_names().join(", ");
    let call = format!("exec_tool({{ path: \"{}\", args: {{ {names} }} }})", tool.path);
    let (fault, otherwise) = if best.has_same_code {
        ("has the same code", "To rename it, use move_file.")
    } else {
        ("already does this job", "If the job differs, describe the difference in the description.")
    };
    let message = format!(
        "{path} was not written: {} {fault} (reuse is 'strict'). Call {call}, or extend that tool with patch_file. {otherwise}",
        tool.path
    );
    Error::new(ErrorCode::Duplicate, message).with("path", path).with("existing", tool.path.as_str()).with("call", call)
}
