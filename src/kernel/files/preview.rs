//! Previews of file changes: the same checks as the change, without writing.

use super::apply_diff::{DiffChange, Diffed};
use super::changes::{Patch, Patched, Repair, Revert, WholeText};
use super::files::{Files, FixReport};
use super::keeper::Keeper;
use super::plan::{Change, OneFile, Plan, Step};
use super::relocation::{Moved, Relocation, Removal, Removed};
use super::tested_steps::may_change;
use super::write_path::{Counting, WriteDeps, WritePath};
use crate::kernel::door::{Need, ReachedFiles};
use crate::kernel::file_diff::{DiffEffort, FileDiff};
use crate::kernel::history::{Persisted, Written};
use crate::kernel::modules::Referenced;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::cell::RefCell;
use tgp_base::effect::Effect;
use tgp_base::error::{Error, ErrorCode};
use tgp_vfs::{DiskVfs, Vfs, VfsError, Violation};

/// A file change to preview.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(tag = "tool", rename_all = "snake_case", deny_unknown_fields)]
pub enum FileChangeCall {
    WriteFile { path: String, content: String },
    PatchFile { path: String, search: String, replace: String },
    ApplyDiff { path: String, diff: String },
    RevertFile { path: String, commit: String },
    DeleteFile { path: String },
    MoveFile { from: String, to: String },
    FixTool { path: String },
}

impl FileChangeCall {
    /// # Errors
    /// `Validation` for anything that is not such a change.
    pub fn parse(call: &Value) -> Result<Self, Error> {
        Self::deserialize(call).map_err(|error| Self::invalid(&error))
    }

    /// The error for a change that cannot be parsed.
    #[must_use]
    pub fn invalid(error: &serde_json::Error) -> Error {
        Error::new(ErrorCode::Validation, format!("The change to preview is not valid: {error}."))
    }

    /// The file change that a tool call makes, if any.
    #[must_use]
    pub fn of_call(tool: &str, args: &Value) -> Option<Self> {
        let mut call = args.as_object()?.clone();
        // The reason is not part of the change.
        call.remove("why");
        call.insert("tool".to_owned(), tool.into());
        serde_json::from_value(Value::Object(call)).ok()
    }
}

/// How far a preview goes.
#[derive(Clone, Copy)]
enum Extent<'e> {
    /// Up to the steps.
    Steps(&'e RefCell<Vec<Step>>),
    /// Up to the check of tests.
    Tests,
    /// Up to the first write.
    Whole,
}

/// The effect of a change.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct FilePreview {
    /// Sorted by path.
    diffs: Vec<FileDiff>,
    /// The answer of the change, without a commit.
    #[cfg_attr(test, ts(type = "any"))]
    result: Value,
}

impl Files {
    /// The effect of a change. Fails where the change would fail.
    pub fn preview(&self, call: &FileChangeCall) -> Result<FilePreview, Error> {
        self.preview_up_to(call, Extent::Whole)
    }

    /// Whether the tests of a tool allow the change. Other errors are left to the change itself.
    pub fn held_by_tests(&self, call: &FileChangeCall) -> Result<(), Error> {
        match self.preview_up_to(call, Extent::Tests) {
            Err(error) if error.code == ErrorCode::State => Err(error),
            Ok(_) | Err(_) => Ok(()),
        }
    }

    /// The files that a change reaches without naming them: texts that it reads or quotes, imports that follow a move,
    /// and files that the check of the new texts reads. Nothing if the change is not possible.
    pub fn reached(&self, call: &FileChangeCall) -> Vec<ReachedFiles> {
        let read = |paths| ReachedFiles { effect: Effect::Read, paths, need: Need::NotForbidden };
        let mut reached = match call {
            FileChangeCall::WriteFile { .. } | FileChangeCall::DeleteFile { .. } => Vec::new(),
            FileChangeCall::PatchFile { path, .. }
            | FileChangeCall::ApplyDiff { path, .. }
            | FileChangeCall::RevertFile { path, .. }
            | FileChangeCall::FixTool { path } => vec![read(vec![path.clone()])],
            FileChangeCall::MoveFile { from, to } => {
                let paths = self.importers(from, to);
                vec![read(vec![from.clone()]), ReachedFiles { effect: Effect::Write, paths, need: Need::Allowed }]
            }
        };
        let steps = RefCell::default();
        // Errors are left to the change itself.
        let _cannot_be_made = self.preview_up_to(call, Extent::Steps(&steps));
        let new_texts = steps.borrow();
        let new_texts = new_texts.iter().filter_map(|step| Some((&step.path, step.after.as_deref()?)));
        for (path, text) in new_texts {
            let Referenced { files, absent } = self.checks.read_by_judging(path, text);
            reached.push(read(files));
            reached.extend(ReachedFiles::absent(absent));
        }
        reached
    }

    fn preview_up_to(&self, call: &FileChangeCall, extent: Extent<'_>) -> Result<FilePreview, Error> {
        match call {
            FileChangeCall::WriteFile { path, content } => {
                self.previewed(extent, path, &WholeText(content), |written, ()| written)
            }
            FileChangeCall::PatchFile { path, search, replace } => {
                self.previewed(extent, path, &Patch { search, replace }, Patched::new)
            }
            FileChangeCall::ApplyDiff { path, diff } => {
                self.previewed(extent, path, &DiffChange { diff, file_bytes: self.file_bytes }, Diffed::new)
            }
            FileChangeCall::RevertFile { path, commit } => {
                self.previewed(extent, path, &Revert { history: &self.history, commit }, |written, ()| written)
            }
            FileChangeCall::DeleteFile { path } => {
                self.writes.preview(extent, &Removal::new(path, &self.relink)?, Removed::new)
            }
            FileChangeCall::MoveFile { from, to } => {
                self.writes.preview(extent, &Relocation::new(from, to, &self.relink, &self.history)?, Moved::new)
            }
            FileChangeCall::FixTool { path } if self.needs_repair(path)? => {
                let report = |written, applied| FixReport { applied, written: Some(written) };
                self.previewed(extent, path, &Repair(&self.checks), report)
            }
            FileChangeCall::FixTool { .. } => reported(Vec::new(), &FixReport { applied: 0, written: None }),
        }
    }

    fn previewed<C: Change, R: Serialize>(
        &self,
        extent: Extent<'_>,
        path: &str,
        change: &C,
        report: impl FnOnce(Written, C::Details) -> R,
    ) -> Result<FilePreview, Error> {
        self.writes.preview(extent, &OneFile::new(path, change)?, report)
    }
}

impl WritePath {
    /// Does the steps of a change up to the first write.
    fn preview<P: Plan, R: Serialize>(
        &self,
        extent: Extent<'_>,
        plan: &P,
        report: impl FnOnce(Written, P::Details) -> R,
    ) -> Result<FilePreview, Error> {
        let WriteDeps { root, quota, checks, history, tests, .. } = &self.deps;
        history.check_writable()?;
        let (steps, details) = plan.steps(root)?;
        match extent {
            Extent::Steps(into) => {
                into.borrow_mut().extend(steps);
                return reported(Vec::new(), &());
            }
            Extent::Tests | Extent::Whole => may_change(tests, &steps, plan.path())?,
        }
        if let Extent::Tests = extent {
            return reported(Vec::new(), &());
        }
        let checked = self.check_steps(plan, &steps)?;
        let (_, similar) = self.find_similar(plan.path(), &steps, Counting::Uncounted)?;
        Keeper { root, own: &self.own, checks, history }.check(&steps)?;
        for (step, text) in steps.iter().filter_map(|step| Some((step, step.after.as_ref()?))) {
            quota.check(root, &step.path, text.len())?;
            root.check_write(&step.path, text)?;
        }
        let problem = self.problem(&checked);
        let written = Written {
            persisted: if problem.is_none() { Persisted::Yes } else { Persisted::No },
            findings: checked.findings,
            notice: checked.notice,
            similar: if problem.is_none() { similar } else { Vec::new() },
            problem,
            ..Written::not_committed(plan.path().as_str(), "")
        };
        reported(diffs(root, &steps)?, &report(written, details))
    }
}

fn reported(mut diffs: Vec<FileDiff>, result: &impl Serialize) -> Result<FilePreview, Error> {
    diffs.sort_unstable_by(|left, right| left.path.cmp(&right.path));
    let result = serde_json::to_value(result)
        .map_err(|_| Error::new(ErrorCode::Result, "The preview cannot be serialised as JSON."))?;
    Ok(FilePreview { diffs, result })
}

fn diffs(root: &DiskVfs, steps: &[Step]) -> Result<Vec<FileDiff>, Error> {
    let mut diffs = Vec::new();
    let mut effort = DiffEffort::default();
    for step in steps {
        let before = match step.content(root) {
            // A new file is written, and the other hard link keeps the old content.
            Err(VfsError::SecurityViolation { violation: Violation::HardLink, .. }) => None,
            content => content?,
        };
        let after = step.after.as_deref().map(str::as_bytes);
        diffs.extend(FileDiff::between(step.path.as_str(), before.as_deref(), after, &mut effort)?);
    }
    Ok(diffs)
}
