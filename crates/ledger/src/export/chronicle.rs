//! The events of one file in chronicle format: `{ eventId, type, timestamp, actor, filePath, …, prevEventId? }`.
//!
//! A line depends only on the event's content and the previous line, so that every process writes the same bytes. Session
//! and calls are left out: they identify processes, not changes of the file.

use crate::event::canonical::canonical_object;
use crate::hash::Hash;
use crate::ledger_error::LedgerError;
use crate::query::{MAX_EVENTS, Query};
use crate::store::Store;
use serde_json::{Map, Value};

/// The most lines of a chronicle.
const MAX_CHRONICLE: usize = 100_000;

/// A line, and its id that the next line refers to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChronicleLine {
    /// SHA-256 of the line's canonical JSON without `eventId` and `prevEventId`.
    pub event_id: Hash,
    /// Canonical JSON.
    pub text: String,
}

/// The lines of one file, oldest first: at most the first `MAX_CHRONICLE`.
pub fn chronicle_lines(store: &dyn Store, path: &str) -> Result<Vec<String>, LedgerError> {
    let mut lines = Vec::new();
    let (mut after, mut before) = (0, None);
    while lines.len() < MAX_CHRONICLE {
        let (path, after_seq) = (Some(path.to_owned()), Some(after));
        let events = store.events(&Query { limit: MAX_EVENTS, path, after_seq, ..Query::default() })?;
        let Some(last) = events.last() else { break };
        after = last.seq;
        for event in &events {
            if let Some(line) = chronicle_line(&event.content, before.as_ref()) {
                before = Some(line.event_id);
                lines.push(line.text);
            }
        }
    }
    Ok(lines)
}

/// The line of an event, after the line of the previous event; `None` if the content is not a file event.
#[must_use]
pub fn chronicle_line(content: &str, before: Option<&Hash>) -> Option<ChronicleLine> {
    let Ok(Value::Object(mut content)) = serde_json::from_str(content) else { return None };
    let mut line = Map::new();
    for (from, to) in [("type", "type"), ("ts", "timestamp"), ("actor", "actor"), ("path", "filePath")] {
        line.insert(to.to_owned(), content.remove(from)?);
    }
    for name in ["session", "call", "parent"] {
        content.remove(name);
    }
    // An event that was given in this format keeps its own type, time and file.
    if let Some(own_type) =
        content.remove("type_").filter(|_| line.get("type").is_some_and(|kind| kind == "APPLICATION"))
    {
        line.insert("type".to_owned(), own_type);
        for name in ["timestamp", "filePath"] {
            line.extend(content.remove_entry(name));
        }
    }
    for (name, value) in content {
        // Members of the format are not overwritten by the body.
        let own = ["timestamp", "filePath", "eventId", "prevEventId"].contains(&name.as_str());
        line.insert(if own { format!("{name}_") } else { name }, value);
    }
    let event_id = Hash::of(canonical_object(&line).as_bytes());
    line.insert("eventId".to_owned(), event_id.hex().into());
    if let Some(before) = before {
        line.insert("prevEventId".to_owned(), before.hex().into());
    }
    Some(ChronicleLine { event_id, text: canonical_object(&line) })
}

#[cfg(test)]
mod tests {
    use super::chronicle_line;
    use crate::hash::Hash;

    const CONTENT: &str = concat!(
        r#"{"actor":{"agent":"guardian","id":"reconciler"},"call":"0123456789ab-7","diffRef":"abc","eventId":"mine","#,
        r#""path":"src/a.ts","session":"s-1","ts":"2026-01-02T03:04:05.678Z","type":"RECONCILIATION"}"#
    );

    #[test]
    fn the_bytes_of_a_line_are_fixed() {
        let line = chronicle_line(CONTENT, None).unwrap();
        let body = concat!(
            r#"{"actor":{"agent":"guardian","id":"reconciler"},"diffRef":"abc","eventId_":"mine","filePath":"src/a.ts","#,
            r#""timestamp":"2026-01-02T03:04:05.678Z","type":"RECONCILIATION"}"#
        );
        assert_eq!(line.event_id, Hash::of(body.as_bytes()));
        let whole = body.replace(r#""eventId_""#, &format!(r#""eventId":"{}","eventId_""#, line.event_id));
        assert_eq!(line.text, whole);
    }

    #[test]
    fn an_event_in_this_format_keeps_its_own_type_time_and_file() {
        let content = concat!(
            r#"{"actor":{"agent":"a","id":"b"},"filePath":"src/a.ts","note":1,"path":"a","timestamp":"then","#,
            r#""ts":"2026-01-02T03:04:05.678Z","type":"APPLICATION","type_":"FILE_CREATED"}"#
        );
        let line = chronicle_line(content, None).unwrap();
        assert!(line.text.ends_with(r#""filePath":"src/a.ts","note":1,"timestamp":"then","type":"FILE_CREATED"}"#));
        let forged = content.replace("APPLICATION", "HALT");
        assert!(chronicle_line(&forged, None).unwrap().text.contains(r#""type":"HALT""#));
    }

    #[test]
    fn a_line_refers_to_the_previous_line() {
        let first = chronicle_line(CONTENT, None).unwrap();
        let second = chronicle_line(CONTENT, Some(&first.event_id)).unwrap();
        assert_eq!(second.event_id, first.event_id);
        assert!(second.text.contains(&format!(r#""prevEventId":"{}""#, first.event_id)));
    }

    #[test]
    fn an_event_without_a_file_has_no_line() {
        assert_eq!(chronicle_line(r#"{"type":"HALT","ts":"x","actor":{}}"#, None), None);
        assert_eq!(chronicle_line("[]", None), None);
    }
}
