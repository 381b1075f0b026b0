//! The runs, sessions and writes of the ledger, as the graph takes them.

use crate::kernel::door::{Runs, kernel_tool};
use serde::Deserialize;
use serde_json::Value;
use tgp_base::effect::Effect;
use tgp_base::error::Error;
use tgp_graph::{Activity, ActivityState, CommitId, EachActivity, GraphError, RunRecord, SessionWrite};
use tgp_ledger::{EventType, Ledger, MAX_EVENTS, StoredEvent, parse_time};

/// The newest events that are read at once.
const MAX_READ_EVENTS: u64 = 300_000;
/// The kind of an actor that is a run: the agent of its session is its caller.
const TOOL: &str = "tool";

#[derive(Deserialize)]
struct Kind {
    #[serde(rename = "type")]
    kind: String,
    tool: Option<String>,
}

/// An event of the kernel. Values that are too long have another type, so members that may be long are optional values.
#[derive(Deserialize)]
struct Event {
    ts: String,
    session: Option<String>,
    actor: Option<Actor>,
    call: Option<String>,
    parent: Option<String>,
    path: Option<String>,
    ok: Option<bool>,
    ms: Option<f64>,
    code: Option<String>,
    commit: Option<String>,
    paths: Option<Value>,
}

#[derive(Deserialize)]
struct Actor {
    agent: String,
    id: Option<String>,
}

/// Passes the activity after a position of the ledger.
pub fn read_activity(ledger: &Ledger, after: u64, each: EachActivity<'_>) -> Result<ActivityState, GraphError> {
    let failed = |error| GraphError::from(Error::from(error));
    // A failed flush, for example on a full disk, does not prevent reading.
    let _later = ledger.flush();
    let head = ledger.position().map_err(failed)?.size;
    if head < after {
        return Ok(ActivityState::At(head));
    }
    let mut position = after.max(head.saturating_sub(MAX_READ_EVENTS));
    loop {
        let events = ledger.after(position, MAX_EVENTS).map_err(failed)?;
        for event in &events {
            for activity in activities(event) {
                each(event.seq, activity)?;
            }
        }
        position = events.last().map_or(position, |event| event.seq);
        if events.len() < MAX_EVENTS {
            return Ok(ActivityState::At(position.max(head)));
        }
    }
}

fn activities(event: &StoredEvent) -> Vec<Activity> {
    let Ok(Kind { kind, tool }) = serde_json::from_str(&event.content) else { return Vec::new() };
    let tool = tool.as_deref().and_then(kernel_tool);
    let is_run = || tool.is_some_and(|tool| tool.effect == Effect::Run && !matches!(tool.runs, Runs::Tests));
    let kind = EventType::parse(&kind);
    let is_wanted = match kind {
        Some(EventType::Call | EventType::Result) => is_run(),
        other => other == Some(EventType::Commit),
    };
    let event: Event = match is_wanted.then(|| serde_json::from_str(&event.content)) {
        Some(Ok(event)) => event,
        Some(Err(_)) | None => return Vec::new(),
    };
    if kind == Some(EventType::Commit) { writes(event) } else { run(event).into_iter().collect() }
}

fn run(event: Event) -> Option<Activity> {
    let time = time(&event);
    let agent = agent(&event);
    let Event { session, call, parent, path, ok, ms, code, .. } = event;
    Some(Activity::Run(RunRecord { id: call?, parent, session, agent, path, ok, code, ms, time }))
}

fn writes(event: Event) -> Vec<Activity> {
    let (time, agent) = (time(&event), agent(&event));
    let Some(session) = event.session else { return Vec::new() };
    let commit = event.commit.as_deref().and_then(CommitId::parse);
    let paths: Vec<String> = event
        .paths
        .and_then(|paths| serde_json::from_value(paths).ok())
        .unwrap_or_else(|| event.path.into_iter().collect());
    let write = |path| SessionWrite { session: session.clone(), agent: agent.clone(), path, commit, time };
    paths.into_iter().map(write).map(Activity::Write).collect()
}

fn time(event: &Event) -> i64 {
    parse_time(&event.ts).and_then(|time| i64::try_from(time).ok()).unwrap_or_default()
}

/// The name of the caller, or its kind if it has none.
fn agent(event: &Event) -> Option<String> {
    let actor = event.actor.as_ref().filter(|actor| actor.agent != TOOL)?;
    let name = actor.id.as_deref().filter(|id| !id.is_empty()).unwrap_or(&actor.agent);
    Some(name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::activities;
    use serde_json::{Value, json};
    use tgp_graph::Activity;
    use tgp_ledger::{Hash, StoredEvent};

    const TIME: &str = "1970-01-01T00:00:01.500Z";

    fn found(mut content: Value) -> Vec<Activity> {
        content["ts"] = TIME.into();
        activities(&StoredEvent { seq: 1, content: content.to_string(), prev: Hash::ZERO, hash: Hash::ZERO })
    }

    #[test]
    fn runs_and_writes_are_found_and_other_events_ignored() {
        let actor = json!({ "agent": "agent", "id": "gpt" });
        let call = json!({ "type": "CALL", "session": "s", "actor": actor, "call": "p-1", "tool": "exec_tool", "path": "tools/a.ts" });
        let [Activity::Run(run)] = &*found(call) else { panic!() };
        assert_eq!((run.id.as_str(), run.path.as_deref(), run.time), ("p-1", Some("tools/a.ts"), 1500));
        assert_eq!((run.agent.as_deref(), run.ok), (Some("gpt"), None));
        let result = json!({ "type": "RESULT", "call": "p-2", "parent": "p-1", "tool": "exec_tool",
            "actor": { "agent": "tool", "id": "tools/a.ts" }, "ok": false, "code": "ERR_X", "ms": 2.5 });
        let [Activity::Run(run)] = &*found(result) else { panic!() };
        assert_eq!((run.parent.as_deref(), run.agent.as_deref(), run.ok), (Some("p-1"), None, Some(false)));
        assert_eq!((run.code.as_deref(), run.ms), (Some("ERR_X"), Some(2.5)));
        let commit = |paths: Value| json!({ "type": "COMMIT", "session": "s", "path": "a", "paths": paths, "commit": "11".repeat(20) });
        assert_eq!(found(commit(json!(["a", "b"]))).len(), 2);
        // A long list is stored elsewhere.
        let [Activity::Write(write)] = &*found(commit(json!({ "$blob": "x" }))) else { panic!() };
        assert!(write.path == "a" && write.commit.is_some());
        for other in [
            json!({ "type": "CALL", "call": "p-1", "tool": "read_file", "path": "a" }),
            json!({ "type": "COMMIT", "path": "a" }),
            json!({ "type": "APPLICATION", "tool": "exec_tool", "ok": "yes", "ms": "long" }),
            json!({ "type": "RESULT", "tool": "exec_tool", "ok": "damaged" }),
            json!({ "type": "DENIED", "call": "p-1", "tool": "exec_tool" }),
        ] {
            assert!(found(other.clone()).is_empty(), "{other}");
        }
    }
}
