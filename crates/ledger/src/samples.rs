//! Test fixtures: events and ledgers.

use super::event::event::{BodyValue, Importance, NewEvent};
use super::event::event_type::EventType;
use super::ledger::Ledger;
use super::options::LedgerOptions;
use serde_json::value::RawValue;
use std::path::Path;

pub fn event<'a>(kind: EventType, call: &'a str, body: &'a [(&'a str, BodyValue<'a>)]) -> NewEvent<'a> {
    NewEvent {
        kind,
        importance: Importance::Other,
        at: None,
        session: Some("session-1"),
        agent: "tester",
        id: "t-1",
        call: Some(call),
        parent: None,
        tool: Some("read_file"),
        path: Some("tools/a.ts"),
        body,
        more: None,
    }
}

pub fn call<'a>(call: &'a str, body: &'a [(&'a str, BodyValue<'a>)]) -> NewEvent<'a> {
    event(EventType::Call, call, body)
}

pub fn raw(text: &str) -> Box<RawValue> {
    RawValue::from_string(text.to_owned()).unwrap()
}

pub fn open(folder: &Path) -> Ledger {
    Ledger::open(&LedgerOptions::new(folder)).unwrap()
}

/// Records pairs of a call and its result.
pub fn fill(ledger: &Ledger, pairs: usize) {
    for number in 0..pairs {
        let id = ledger.call_id();
        let (args, path) = (raw(&format!(r#"{{"n":{number}}}"#)), format!("tools/{}.ts", number % 7));
        let session = format!("session-{}", number % 3);
        let body = [("args", BodyValue::Json(&args))];
        let frame = NewEvent { session: Some(&session), path: Some(&path), ..call(&id, &body) };
        ledger.record(&frame).unwrap();
        let body = [("result", BodyValue::Text("done"))];
        ledger.record(&NewEvent { kind: EventType::Result, body: &body, ..frame }).unwrap();
    }
    ledger.flush().unwrap();
}
