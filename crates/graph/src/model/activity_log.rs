//! The newest events of the ledger that are part of the graph.

use crate::records::{Activity, RunRecord, SessionWrite};
use std::collections::HashMap;

#[derive(Debug, Clone, Default)]
pub struct ActivityLog {
    /// That of the last event; `None` without a ledger.
    pub position: Option<u64>,
    runs: Vec<RunRecord>,
    numbers: HashMap<String, usize>,
    writes: Vec<SessionWrite>,
}

impl ActivityLog {
    pub fn runs(&self) -> &[RunRecord] {
        &self.runs
    }

    pub fn writes(&self) -> &[SessionWrite] {
        &self.writes
    }

    /// Adds an event. Over `most`, the older half of its kind is dropped.
    pub fn add(&mut self, event: Activity, most: usize) {
        match event {
            Activity::Run(run) => {
                let known = self.numbers.get(&run.id).and_then(|number| self.runs.get_mut(*number));
                if let Some(known) = known {
                    complete(known, run);
                    return;
                }
                if self.runs.len() >= most.max(1) {
                    self.runs.drain(..self.runs.len().div_ceil(2));
                    self.numbers = self.runs.iter().enumerate().map(|(at, run)| (run.id.clone(), at)).collect();
                }
                self.numbers.insert(run.id.clone(), self.runs.len());
                self.runs.push(run);
            }
            Activity::Write(write) => {
                if self.writes.len() >= most.max(1) {
                    self.writes.drain(..self.writes.len().div_ceil(2));
                }
                self.writes.push(write);
            }
        }
    }
}

/// Adds what a later record of a run says.
fn complete(known: &mut RunRecord, later: RunRecord) {
    let RunRecord { id: _, parent, session, agent, path, ok, code, ms, time: _ } = later;
    known.parent = parent.or(known.parent.take());
    known.session = session.or(known.session.take());
    known.agent = agent.or(known.agent.take());
    known.path = path.or(known.path.take());
    known.ok = ok.or(known.ok);
    known.code = code.or(known.code.take());
    known.ms = ms.or(known.ms);
}
