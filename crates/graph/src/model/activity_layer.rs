//! Sessions and runs, with their relationships to files.

use super::activity_log::ActivityLog;
use super::adjacency::Adjacency;
use super::history::History;
use super::strings::u32_of;
use crate::records::{CommitId, RunRecord, SessionWrite};
use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

#[derive(Debug, Clone, Default)]
pub struct ActivityLayer {
    /// That of the last event; `None` without a ledger.
    pub position: Option<u64>,
    pub sessions: Vec<Session>,
    /// Newest first.
    pub runs: Vec<Run>,
    session_numbers: HashMap<String, u32>,
    run_numbers: HashMap<String, u32>,
    pub runs_of_session: Adjacency,
    pub runs_of_run: Adjacency,
    pub runs_of_file: Adjacency,
    /// Files that a session wrote.
    pub files_of_session: Adjacency,
    pub sessions_of_file: Adjacency,
    /// With the commit that it made.
    writes: HashMap<(u32, CommitId), u32>,
}

#[derive(Debug, Clone, Default)]
pub struct Session {
    pub id: String,
    pub agent: Option<String>,
    pub first: i64,
    pub last: i64,
}

#[derive(Debug, Clone)]
pub struct Run {
    pub record: RunRecord,
    pub session: Option<u32>,
    pub parent: Option<u32>,
    pub file: Option<u32>,
}

impl ActivityLayer {
    pub fn new(log: &ActivityLog, history: &History) -> Self {
        let mut layer = Self { position: log.position, ..Self::default() };
        for run in log.runs() {
            if let Some(session) = &run.session {
                layer.note_session(session, run.agent.as_deref(), run.time);
            }
        }
        for write in log.writes() {
            layer.note_session(&write.session, write.agent.as_deref(), write.time);
        }
        layer.sessions.sort_by(|one, other| other.first.cmp(&one.first).then_with(|| one.id.cmp(&other.id)));
        let sessions = layer.sessions.iter().enumerate();
        layer.session_numbers = sessions.map(|(at, session)| (session.id.clone(), u32_of(at))).collect();
        layer.add_runs(log.runs(), history);
        layer.add_writes(log.writes(), history);
        layer
    }

    fn note_session(&mut self, id: &str, agent: Option<&str>, time: i64) {
        let next = u32_of(self.sessions.len());
        let number = *self.session_numbers.entry(id.to_owned()).or_insert(next);
        if number == next {
            self.sessions.push(Session { id: id.to_owned(), agent: None, first: time, last: time });
        }
        if let Some(session) = self.sessions.get_mut(number as usize) {
            session.first = session.first.min(time);
            session.last = session.last.max(time);
            if session.agent.is_none() {
                session.agent = agent.map(str::to_owned);
            }
        }
    }

    fn add_runs(&mut self, records: &[RunRecord], history: &History) {
        let mut ordered: Vec<&RunRecord> = records.iter().collect();
        ordered.sort_by_key(|run| (Reverse(run.time), &run.id));
        self.run_numbers = ordered.iter().enumerate().map(|(at, run)| (run.id.clone(), u32_of(at))).collect();
        let (mut of_session, mut of_run, mut of_file) = (Vec::new(), Vec::new(), Vec::new());
        for (at, record) in ordered.into_iter().enumerate() {
            let number = u32_of(at);
            let session = record.session.as_ref().and_then(|id| self.session_numbers.get(id)).copied();
            let parent = record.parent.as_ref().and_then(|id| self.run_numbers.get(id)).copied();
            let file = record.path.as_ref().and_then(|path| history.file(path));
            // A nested run belongs to the run that started it.
            of_session.extend(session.filter(|_| parent.is_none()).map(|session| (session, number)));
            of_run.extend(parent.map(|parent| (parent, number)));
            of_file.extend(file.map(|file| (file, number)));
            self.runs.push(Run { record: record.clone(), session: session.filter(|_| parent.is_none()), parent, file });
        }
        self.runs_of_session = Adjacency::of(self.sessions.len(), &of_session);
        self.runs_of_run = Adjacency::of(self.runs.len(), &of_run);
        self.runs_of_file = Adjacency::of(history.files(), &of_file);
    }

    fn add_writes(&mut self, writes: &[SessionWrite], history: &History) {
        let mut seen = HashSet::new();
        let mut pairs = Vec::new();
        for write in writes {
            let session = self.session_numbers.get(&write.session).copied();
            let Some((session, file)) = session.zip(history.file(&write.path)) else { continue };
            if let Some(commit) = write.commit {
                self.writes.entry((file, commit)).or_insert(session);
            }
            if seen.insert((session, file)) {
                pairs.push((session, file));
            }
        }
        pairs.sort_unstable_by_key(|(session, file)| (*session, history.path(*file)));
        let turned: Vec<(u32, u32)> = pairs.iter().map(|(session, file)| (*file, *session)).collect();
        self.files_of_session = Adjacency::of(self.sessions.len(), &pairs);
        self.sessions_of_file = Adjacency::of(history.files(), &turned);
    }

    pub fn run(&self, number: u32) -> Option<&Run> {
        self.runs.get(number as usize)
    }

    pub fn session(&self, number: u32) -> Option<&Session> {
        self.sessions.get(number as usize)
    }

    pub fn run_number(&self, id: &str) -> Option<u32> {
        self.run_numbers.get(id).copied()
    }

    pub fn session_number(&self, id: &str) -> Option<u32> {
        self.session_numbers.get(id).copied()
    }

    /// The session whose write became this commit.
    pub fn forged_by(&self, file: u32, commit: CommitId) -> Option<u32> {
        self.writes.get(&(file, commit)).copied()
    }

    pub fn weight(&self) -> usize {
        self.runs.len() * 400 + self.sessions.len() * 200 + self.writes.len() * 40 + self.runs_of_file.weight()
    }
}
