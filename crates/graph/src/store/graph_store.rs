//! The cache of all repositories of a kernel.

use super::database;
use super::repository::Repository;
use crate::answers::Ingested;
use crate::graph_error::{GraphError, StoreFault};
use crate::limits::GraphLimits;
use crate::source::Source;
use crate::view::View;
use parking_lot::Mutex;
use rusqlite::Connection;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// One SQLite file, which several processes may use, and the newest views. Calls about one repository run one after another;
/// queries of views do not wait.
#[derive(Debug)]
pub struct GraphStore {
    file: PathBuf,
    limits: GraphLimits,
    /// By name; the newest use is last.
    repositories: Mutex<Vec<(String, Arc<Slot>)>>,
}

/// A repository that is in use. `None` before its first use, and after an error.
type Slot = Mutex<Option<(Connection, Repository)>>;

impl GraphStore {
    /// Opens or creates the file. A damaged one, or one of another version, is replaced.
    pub fn open(file: &Path, limits: GraphLimits) -> Result<Self, GraphError> {
        drop(database::open(file)?);
        Ok(Self { file: file.to_owned(), limits, repositories: Mutex::default() })
    }

    /// Adds what is missing of a commit's history. `repository` identifies it, and is the property `root` of its files.
    pub fn ingest(&self, repository: &str, source: &dyn Source, commit: Option<&str>) -> Result<Ingested, GraphError> {
        let commit = source.resolve(commit)?;
        self.with(repository, |connection, known| {
            let commits_added = known.ingest(connection, source, &commit, &self.limits)?;
            let view = known.view(connection, source, &commit, &self.limits)?;
            Ok(Ingested { commit: commit.to_string(), commits_added, files: view.data.state.existing().len() })
        })
    }

    /// The graph as of a commit.
    pub fn view(&self, repository: &str, source: &dyn Source, commit: Option<&str>) -> Result<Arc<View>, GraphError> {
        let commit = source.resolve(commit)?;
        self.with(repository, |connection, known| known.view(connection, source, &commit, &self.limits).map(Arc::new))
    }

    /// Works on a repository. A file that turns out to be damaged is rebuilt once.
    fn with<T>(
        &self,
        name: &str,
        work: impl Fn(&mut Connection, &mut Repository) -> Result<T, GraphError>,
    ) -> Result<T, GraphError> {
        let slot = self.slot(name);
        let mut entry = slot.lock();
        let attempt = |opened: Option<(Connection, Repository)>| {
            let (mut connection, mut repository) = match opened {
                Some(opened) => opened,
                None => {
                    let connection = database::open(&self.file)?;
                    let repository = Repository::new(&connection, name)?;
                    (connection, repository)
                }
            };
            let result = work(&mut connection, &mut repository)?;
            // After an error, what is in memory may be incomplete: it is read again.
            Ok((result, (connection, repository)))
        };
        let mut outcome = attempt(entry.take());
        if matches!(outcome, Err(GraphError::Store(StoreFault::Damaged))) {
            database::rebuild(&self.file)?;
            outcome = attempt(None);
        }
        let (result, opened) = outcome?;
        *entry = Some(opened);
        drop(entry);
        self.trim();
        Ok(result)
    }

    /// The slot of a repository, which becomes the newest one.
    fn slot(&self, name: &str) -> Arc<Slot> {
        let mut repositories = self.repositories.lock();
        let slot = match repositories.iter().position(|(known, _)| known == name) {
            Some(at) => repositories.remove(at).1,
            None => Arc::default(),
        };
        repositories.push((name.to_owned(), Arc::clone(&slot)));
        slot
    }

    /// Forgets what was not used for the longest time, over the limit of bytes. What is in use stays.
    fn trim(&self) {
        let mut repositories = self.repositories.lock();
        let weight = |slot: &Slot| slot.try_lock().and_then(|slot| slot.as_ref().map(|(_, known)| known.weight()));
        let mut total: usize = repositories.iter().filter_map(|(_, slot)| weight(slot)).sum();
        let newest = repositories.len().saturating_sub(1);
        for (at, (_, slot)) in repositories.iter().enumerate() {
            let Some(mut entry) = slot.try_lock() else { continue };
            let Some((_, known)) = entry.as_mut() else { continue };
            let least = usize::from(at == newest);
            while total > self.limits.view_bytes && known.states() > least {
                let before = known.weight();
                known.drop_oldest_state();
                total = total.saturating_sub(before.saturating_sub(known.weight()));
            }
            if total > self.limits.view_bytes && at != newest {
                total = total.saturating_sub(known.weight());
                *entry = None;
            }
        }
        repositories.retain(|(_, slot)| slot.try_lock().is_none_or(|entry| entry.is_some()));
    }
}
