//! The files of one commit, and how they refer to each other.

use super::adjacency::{Adjacency, BitSet};
use super::history::{History, Status};
use super::import_paths::{called, imported, looks_like_tool, tool_of_test};
use super::strings::u32_of;
use crate::records::FileFacts;
use std::sync::Arc;

/// The number of the commit of a repository without commits.
pub const NO_COMMIT: u32 = u32::MAX;

/// The file of a commit: its text by hash, and what the text says.
#[derive(Debug, Clone)]
pub struct FileVersion {
    pub blob: [u8; 20],
    pub facts: Arc<FileFacts>,
}

#[derive(Debug, Clone)]
pub struct CommitState {
    pub commit: u32,
    ancestors: BitSet,
    /// By file; `None` where the file does not exist.
    versions: Vec<Option<FileVersion>>,
    /// The files that exist, by path.
    existing: Vec<u32>,
    /// By file: the commits that added it first and changed it last.
    seen: Vec<Option<(u32, u32)>>,
    pub imports: Adjacency,
    pub imported_by: Adjacency,
    pub calls: Adjacency,
    pub called_by: Adjacency,
    /// From a tool to its test.
    pub tests: Adjacency,
    /// From a test to its tool.
    pub tested: Adjacency,
}

impl CommitState {
    pub fn new(history: &History, commit: u32, versions: Vec<Option<FileVersion>>) -> Self {
        let files = history.files();
        let ancestors = if commit == NO_COMMIT { BitSet::of(history.commits()) } else { history.ancestors(commit) };
        let number = |at: usize| u32_of(at);
        let mut existing: Vec<u32> =
            versions.iter().enumerate().filter(|(_, version)| version.is_some()).map(|(at, _)| number(at)).collect();
        existing.sort_unstable_by_key(|file| history.path(*file));
        let find =
            |path: &str| history.file(path).filter(|file| versions.get(*file as usize).is_some_and(Option::is_some));
        let (mut imports, mut calls, mut tests) = (Vec::new(), Vec::new(), Vec::new());
        for file in &existing {
            let path = history.path(*file);
            tests.extend(tool_of_test(path).and_then(|tool| find(&tool)).map(|tool| (tool, *file)));
            let Some(Some(version)) = versions.get(*file as usize) else { continue };
            let edges = |into: &mut Vec<(u32, u32)>, targets: Vec<u32>| {
                let mut targets: Vec<u32> = targets.into_iter().filter(|target| target != file).collect();
                targets.sort_unstable_by_key(|target| history.path(*target));
                targets.dedup();
                into.extend(targets.into_iter().map(|target| (*file, target)));
            };
            let facts = &version.facts;
            edges(&mut imports, facts.imports.iter().filter_map(|text| imported(path, text, &find)).collect());
            edges(&mut calls, facts.calls.iter().filter_map(|text| called(text, &find)).collect());
        }
        let by_path = |pairs: &[(u32, u32)]| {
            let mut turned: Vec<(u32, u32)> = pairs.iter().map(|(from, to)| (*to, *from)).collect();
            // The pairs are in the order of the paths of their first files; the sort keeps it.
            turned.sort_by_key(|(to, _)| *to);
            (Adjacency::of(files, pairs), Adjacency::of(files, &turned))
        };
        let (imports, imported_by) = by_path(&imports);
        let (calls, called_by) = by_path(&calls);
        let (tests, tested) = by_path(&tests);
        let mut state = Self {
            commit,
            ancestors,
            versions,
            existing,
            seen: Vec::new(),
            imports,
            imported_by,
            calls,
            called_by,
            tests,
            tested,
        };
        state.seen = (0..files).map(|file| state.find_seen(history, number(file))).collect();
        state
    }

    fn find_seen(&self, history: &History, file: u32) -> Option<(u32, u32)> {
        let known = |number: &u32| history.change(*number).filter(|change| self.ancestors.contains(change.commit));
        let changes = || history.changes_of(file).iter().filter_map(known);
        let appears = |status: Status| matches!(status, Status::Added | Status::Renamed);
        let first = changes().rfind(|change| appears(change.status)).or_else(|| changes().next_back())?;
        let newest = changes().next()?;
        // A rename to another path is the last change of this one.
        let left = history.renames_from(file).iter().find_map(known);
        let time = |commit: u32| history.commit(commit).map(|commit| commit.time);
        let last = left.filter(|left| time(left.commit) > time(newest.commit)).unwrap_or(newest);
        Some((first.commit, last.commit))
    }

    pub fn is_known(&self, commit: u32) -> bool {
        self.ancestors.contains(commit)
    }

    pub fn existing(&self) -> &[u32] {
        &self.existing
    }

    pub fn version(&self, file: u32) -> Option<&FileVersion> {
        self.versions.get(file as usize).and_then(Option::as_ref)
    }

    pub fn seen(&self, file: u32) -> Option<(u32, u32)> {
        self.seen.get(file as usize).copied().flatten()
    }

    /// Whether a file is a tool; of one that does not exist, whether its path is one of a tool.
    pub fn is_tool(&self, history: &History, file: u32) -> bool {
        match self.version(file) {
            Some(version) => version.facts.is_tool,
            None => looks_like_tool(history.path(file)),
        }
    }

    pub fn weight(&self) -> usize {
        let edges = [&self.imports, &self.imported_by, &self.calls, &self.called_by, &self.tests, &self.tested];
        self.ancestors.weight()
            + self.versions.capacity() * size_of::<Option<FileVersion>>()
            + self.existing.capacity() * 4
            + self.seen.capacity() * 12
            + edges.into_iter().map(Adjacency::weight).sum::<usize>()
            + self.existing.len() * 128
    }
}
