//! Is there a tool for this job already? Judged by what tools are said to do, by what they take, and by what they are seen
//! to do.

use super::behaviour::{Behaviour, Compared, compare};
use super::signature::is_compatible;
use crate::kernel::config::ReuseMode;
use crate::kernel::runs::{Runs, Tried, run_owner};
use crate::kernel::sight::{runs, shows};
use crate::kernel::tools::{ReuseEvent, SimilarTool, Tools};
use serde_json::Value;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tgp_base::error::{Error, ErrorCode};
use tgp_registry::{SAME_JOB, ToolKind, ToolMatch, ToolMeta};
use tgp_vfs::JailPath;

/// Tools that are looked at, and that an answer names.
const MAX_LOOKED_AT: usize = 8;
const MAX_NAMED: usize = 3;
/// What is described quite differently is not run: agreement would be chance.
const LEAST_ALIKE: f32 = 0.35;
/// The most that a tool gets which was seen to do something else.
const SEEN_DIFFERENT: f32 = 0.8;
/// How long tools are tried out for one write.
const PATIENCE: Duration = Duration::from_secs(2);

pub struct Reuse {
    mode: ReuseMode,
    tools: Arc<Tools>,
    runs: Arc<Runs>,
}

/// A text that is about to be written.
pub struct Candidate<'c> {
    pub path: &'c JailPath,
    pub text: &'c str,
    /// Whether there is no file yet.
    pub is_new: bool,
    /// Tools that go with the same change.
    pub leaving: Vec<&'c str>,
}

impl Reuse {
    pub fn new(mode: ReuseMode, tools: Arc<Tools>, runs: Arc<Runs>) -> Self {
        Self { mode, tools, runs }
    }

    /// The tools that do the candidate's job, best first. In strict mode a new tool for such a job is an error.
    pub fn judge(&self, candidate: &Candidate<'_>) -> Result<Vec<SimilarTool>, Error> {
        let judged = self.judge_uncounted(candidate);
        if judged.as_ref().is_err_and(|error| error.code == ErrorCode::Duplicate) {
            self.tools.note(ReuseEvent::Refused);
        }
        judged
    }

    /// The same for a candidate that is not written in any case.
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
        let mut alike = self.tools.alike(&entry, MAX_LOOKED_AT)?;
        alike.retain(|found| !candidate.leaving.contains(&found.tool.path.as_str()) && shows(&found.tool.path));
        let until = Instant::now() + PATIENCE;
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
        // What others ran it with is theirs: whether a text gives the same for it would tell them apart.
        let Some(owner) = run_owner() else { return Behaviour::Unknown };
        let arguments = self.tools.arguments_of(&owner, &found.tool.path);
        if arguments.len() < 2 || found.score < LEAST_ALIKE || Instant::now() > until {
            return Behaviour::Unknown;
        }
        let Ok(path) = JailPath::parse(&found.tool.path) else { return Behaviour::Unknown };
        let there = self.runs.trial(&Tried::Tool(&path));
        let here = self.runs.trial(&Tried::Text(candidate.path, candidate.text));
        let (Ok(there), Ok(here)) = (there, here) else { return Behaviour::Unknown };
        // A trial is a run: a caller who may not run all of it learns nothing of its outcome.
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
        "{path} was not written: {} does this job already (reuse is 'strict'). Call {call}, or extend that tool with patch_file. If the job is another one, say in the description what is different.",
        tool.path
    );
    Error::new(ErrorCode::Duplicate, message).with("path", path).with("existing", tool.path.as_str()).with("call", call)
}
