//! Queries and operations on the ledger for users.

use super::door::{Door, Position, canonical_path, full, witness_in};
use super::history::History;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tgp_base::error::{Error, ErrorCode};
use tgp_ledger::{
    CallState, Cause, EventType, HasResult, Hash, Importance, Ledger, LedgerError, MAX_EVENTS, NewEvent, Query,
    StoredEvent, Verification, verify_file,
};

const DEFAULT_LIMIT: usize = 100;
/// How long `wait_for_spools` waits for events of other processes.
const SPOOLS_TIMEOUT: Duration = Duration::from_secs(10);

const PARTLY_WITNESSED: &str = "Not all commits were searched for ledger positions: there are too many. Compare with a checkpoint that you store elsewhere.";

/// An event as JSON.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(type = "any"))]
#[serde(transparent)]
pub struct EventJson(Box<RawValue>);

pub struct LedgerApi {
    pub(super) door: Arc<Door>,
    pub(super) history: Arc<History>,
}

/// A filter for events.
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LedgerQuery {
    limit: Option<u32>,
    session: Option<String>,
    path: Option<String>,
    tool: Option<String>,
    #[serde(rename = "type")]
    kind: Option<String>,
    /// Milliseconds since 1970.
    #[cfg_attr(test, ts(type = "number"))]
    since: Option<u64>,
    #[cfg_attr(test, ts(type = "number"))]
    until: Option<u64>,
    call: Option<String>,
    #[cfg_attr(test, ts(type = "number"))]
    after: Option<u64>,
}

/// An event of the application.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct OwnEvent<'e> {
    #[serde(rename = "type")]
    kind: Option<String>,
    session: Option<String>,
    agent: Option<String>,
    id: Option<String>,
    path: Option<String>,
    /// Further members.
    #[serde(borrow)]
    body: Option<&'e RawValue>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
pub struct VerifyReport {
    ok: bool,
    /// The number of the first stored event.
    #[cfg_attr(test, ts(type = "number"))]
    first: u64,
    #[cfg_attr(test, ts(type = "number"))]
    events: u64,
    head: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<VerifyProblem>,
    /// What could not be verified.
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
pub struct VerifyProblem {
    #[cfg_attr(test, ts(type = "'changed' | 'missing' | 'order' | 'truncated' | 'signature'"))]
    kind: &'static str,
    #[cfg_attr(test, ts(type = "number"))]
    seq: u64,
    message: String,
    /// The cause of a truncation.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional, type = "'removed' | 'unknown'"))]
    cause: Option<&'static str>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct CheckpointReport {
    #[serde(flatten)]
    position: Position,
    /// The signed note.
    note: String,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ExportPage {
    lines: Vec<String>,
    #[cfg_attr(test, ts(type = "number | null"))]
    next: Option<u64>,
}

impl LedgerApi {
    pub fn new(door: Arc<Door>, history: Arc<History>) -> Self {
        Self { door, history }
    }

    /// The ledger after a flush. A failed flush, for example on a full disk, does not prevent reading.
    fn readable(&self) -> Result<&Arc<Ledger>, Error> {
        let ledger = self.door.ledger()?;
        let _later = ledger.flush();
        Ok(ledger)
    }

    /// The newest events that match a query, oldest first.
    pub fn tail(&self, query_json: &str) -> Result<Vec<EventJson>, Error> {
        let query: LedgerQuery = serde_json::from_str(query_json).map_err(|error| invalid("query", &error))?;
        let kind = query.kind.as_deref().map(event_type).transpose()?;
        let ledger = self.readable()?;
        let events = ledger.tail(&Query {
            limit: query.limit.map_or(DEFAULT_LIMIT, |limit| (limit as usize).min(MAX_EVENTS)),
            session: query.session,
            path: query.path.map(|path| canonical_path(path.into()).into_owned()),
            tool: query.tool,
            kind,
            since: query.since,
            until: query.until,
            call: query.call,
            after_seq: query.after,
        })?;
        Ok(events.iter().filter_map(shown).collect())
    }

    /// The events of a call and its nested calls, oldest first.
    pub fn tree(&self, call: &str) -> Result<Vec<EventJson>, Error> {
        let ledger = self.readable()?;
        let named = match call.parse::<u64>() {
            Ok(seq) => ledger.event(seq)?.and_then(|event| call_in(&event)),
            Err(_) => Some(call.to_owned()),
        };
        let events = named.map(|call| ledger.tree(&call)).transpose()?.unwrap_or_default();
        if events.is_empty() {
            let text = format!(
                "The ledger has no call '{call}'. Use \"call\" of an event, or the number of one of its events; kernel.ledger.tail() lists them."
            );
            return Err(Error::new(ErrorCode::NotFound, text));
        }
        let states = unfinished(&events)
            .into_iter()
            .map(|call| Ok((ledger.call_state(&call, HasResult::No)?, call)))
            .collect::<Result<Vec<_>, Error>>()?;
        let unknown: HashSet<String> =
            states.into_iter().filter(|(state, _)| *state == CallState::Unknown).map(|(_, call)| call).collect();
        Ok(events.iter().filter_map(|event| shown_with_state(event, &unknown)).collect())
    }

    /// The text of a value that is stored by its hash.
    pub fn blob(&self, hash: &str) -> Result<String, Error> {
        let missing = || {
            let text = "The ledger has no value with that hash. Values above ledger.blobBytes are not stored, and values of pruned events are removed.";
            Error::new(ErrorCode::NotFound, text)
        };
        let ledger = self.readable()?;
        let bytes = ledger.blob(&Hash::parse(hash).ok_or_else(missing)?)?.ok_or_else(missing)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Records an event of the application, or of an agent's session. Other types are recorded by the kernel only.
    pub fn append(&self, event_json: &str) -> Result<(), Error> {
        let event: OwnEvent<'_> = serde_json::from_str(event_json).map_err(|error| invalid("event", &error))?;
        let kind = event.kind.as_deref().map_or(Ok(EventType::Application), event_type)?;
        if !matches!(kind, EventType::Application | EventType::Session) {
            let text = format!("Events of type {} are recorded by the kernel only.", kind.as_str());
            return Err(Error::new(ErrorCode::Validation, text).with("field", "type"));
        }
        let ledger = self.door.ledger()?;
        if kind == EventType::Application && !ledger.has_room() {
            // Refused like a call, so that it takes no room from calls. Session events belong to calls that were made.
            return Err(full());
        }
        let recorded = ledger.record(&NewEvent {
            kind,
            importance: Importance::Intent,
            at: None,
            session: event.session.as_deref(),
            agent: event.agent.as_deref().unwrap_or("application"),
            id: event.id.as_deref().unwrap_or_default(),
            call: None,
            parent: None,
            tool: None,
            path: event.path.as_deref(),
            body: &[],
            more: event.body,
        });
        recorded.map_err(|error| if matches!(error, LedgerError::SpoolFull) { full() } else { error.into() })
    }

    /// Verifies the ledger by its hash chain, its checkpoints, and ledger positions in commits.
    pub fn verify(&self) -> Result<VerifyReport, Error> {
        let ledger = self.readable()?;
        let Some(key) = ledger.public_key()? else { return Ok(ledger.verify(&[])?.into()) };
        // Ignores copies of a signed trailer, which would use up the search limit.
        let mut known = HashSet::new();
        let is_new = |message: &str| {
            witness_in(message, &key).filter(|seen| known.insert((seen.size, seen.head, seen.durability)))
        };
        let witnesses = self.history.witnesses(is_new)?;
        let report = VerifyReport::from(ledger.verify(&witnesses.found)?);
        let note = (!witnesses.is_complete).then(|| PARTLY_WITNESSED.to_owned());
        Ok(VerifyReport { note, ..report })
    }

    /// Waits until the ledger has every event that processes of this folder had recorded at the time of the call.
    pub fn wait_for_spools(&self) -> Result<(), Error> {
        Ok(self.door.ledger()?.wait_for_spools(SPOOLS_TIMEOUT)?)
    }

    /// Signs the current first event as the base, so that a missing earlier event is not a fault.
    pub fn sign_base(&self) -> Result<(), Error> {
        Ok(self.door.ledger()?.sign_base()?)
    }

    /// Signs the current position.
    pub fn checkpoint(&self) -> Result<CheckpointReport, Error> {
        let ledger = self.door.ledger()?;
        let head = ledger.checkpoint()?;
        let note = ledger.last_note()?.unwrap_or_default();
        Ok(CheckpointReport { position: Position { size: head.size, head: head.hash.hex() }, note })
    }

    /// A page of an export, after event `after`, 0 for the first. A checkpoint is signed first, and the last line
    /// proves the end.
    pub fn export(&self, after: u64, limit: u32) -> Result<ExportPage, Error> {
        let ledger = self.door.ledger()?;
        if after == 0 {
            ledger.checkpoint()?;
        }
        let page = ledger.export(after, limit as usize)?;
        Ok(ExportPage { lines: page.lines, next: page.next })
    }

    /// The events of one file, oldest first.
    pub fn chronicle(&self, path: &str) -> Result<Vec<EventJson>, Error> {
        let ledger = self.readable()?;
        let lines = ledger.chronicle(&canonical_path(path.into()))?;
        Ok(lines.into_iter().filter_map(|line| RawValue::from_string(line).ok().map(EventJson)).collect())
    }
}

/// Verifies an export.
pub fn verify_export(file: &Path, key_file: Option<&Path>) -> Result<VerifyReport, Error> {
    Ok(verify_file(file, key_file)?.into())
}

impl From<Verification> for VerifyReport {
    fn from(found: Verification) -> Self {
        let ok = found.ok();
        let problem = found.problem.map(|problem| VerifyProblem {
            kind: problem.kind.as_str(),
            seq: problem.seq,
            message: problem.message,
            cause: problem.cause.map(Cause::as_str),
        });
        Self {
            ok,
            first: found.first,
            events: found.events,
            head: found.head.hash.hex(),
            problem,
            note: found.note.map(str::to_owned),
        }
    }
}

fn shown(event: &StoredEvent) -> Option<EventJson> {
    RawValue::from_string(event.json()).ok().map(EventJson)
}

/// The type of an event, and its call.
#[derive(Deserialize)]
struct Content {
    #[serde(rename = "type")]
    kind: String,
    call: Option<String>,
}

fn content_of(event: &StoredEvent) -> Option<Content> {
    serde_json::from_str(&event.content).ok()
}

/// The call of an event.
fn call_in(event: &StoredEvent) -> Option<String> {
    content_of(event)?.call
}

/// Calls without a final event.
fn unfinished(events: &[StoredEvent]) -> HashSet<String> {
    let mut open = HashSet::new();
    for Content { kind, call } in events.iter().filter_map(content_of) {
        match (EventType::parse(&kind), call) {
            (Some(EventType::Call), Some(call)) => {
                open.insert(call);
            }
            (Some(EventType::Result | EventType::Denied), Some(call)) => {
                open.remove(&call);
            }
            // Other events of a call do not end it.
            _ => {}
        }
    }
    open
}

/// The event, marked if its call has an unknown outcome because its process is gone.
fn shown_with_state(event: &StoredEvent, unknown: &HashSet<String>) -> Option<EventJson> {
    let is_unknown = call_in(event).is_some_and(|call| unknown.contains(&call));
    if !is_unknown {
        return shown(event);
    }
    let json = event.json();
    let members = json.strip_suffix('}')?;
    RawValue::from_string(format!("{members},\"state\":\"unknown\"}}")).ok().map(EventJson)
}

fn event_type(name: &str) -> Result<EventType, Error> {
    EventType::parse(name).ok_or_else(|| {
        let known: Vec<&str> = EventType::ALL.iter().map(|kind| kind.as_str()).collect();
        let text = format!("'{name}' is not an event type. The types are {}.", known.join(", "));
        Error::new(ErrorCode::Validation, text).with("field", "type")
    })
}

pub(super) fn invalid(what: &str, error: &serde_json::Error) -> Error {
    Error::new(ErrorCode::Validation, format!("The {what} of the ledger is not valid: {error}."))
}

#[cfg(test)]
mod tests {
    use super::unfinished;
    use tgp_ledger::{Hash, StoredEvent};

    #[test]
    fn only_a_result_or_a_denial_ends_a_call() {
        let events = |kinds: &[&str]| -> Vec<StoredEvent> {
            let content = |kind: &&str| format!(r#"{{"type":"{kind}","call":"p-1"}}"#);
            let stored = |content| StoredEvent { seq: 1, content, prev: Hash::ZERO, hash: Hash::ZERO };
            kinds.iter().map(content).map(stored).collect()
        };
        for open in [&["CALL"][..], &["CALL", "COMMIT"], &["CALL", "STATE", "APPROVAL"]] {
            assert_eq!(unfinished(&events(open)).len(), 1, "{open:?}");
        }
        for ended in [&["CALL", "RESULT"][..], &["CALL", "COMMIT", "RESULT"], &["CALL", "DENIED"]] {
            assert_eq!(unfinished(&events(ended)).len(), 0, "{ended:?}");
        }
    }
}
