//! A repository as the graph reads it: history from Git, links from the compiler, activity from the ledger.

use super::ledger_activity::read_activity;
use crate::kernel::tool_paths::is_tool;
use tgp_base::error::Error;
use tgp_compile::{CompileError, Compiler, Links, MAX_SOURCE_BYTES};
use tgp_git::{ChangeKind, ChangedFile, GitError, HistoryCommit, HistoryReader};
use tgp_graph::{
    ActivityState, ChangeStatus, CommitId, CommitRecord, EachActivity, EachCommit, FileChange, FileFacts, GraphError,
    Source, TreeFile,
};
use tgp_ledger::Ledger;
use tgp_vfs::JailPath;

/// The commit of a root without commits.
const NO_COMMIT: CommitId = CommitId([0; 20]);
/// Longest description of a tool, and longest specifier or path.
const MAX_TEXT_CHARS: usize = 1000;
/// Most imports and most calls of one file.
const MAX_LINKS: usize = 2000;

/// Where the activity of a repository comes from.
#[derive(Clone, Copy)]
pub enum ActivitySource<'k> {
    Ledger(&'k Ledger),
    /// The question does not need what is new in the ledger.
    AsKnown,
    /// The ledger is off.
    Off,
    /// Another repository than the root has no activity.
    Nothing,
}

pub struct RepositorySource<'k> {
    pub reader: &'k HistoryReader,
    pub compiler: &'k Compiler,
    pub activity: ActivitySource<'k>,
}

impl Source for RepositorySource<'_> {
    fn resolve(&self, commit: Option<&str>) -> Result<CommitId, GraphError> {
        match commit {
            Some(text) => self.reader.resolve(text).map(CommitId).map_err(|error| {
                if let GitError::NoSuchCommit { commit } = error {
                    return GraphError::UnknownCommit(commit);
                }
                failed(error)
            }),
            None => Ok(self.reader.head().map_err(failed)?.map_or(NO_COMMIT, CommitId)),
        }
    }

    fn commits(
        &self,
        head: &CommitId,
        known: &dyn Fn(&CommitId) -> bool,
        each: EachCommit<'_>,
    ) -> Result<(), GraphError> {
        if *head == NO_COMMIT {
            return Ok(());
        }
        let new = self.reader.new_commits(&head.0, &|id| known(&CommitId(*id))).map_err(failed)?;
        new.iter().try_for_each(|id| each(record(self.reader.commit(id).map_err(failed)?)))
    }

    fn tree(&self, commit: &CommitId) -> Result<Vec<TreeFile>, GraphError> {
        if *commit == NO_COMMIT {
            return Ok(Vec::new());
        }
        let files = self.reader.files(&commit.0).map_err(failed)?.into_iter();
        Ok(files.map(|file| TreeFile { path: file.path, blob: file.blob, size: file.size }).collect())
    }

    fn facts(&self, file: &TreeFile) -> Result<FileFacts, GraphError> {
        let is_tool = JailPath::parse(&file.path).is_ok_and(|path| is_tool(&path));
        let plain = FileFacts { is_tool, ..FileFacts::default() };
        if file.size > MAX_SOURCE_BYTES as u64 || !is_code(&file.path) {
            return Ok(plain);
        }
        let Some(text) = self.reader.text(&file.blob, MAX_SOURCE_BYTES as u64).map_err(failed)? else {
            return Ok(plain);
        };
        match self.compiler.links(&file.path, &text) {
            Ok(links) => Ok(facts(links, is_tool)),
            // Not a property of the text, so it must not be cached.
            Err(error @ CompileError::NoThread { .. }) => Err(Error::from(error).into()),
            Err(_) => Ok(plain),
        }
    }

    fn activity(&self, after: u64, each: EachActivity<'_>) -> Result<ActivityState, GraphError> {
        match self.activity {
            ActivitySource::Ledger(ledger) => read_activity(ledger, after, each),
            ActivitySource::AsKnown => Ok(ActivityState::At(after)),
            ActivitySource::Off => Ok(ActivityState::Off),
            ActivitySource::Nothing => Ok(ActivityState::At(0)),
        }
    }
}

fn failed(error: GitError) -> GraphError {
    Error::from(error).into()
}

fn record(commit: HistoryCommit) -> CommitRecord {
    let HistoryCommit { id, parents, time, author, subject, changes } = commit;
    let change = |ChangedFile { path, kind }| {
        let status = match kind {
            ChangeKind::Added => ChangeStatus::Added,
            ChangeKind::Modified => ChangeStatus::Modified,
            ChangeKind::Deleted => ChangeStatus::Deleted,
            ChangeKind::Renamed { from, similarity } => ChangeStatus::Renamed { from, similarity },
        };
        FileChange { path, status }
    };
    CommitRecord {
        id: CommitId(id),
        parents: parents.into_iter().map(CommitId).collect(),
        time,
        author,
        subject,
        changes: changes.into_iter().map(change).collect(),
    }
}

/// Whether the compiler reads files of this name.
fn is_code(path: &str) -> bool {
    path.rsplit_once('.').is_some_and(|(_, extension)| matches!(extension, "ts" | "mts" | "cts" | "js" | "mjs" | "cjs"))
}

fn facts(links: Links, is_tool: bool) -> FileFacts {
    let Links { imports, calls, description } = links;
    let imports = imports.into_iter().filter(|specifier| specifier.len() <= MAX_TEXT_CHARS).take(MAX_LINKS);
    let calls = calls.iter().filter_map(|path| JailPath::parse(path).ok()).map(|path| path.as_str().to_owned());
    FileFacts {
        imports: imports.collect(),
        calls: calls.filter(|path| path.len() <= MAX_TEXT_CHARS).take(MAX_LINKS).collect(),
        description: (is_tool && !description.is_empty()).then(|| description.chars().take(MAX_TEXT_CHARS).collect()),
        is_tool,
    }
}
