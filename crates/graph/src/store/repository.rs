//! What is in memory of one repository: its history, the states of its newest commits, and its activity.

use super::rows::{self, Place};
use crate::graph_error::GraphError;
use crate::limits::GraphLimits;
use crate::model::activity_layer::ActivityLayer;
use crate::model::activity_log::ActivityLog;
use crate::model::commit_state::{CommitState, FileVersion, NO_COMMIT};
use crate::model::graph_data::GraphData;
use crate::model::history::History;
use crate::records::{Activity, ActivityState, CommitId, CommitRecord, FileFacts, TreeFile};
use crate::source::Source;
use crate::view::View;
use rusqlite::Connection;
use std::sync::Arc;

/// The commits of one transaction.
const BATCH: usize = 256;
/// The facts of one transaction.
const FACTS_BATCH: usize = 512;

#[derive(Debug)]
pub struct Repository {
    /// Its number in the database.
    id: i64,
    /// The position of the last commit that was read from the database.
    position: i64,
    history: Arc<History>,
    /// The newest use is last.
    states: Vec<Arc<CommitState>>,
    log: ActivityLog,
    layer: Option<(usize, Arc<ActivityLayer>)>,
}

impl Repository {
    pub fn new(connection: &Connection, name: &str) -> Result<Self, GraphError> {
        let id = rows::repository(connection, name)?;
        let history = Arc::new(History::new(name));
        Ok(Self { id, position: 0, history, states: Vec::new(), log: ActivityLog::default(), layer: None })
    }

    pub fn weight(&self) -> usize {
        let states = self.states.iter().map(|state| state.weight()).sum::<usize>();
        self.history.weight() + states + self.layer.as_ref().map_or(0, |(_, layer)| layer.weight())
    }

    pub fn states(&self) -> usize {
        self.states.len()
    }

    /// Forgets the state that was not used for the longest time.
    pub fn drop_oldest_state(&mut self) {
        if !self.states.is_empty() {
            self.states.remove(0);
        }
    }

    /// Reads what this or another process added to the database.
    fn load(&mut self, connection: &Connection, limits: &GraphLimits) -> Result<(), GraphError> {
        let mut new = Vec::new();
        let room = limits.commits.saturating_sub(self.history.commits());
        let last = rows::commits_after(connection, self.id, self.position, &mut |record| {
            if new.len() >= room {
                return Err(GraphError::TooLarge { what: "commits", limit: limits.commits as u64 });
            }
            new.push(record);
            Ok(())
        })?;
        self.add(&new, limits)?;
        self.position = last;
        Ok(())
    }

    fn add(&mut self, records: &[CommitRecord], limits: &GraphLimits) -> Result<(), GraphError> {
        if records.is_empty() {
            return Ok(());
        }
        let history = Arc::make_mut(&mut self.history);
        for record in records {
            history.add(record);
        }
        history.index();
        if history.changes() > limits.changes {
            return Err(GraphError::TooLarge { what: "changes", limit: limits.changes as u64 });
        }
        Ok(())
    }

    /// Adds what is missing of a commit's history to the database and to memory.
    pub fn ingest(
        &mut self,
        connection: &mut Connection,
        source: &dyn Source,
        commit: &CommitId,
        limits: &GraphLimits,
    ) -> Result<usize, GraphError> {
        if self.history.number(commit).is_some() {
            return Ok(0);
        }
        self.load(connection, limits)?;
        let before = self.history.commits();
        if self.history.number(commit).is_some() {
            return Ok(0);
        }
        let history = Arc::clone(&self.history);
        let (mut count, mut changes) = (before, history.changes());
        let mut batch = Vec::new();
        let id = self.id;
        source.commits(commit, &|id| history.number(id).is_some(), &mut |record| {
            count += 1;
            changes += record.changes.len();
            if count > limits.commits {
                return Err(GraphError::TooLarge { what: "commits", limit: limits.commits as u64 });
            }
            if changes > limits.changes {
                return Err(GraphError::TooLarge { what: "changes", limit: limits.changes as u64 });
            }
            batch.push(record);
            if batch.len() >= BATCH {
                rows::add_commits(connection, id, &batch)?;
                batch.clear();
            }
            Ok(())
        })?;
        rows::add_commits(connection, id, &batch)?;
        drop(history);
        self.load(connection, limits)?;
        Ok(self.history.commits() - before)
    }

    pub fn view(
        &mut self,
        connection: &mut Connection,
        source: &dyn Source,
        commit: &CommitId,
        limits: &GraphLimits,
    ) -> Result<View, GraphError> {
        self.ingest(connection, source, commit, limits)?;
        let number = self.number(commit)?;
        let state = match self.states.iter().position(|state| state.commit == number) {
            Some(at) => self.states.remove(at),
            None => Arc::new(self.state(connection, source, commit, limits)?),
        };
        self.states.push(Arc::clone(&state));
        let activity = self.activity(source, limits)?;
        Ok(View { data: GraphData { history: Arc::clone(&self.history), state, activity } })
    }

    fn number(&self, commit: &CommitId) -> Result<u32, GraphError> {
        if commit.0 == [0; 20] {
            return Ok(NO_COMMIT);
        }
        self.history.number(commit).ok_or_else(|| GraphError::UnknownCommit(commit.short()))
    }

    fn state(
        &mut self,
        connection: &mut Connection,
        source: &dyn Source,
        commit: &CommitId,
        limits: &GraphLimits,
    ) -> Result<CommitState, GraphError> {
        let tree = source.tree(commit)?;
        if tree.len() > limits.files {
            return Err(GraphError::TooLarge { what: "files", limit: limits.files as u64 });
        }
        if tree.iter().any(|file| self.history.file(&file.path).is_none()) {
            // A file that no change names: a history that begins in the middle.
            let history = Arc::make_mut(&mut self.history);
            for file in &tree {
                history.add_file(&file.path);
            }
            history.index();
        }
        let known = self.states.last().cloned();
        let mut versions: Vec<Option<FileVersion>> = vec![None; self.history.files()];
        let mut new = Vec::new();
        for file in &tree {
            let Some(number) = self.history.file(&file.path) else { continue };
            // Most files are those of the last view.
            let same =
                known.as_ref().and_then(|state| state.version(number)).filter(|version| version.blob == file.blob);
            let facts = match same {
                Some(version) => Arc::clone(&version.facts),
                None => facts_of(connection, source, file, &mut new)?,
            };
            if let Some(place) = versions.get_mut(number as usize) {
                *place = Some(FileVersion { blob: file.blob, facts });
            }
            if new.len() >= FACTS_BATCH {
                rows::add_facts(connection, &new)?;
                new.clear();
            }
        }
        if !new.is_empty() {
            rows::add_facts(connection, &new)?;
        }
        let number = self.number(commit)?;
        Ok(CommitState::new(&self.history, number, versions))
    }

    fn activity(&mut self, source: &dyn Source, limits: &GraphLimits) -> Result<Arc<ActivityLayer>, GraphError> {
        let before = self.log.position;
        let log = &mut self.log;
        let most = limits.activities;
        let read = |log: &mut ActivityLog, after: u64| {
            source.activity(after, &mut |_, event: Activity| {
                log.add(event, most);
                Ok(())
            })
        };
        let state = read(log, before.unwrap_or_default())?;
        let position = match state {
            ActivityState::Off => None,
            // Another ledger: everything is read again.
            ActivityState::At(position) if before.is_some_and(|before| position < before) => {
                *log = ActivityLog::default();
                match read(log, 0)? {
                    ActivityState::Off => None,
                    ActivityState::At(position) => Some(position),
                }
            }
            ActivityState::At(position) => Some(position),
        };
        if position.is_none() {
            *log = ActivityLog::default();
        }
        log.position = position;
        let files = self.history.files();
        if let Some((for_files, layer)) = &self.layer
            && *for_files == files
            && layer.position == position
        {
            return Ok(Arc::clone(layer));
        }
        let layer = Arc::new(ActivityLayer::new(&self.log, &self.history));
        self.layer = Some((files, Arc::clone(&layer)));
        Ok(layer)
    }
}

/// One entry of the facts that are not in the database yet.
type NewFacts = ([u8; 20], Place, Arc<FileFacts>);

fn facts_of(
    connection: &Connection,
    source: &dyn Source,
    file: &TreeFile,
    new: &mut Vec<NewFacts>,
) -> Result<Arc<FileFacts>, GraphError> {
    let place = Place::of(&file.path);
    if let Some(known) = rows::facts(connection, &file.blob, place)? {
        return Ok(Arc::new(known));
    }
    let facts = Arc::new(source.facts(file)?);
    new.push((file.blob, place, Arc::clone(&facts)));
    Ok(facts)
}
