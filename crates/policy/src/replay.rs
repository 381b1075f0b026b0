//! Replays recorded calls with another policy.

use super::call_facts::CallFacts;
use super::policy::Policy;
use super::verdict::Verdict;
use serde::Serialize;

/// The most changes that are listed; all are counted.
const MAX_CHANGES: usize = 1_000;

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Replay {
    pub judged: u64,
    /// Calls with a stricter verdict, and with a milder one.
    pub stricter: u64,
    pub milder: u64,
    pub changes: Vec<Change>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Change {
    /// The index of the call.
    pub call: u64,
    pub tool: String,
    pub before: Verdict,
    pub after: Verdict,
}

/// Judges calls by two policies, and compares the verdicts.
pub fn replay<'c>(before: &Policy, after: &Policy, calls: impl IntoIterator<Item = &'c CallFacts>) -> Replay {
    let mut replay = Replay::default();
    for call in calls {
        let (old, new) = (before.decide(call), after.decide(call));
        match old.cmp(&new) {
            std::cmp::Ordering::Less => replay.stricter += 1,
            std::cmp::Ordering::Greater => replay.milder += 1,
            std::cmp::Ordering::Equal => {}
        }
        if old != new && replay.changes.len() < MAX_CHANGES {
            replay.changes.push(Change {
                call: replay.judged,
                tool: call.tool.clone(),
                before: before.judge(call),
                after: after.judge(call),
            });
        }
        replay.judged += 1;
    }
    replay
}
