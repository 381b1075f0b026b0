//! File operations on the root, for agents and applications.

use super::apply_diff::{DiffChange, Diffed};
use super::changes::{Patch, Patched, Repair, Revert, WholeText};
use super::path_glob::PathGlob;
use super::relocation::{Moved, Relocation, Removal, Removed};
use super::search_files::{SearchQuery, SearchReport, search};
use super::write_path::WritePath;
use crate::kernel::checks::Checks;
use crate::kernel::commit_note::CommitNote;
use crate::kernel::history::{History, WriteDone, Written};
use crate::kernel::modules::Relink;
use crate::kernel::near_path::with_near_path;
use crate::kernel::tool_paths::RESULTS;
use serde::Serialize;
use std::sync::Arc;
use tgp_base::error::Error;
use tgp_base::text_hash::text_hash;
use tgp_vfs::{DiskVfs, JailPath, Vfs};

/// The result of `fix_tool`.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
pub struct FixReport {
    /// The number of fixes.
    pub(super) applied: usize,
    /// The write, if there were fixes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) written: Option<Written>,
}

/// Reads files, and owns the write path of all changes.
pub struct Files {
    root: Arc<DiskVfs>,
    pub(super) checks: Arc<Checks>,
    pub(super) history: Arc<History>,
    pub(super) writes: WritePath,
    pub(super) relink: Relink,
    /// Largest file.
    pub(super) file_bytes: usize,
}

impl Files {
    pub fn new(
        root: Arc<DiskVfs>,
        checks: Arc<Checks>,
        history: Arc<History>,
        writes: WritePath,
        relink: Relink,
        file_bytes: usize,
    ) -> Self {
        Self { root, checks, history, writes, relink, file_bytes }
    }

    /// The text of one file.
    pub fn read_file(&self, path: &str) -> Result<String, Error> {
        let path = JailPath::parse(path)?;
        self.root.read(&path).map_err(|error| with_near_path(error.into(), &*self.root))
    }

    /// A hash of the text of a file; empty for one that cannot be read.
    #[must_use]
    pub fn text_hash(&self, path: &str) -> String {
        let text = JailPath::parse(path).ok().and_then(|path| self.root.read(&path).ok());
        text.map(|text| text_hash(text.as_bytes())).unwrap_or_default()
    }

    /// The files whose imports would follow a move; none if the move is not possible.
    #[must_use]
    pub fn importers(&self, from: &str, to: &str) -> Vec<String> {
        let places = JailPath::parse(from).and_then(|from| Ok((from, JailPath::parse(to)?)));
        let found = places.map_err(Error::from).and_then(|(from, to)| self.relink.dependents(&from, &to));
        let importers = found.map(|found| found.importers).unwrap_or_default();
        importers.into_iter().map(|importer| importer.path.as_str().to_owned()).collect()
    }

    /// The files below `dir`, or those that match a glob, as sorted paths from the root.
    pub fn list_files(&self, dir: &str, glob: Option<&str>) -> Result<Vec<String>, Error> {
        let dir = JailPath::parse(dir)?;
        let glob = glob.map(PathGlob::parse).transpose()?;
        let is_match = |path: &str| glob.as_ref().is_none_or(|glob| glob.matches_in(dir.as_str(), path));
        let found =
            self.root.list(&dir)?.into_iter().filter(|path| is_match(path.as_str()) && !path.starts_with(RESULTS));
        Ok(found.map(|path| path.as_str().to_owned()).collect())
    }

    /// Matching lines in path order, up to the query's limit.
    pub fn search_files(&self, query: &SearchQuery) -> Result<SearchReport, Error> {
        search(&*self.root, query)
    }

    /// Creates or replaces a file and commits it.
    pub fn write_file(&self, path: &str, content: &str, note: &CommitNote, done: WriteDone<Written>) {
        self.writes.change(path, &WholeText(content), note, |written, ()| written, done);
    }

    /// Replaces the first occurrence of `search`, or fails and writes nothing.
    pub fn patch_file(&self, path: &str, search: &str, replace: &str, note: &CommitNote, done: WriteDone<Patched>) {
        self.writes.change(path, &Patch { search, replace }, note, Patched::new, done);
    }

    /// Applies every change of `diff` to a file, or fails and writes nothing.
    pub fn apply_diff(&self, path: &str, diff: &str, note: &CommitNote, done: WriteDone<Diffed>) {
        let change = DiffChange { diff, file_bytes: self.file_bytes };
        self.writes.change(path, &change, note, Diffed::new, done);
    }

    /// Restores a file from `commit`, as a new commit.
    pub fn revert_file(&self, path: &str, commit: &str, note: &CommitNote, done: WriteDone<Written>) {
        let change = Revert { history: &self.history, commit };
        self.writes.change(path, &change, note, |written, ()| written, done);
    }

    /// Removes a file that is not imported, and commits that. Uncommitted text of it is committed first.
    pub fn delete_file(&self, path: &str, note: &CommitNote, done: WriteDone<Removed>) {
        match Removal::new(path, &self.relink) {
            Ok(removal) => self.writes.carry_out(&removal, note, Removed::new, done),
            Err(error) => done(Err(error)),
        }
    }

    /// Moves a file, updates the imports of it and in it, and commits all of that at once.
    pub fn move_file(&self, from: &str, to: &str, note: &CommitNote, done: WriteDone<Moved>) {
        match Relocation::new(from, to, &self.relink, &self.history) {
            Ok(relocation) => self.writes.carry_out(&relocation, note, Moved::new, done),
            Err(error) => done(Err(error)),
        }
    }

    /// Applies every fix of a tool's findings, and commits the result.
    pub fn fix_tool(&self, path: &str, done: WriteDone<FixReport>) {
        match self.needs_repair(path) {
            Err(error) => done(Err(error)),
            Ok(false) => done(Ok(FixReport { applied: 0, written: None })),
            Ok(true) => {
                let report = |written, applied| FixReport { applied, written: Some(written) };
                self.writes.change(path, &Repair(&self.checks), &CommitNote::default(), report, done);
            }
        }
    }

    pub(super) fn needs_repair(&self, path: &str) -> Result<bool, Error> {
        let path = JailPath::parse(path)?;
        let before = self.root.read(&path).map_err(|error| with_near_path(error.into(), &*self.root))?;
        Ok(self.checks.fixed(&path, &before).0 != before)
    }
}
