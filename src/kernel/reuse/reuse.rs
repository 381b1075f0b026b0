//! Duplicate detection, by descriptions, by parameters, and by observed behaviour.

use super::behaviour::{Behaviour, Compared, compare};
use super::signature::is_compatible;
use crate::kernel::config::ReuseMode;
use crate::kernel::runs::{Runs, TrialSource, run_owner};
use crate::kernel::tools::{ReuseEvent, SimilarTool, Tools};
use crate::kernel::visibility::{runs, shows};
use serde_json::Value;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tgp_base::error::{Error, ErrorCode};
use tgp_registry::{SAME_JOB, ToolKind, ToolMatch, ToolMeta};
use tgp_vfs::JailPath;

/// Most tools to compare, and to name in an answer.
const MAX_COMPARED: usize = 8;
const MAX_NAMED: usize = 3;
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
            _ => Ok(same.into_iter().map(SimilarTool::from).collect()),
        }
    }

    fn same_job(&self, candidate: &Candidate<'_>) -> Result<Vec<ToolMatch>, Error> {
        let entry = self.tools.registry().entry_of(candidate.path.as_str(), candidate.text);
        if entry.kind == ToolKind::Module {
            return Ok(Vec::new());
        }
        let mut alike = self.tools.alike(&entry, MAX_COMPARED)?;
        alike.retain(|found| !candidate.leaving.contains(&found.tool.path.as_str()) && shows(&found.tool.path));
        let until = Instant::now() + COMPARE_TIMEOUT;
        let parameters = parameters_of(&entry);
        for found in &mut alike {
            let known = parameters_of(&found.tool);
            found.score = match self.behaviour(found, &known, candidate, &parameters, until) {
                Behaviour::Same => SAME_JOB + (1.0 - SAME_JOB) * found.score.max(0.5),
                Behaviour::Different => found.score.min(SEEN_DIFFERENT),
                Behaviour::Unknown if is_compatible(&known, &parameters) => found.score,
                Behaviour::Unknown => found.score.min(SAME_JOB),
            };
        }
        alike.retain(|found| found.score > SAME_JOB);
        alike.sort_by(|left, right| right.score.total_cmp(&left.score));
        alike.truncate(MAX_NAMED);
        Ok(alike)
    }

    fn behaviour(
        &self,
        found: &ToolMatch,
        known: &Value,
        candidate: &Candidate<'_>,
        parameters: &Value,
        until: Instant,
    ) -> Behaviour {
        // Arguments belong to their caller: comparing results for another caller's arguments would leak them.
        let Some(owner) = run_owner() else { return Behaviour::Unknown };
        let arguments = self.tools.arguments_of(&owner, &found.tool.path);
        if arguments.len() < 2 || found.score < MIN_ALIKE || Instant::now() > until {
            return Behaviour::Unknown;
        }
        let Ok(path) = JailPath::parse(&found.tool.path) else { return Behaviour::Unknown };
        let there = self.runs.trial(&TrialSource::Tool(&path));
        let here = self.runs.trial(&TrialSource::Text(candidate.path, candidate.text));
        let (Ok(there), Ok(here)) = (there, here) else { return Behaviour::Unknown };
        // A trial is a run: its outcome must not leak to a caller who may not run all of it.
        if !there.files().iter().chain(&here.files()).all(|path| runs(path)) {
            return Behaviour::Unknown;
        }
        let (known, new) = (Compared { trial: there, parameters: known }, Compared { trial: here, parameters });
        compare(&known, &new, &arguments, until)
    }
}

fn parameters_of(tool: &ToolMeta) -> Value {
    serde_json::from_str(tool.parameters.get()).unwrap_or_default()
}

fn refused(path: &str, best: &ToolMatch) -> Error {
    let tool = &best.tool;
    let names = tool.parameter_names().join(", ");
    let call = format!("exec_tool({{ path: \"{}\", args: {{ {names} }} }})", tool.path);
    let message = format!(
        "{path} was not written: {} already does this job (reuse is 'strict'). Call {call}, or extend that tool with patch_file. If the job differs, describe the difference in the description.",
        tool.path
    );
    Error::new(ErrorCode::Duplicate, message).with("path", path).with("existing", tool.path.as_str()).with("call", call)
}
