//! Prepares spool lines for the store: masks them, extracts large values, makes them canonical, and hashes them.

use super::prepare_plain::prepare_plain;
use super::spool_line::{SpoolLine, read_line, write_line};
use crate::callbacks::{HIDDEN, Redact};
use crate::event::canonical::{canonical_object, foreign_value};
use crate::event::content::columns_of;
use crate::event::event::{Columns, NewEvent, PreparedEvent, RESERVED};
use crate::event::{blobs, timestamp};
use crate::hash::Hash;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use tgp_base::threads::contain;

/// The settings for preparing events.
pub struct Preparation {
    pub redact: Option<std::sync::Arc<dyn Redact>>,
    /// Large values up to this size are kept.
    pub blob_bytes: usize,
}

/// Prepares an event of the ledger itself, without the application's hook: it contains no foreign data.
#[must_use]
pub fn prepare_own(event: &NewEvent<'_>) -> Option<PreparedEvent> {
    let mut line = Vec::new();
    write_line(event, &mut line);
    let line = read_line(line.strip_suffix(b"\n")?)?;
    Some(Preparation { redact: None, blob_bytes: 0 }.prepare(&line))
}

impl Preparation {
    /// Prepares the event of a line.
    #[must_use]
    pub fn prepare(&self, line: &SpoolLine<'_>) -> PreparedEvent {
        prepare_plain(line, self.redact.as_deref()).unwrap_or_else(|| self.prepare_any(line))
    }

    /// As [`Self::prepare`], for any event.
    pub(super) fn prepare_any(&self, line: &SpoolLine<'_>) -> PreparedEvent {
        let mut envelope = envelope_of(line);
        let mut body = body_of(line);
        let redact = self.redact.as_ref().filter(|redact| redact.concerns(&envelope) || redact.concerns(&body));
        if let Some(redact) = redact {
            (envelope, body) = masked(redact.as_ref(), envelope, body);
        }
        let blobs = blobs::extract_blobs(&mut body, self.blob_bytes);
        body.append(&mut envelope);
        let content = canonical_object(&body);
        let columns = columns_of(&content).map_or_else(|| bare_columns(line), Columns::into_owned);
        PreparedEvent { id: Hash::of(content.as_bytes()), content, columns, blobs }
    }
}

fn bare_columns(line: &SpoolLine<'_>) -> Columns<String> {
    Columns { kind: line.kind, at: line.at, session: None, path: None, tool: None, call: None, parent: None }
}

fn envelope_of(line: &SpoolLine<'_>) -> Map<String, Value> {
    let mut envelope = Map::new();
    envelope.insert("type".to_owned(), line.kind.as_str().into());
    envelope.insert("ts".to_owned(), timestamp::to_text(line.at).into());
    envelope.insert("actor".to_owned(), json!({ "agent": line.agent, "id": line.id }));
    let texts = [
        ("session", &line.session),
        ("call", &line.call),
        ("parent", &line.parent),
        ("tool", &line.tool),
        ("path", &line.path),
    ];
    for (name, text) in texts {
        if let Some(text) = text {
            envelope.insert(name.to_owned(), text.as_ref().into());
        }
    }
    envelope
}

fn body_of(line: &SpoolLine<'_>) -> Map<String, Value> {
    let mut body = Map::new();
    if let Some(more) = line.more {
        match value_of(more) {
            Value::Object(members) => members.into_iter().for_each(|(name, value)| add(&mut body, &name, value)),
            other @ (Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_)) => {
                add(&mut body, "data", other);
            }
        }
    }
    for (name, value) in &line.body {
        add(&mut body, name, value_of(value));
    }
    body
}

fn add(body: &mut Map<String, Value>, name: &str, value: Value) {
    let mut name = name.to_owned();
    while RESERVED.contains(&name.as_str()) || body.contains_key(&name) {
        name.push('_');
    }
    body.insert(name, value);
}

/// Parses a value; an invalid one is kept as text.
fn value_of(json: &RawValue) -> Value {
    foreign_value(json.get()).unwrap_or_else(|| Value::String(json.get().to_owned()))
}

/// The envelope and body after the application's hook.
fn masked(
    redact: &dyn Redact,
    envelope: Map<String, Value>,
    body: Map<String, Value>,
) -> (Map<String, Value>, Map<String, Value>) {
    let mut whole = body;
    whole.extend(envelope.clone());
    let mut whole = Value::Object(whole);
    let text = whole.to_string();
    let masked = contain(|| redact.redact(text.clone())).ok();
    // Usually nothing is masked; then a large value is not parsed again.
    if let Some(members) = whole.as_object_mut().filter(|_| masked.as_ref() == Some(&text)) {
        let body = std::mem::take(members).into_iter().filter(|(name, _)| !envelope.contains_key(name)).collect();
        return (envelope, body);
    }
    match masked.and_then(|text| foreign_value(&text)) {
        Some(Value::Object(body)) => accepted(envelope.clone(), body).unwrap_or_else(|| hidden(envelope)),
        Some(Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_)) | None => {
            hidden(envelope)
        }
    }
}

/// The members that the hook may change; `None` if one is no longer a text.
fn accepted(
    mut envelope: Map<String, Value>,
    mut masked: Map<String, Value>,
) -> Option<(Map<String, Value>, Map<String, Value>)> {
    for name in ["session", "tool", "path"] {
        match masked.remove(name) {
            Some(text @ Value::String(_)) => _ = envelope.insert(name.to_owned(), text),
            Some(Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_)) => return None,
            None => _ = envelope.remove(name),
        }
    }
    let actor = masked.remove("actor")?;
    let is_text = |name| actor.get(name).is_some_and(Value::is_string);
    if actor.as_object().is_none_or(|actor| actor.len() != 2) || !is_text("agent") || !is_text("id") {
        return None;
    }
    envelope.insert("actor".to_owned(), actor);
    for name in ["type", "ts", "call", "parent"] {
        masked.remove(name);
    }
    let mut body = Map::new();
    masked.into_iter().for_each(|(name, value)| add(&mut body, &name, value));
    Some((envelope, body))
}

fn hidden(mut envelope: Map<String, Value>) -> (Map<String, Value>, Map<String, Value>) {
    envelope.remove("path");
    let mut body = Map::new();
    body.insert("hidden".to_owned(), HIDDEN.into());
    (envelope, body)
}

#[cfg(test)]
mod tests {
    use super::Preparation;
    use crate::callbacks::Redact;
    use crate::event::event::{BodyValue, NewEvent, PreparedEvent};
    use crate::hash::Hash;
    use crate::samples;
    use crate::spool::spool_line::{read_line, write_line};
    use serde_json::value::RawValue;
    use std::sync::Arc;

    fn prepare(event: &NewEvent<'_>, redact: Option<Arc<dyn Redact>>) -> PreparedEvent {
        let mut line = Vec::new();
        write_line(event, &mut line);
        let line = read_line(line.strip_suffix(b"\n").unwrap()).unwrap();
        Preparation { redact, blob_bytes: 1 << 18 }.prepare(&line)
    }

    fn raw(text: &str) -> Box<RawValue> {
        RawValue::from_string(text.to_owned()).unwrap()
    }

    #[test]
    fn content_is_canonical_and_identified_by_its_hash() {
        let args = raw(r#"{"b": 1.0, "a": 9007199254740993}"#);
        let body = [("args", BodyValue::Json(&args))];
        let event = NewEvent { at: Some(0), ..samples::call("p-1", &body) };
        let prepared = prepare(&event, None);
        assert_eq!(
            prepared.content,
            concat!(
                r#"{"actor":{"agent":"tester","id":"t-1"},"args":{"a":"9007199254740993","b":1},"call":"p-1","#,
                r#""path":"tools/a.ts","session":"session-1","tool":"read_file","ts":"1970-01-01T00:00:00.000Z","type":"CALL"}"#
            )
        );
        assert_eq!(prepared.id, Hash::of(prepared.content.as_bytes()));
        assert_eq!(prepared.columns.tool.as_deref(), Some("read_file"));
        assert_eq!(prepare(&event, None), prepared);
    }

    #[test]
    fn a_body_cannot_override_reserved_members() {
        let more = raw(r#"{"type":"HALT","seq":7,"note":"x","note_":"y"}"#);
        let event = NewEvent { more: Some(&more), ..samples::call("p-1", &[("note", BodyValue::Text("z"))]) };
        let content: serde_json::Value = serde_json::from_str(&prepare(&event, None).content).unwrap();
        assert_eq!(content["type"], "CALL");
        assert_eq!(content["type_"], "HALT");
        assert_eq!(content["seq_"], 7);
        assert_eq!((&content["note"], &content["note_"], &content["note__"]), (&"x".into(), &"y".into(), &"z".into()));
    }

    #[test]
    fn invalid_values_are_kept_as_text() {
        let (deep, half) = (raw(&format!("{}{}", "[".repeat(5000), "]".repeat(5000))), raw(r#"{"a":"\ud800"}"#));
        let body = [("deep", BodyValue::Json(&deep)), ("half", BodyValue::Json(&half))];
        let prepared = prepare(&samples::call("p-1", &body), None);
        let content: serde_json::Value = serde_json::from_str(&prepared.content).unwrap();
        assert_eq!(content["half"], r#"{"a":"\ud800"}"#);
        assert_eq!(content["deep"]["bytes"], 10_000);
    }

    struct Hook(fn(String) -> String);

    impl Redact for Hook {
        fn concerns(&self, _: &serde_json::Map<String, serde_json::Value>) -> bool {
            true
        }

        fn concerns_plain(&self, _: &str, _: &str) -> bool {
            true
        }

        fn redact(&self, content: String) -> String {
            (self.0)(content)
        }
    }

    #[test]
    fn the_hook_masks_body_and_path_but_not_the_envelope() {
        let hook = Hook(|content| content.replace("secret", "***").replace("CALL", "HALT"));
        let body = [("args", BodyValue::Text("a secret"))];
        let event = NewEvent { path: Some("secret.ts"), ..samples::call("secret-1", &body) };
        let prepared = prepare(&event, Some(Arc::new(hook)));
        let content: serde_json::Value = serde_json::from_str(&prepared.content).unwrap();
        assert_eq!(content["args"], "a ***");
        assert_eq!(prepared.columns.path.as_deref(), Some("***.ts"));
        assert_eq!((content["type"].as_str(), content["call"].as_str()), (Some("CALL"), Some("secret-1")));
    }

    #[test]
    fn a_hook_that_fails_hides_the_body() {
        for hook in [
            |_| "no".to_owned(),
            |_| "[]".to_owned(),
            |_| r#"{"actor":1}"#.to_owned(),
            |_| std::panic::resume_unwind(Box::new("no")),
        ] {
            let body = [("args", BodyValue::Text("a secret"))];
            let prepared = prepare(&samples::call("p-1", &body), Some(Arc::new(Hook(hook))));
            assert!(!prepared.content.contains("secret"), "{}", prepared.content);
            assert!(!prepared.content.contains("tools/a.ts"));
            let columns = &prepared.columns;
            assert_eq!((columns.tool.as_deref(), columns.call.as_deref()), (Some("read_file"), Some("p-1")));
            assert!(prepared.content.contains("[hidden: redact failed]"));
        }
    }
}
