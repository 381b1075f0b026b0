//! One event in a spool: a line `<checksum> <json>`, so that truncated lines are detected.

use crate::event::event::{BodyValue, NewEvent};
use crate::event::event_type::EventType;
use crate::event::timestamp;
use serde::ser::SerializeMap;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// The longest line.
pub const MAX_LINE: usize = 32 << 20;

/// The checksum's digits and a space.
const HEAD: usize = 17;

/// Longer values are dropped from an event that does not fit.
const SHORT_VALUE: usize = 512;

/// An event as stored in a spool.
#[derive(Debug, Deserialize)]
pub struct SpoolLine<'a> {
    #[serde(rename = "type")]
    pub kind: EventType,
    pub at: u64,
    #[serde(borrow, default)]
    pub session: Option<Cow<'a, str>>,
    #[serde(borrow)]
    pub agent: Cow<'a, str>,
    #[serde(borrow)]
    pub id: Cow<'a, str>,
    #[serde(borrow, default)]
    pub call: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub parent: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub tool: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub path: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub body: BTreeMap<Cow<'a, str>, &'a RawValue>,
    #[serde(borrow, default)]
    pub more: Option<&'a RawValue>,
}

#[derive(Serialize)]
struct Written<'a> {
    #[serde(rename = "type")]
    kind: EventType,
    at: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    session: Option<&'a str>,
    agent: &'a str,
    id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    call: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parent: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<&'a str>,
    body: Body<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    more: Option<&'a RawValue>,
}

struct Body<'a>(&'a [(&'a str, BodyValue<'a>)]);

impl Serialize for Body<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, part) in self.0 {
            match part {
                BodyValue::Text(text) => map.serialize_entry(name, text)?,
                BodyValue::Json(json) => map.serialize_entry(name, json)?,
                BodyValue::Integer(integer) => map.serialize_entry(name, integer)?,
                BodyValue::Bool(value) => map.serialize_entry(name, value)?,
            }
        }
        map.end()
    }
}

/// Replaces `line` by the line of an event, with its line end.
pub fn write_line(event: &NewEvent<'_>, line: &mut Vec<u8>) {
    let written = Written {
        kind: event.kind,
        at: event.at.unwrap_or_else(timestamp::now).min(timestamp::LATEST),
        session: event.session,
        agent: event.agent,
        id: event.id,
        call: event.call,
        parent: event.parent,
        tool: event.tool,
        path: event.path,
        body: Body(event.body),
        more: event.more,
    };
    line.clear();
    line.extend_from_slice(&[b' '; HEAD]);
    // Serialising strings and valid JSON into memory cannot fail.
    let _never = serde_json::to_writer(&mut *line, &written);
    let Some((head, json)) = line.split_at_mut_checked(HEAD) else { return };
    // Line ends in the JSON are white space and can be replaced by spaces.
    for byte in json.iter_mut() {
        if *byte == b'\n' {
            *byte = b' ';
        }
    }
    let sum = checksum(json);
    for (place, shift) in head.iter_mut().zip((0..16).rev()) {
        let digit = u8::try_from((sum >> (4 * shift)) & 15).unwrap_or_default();
        *place = if digit < 10 { b'0' + digit } else { b'a' + digit - 10 };
    }
    line.push(b'\n');
}

/// The line of an event without its large values.
pub fn short_line(event: &NewEvent<'_>) -> Vec<u8> {
    let notes: Vec<String> = event.body.iter().map(|(_, part)| left_out(part)).collect();
    let shown = event.body.iter().zip(&notes);
    let body: Vec<(&str, BodyValue<'_>)> = shown
        .map(|((name, part), note)| (*name, if note.is_empty() { *part } else { BodyValue::Text(note) }))
        .collect();
    let more = event.more.filter(|more| more.get().len() <= SHORT_VALUE);
    let mut line = Vec::new();
    write_line(&NewEvent { body: &body, more, ..*event }, &mut line);
    line
}

/// The text that replaces a dropped value; empty for a kept one.
fn left_out(part: &BodyValue<'_>) -> String {
    let bytes = match part {
        BodyValue::Text(text) => text.len(),
        BodyValue::Json(json) => json.get().len(),
        BodyValue::Integer(_) | BodyValue::Bool(_) => 0,
    };
    if bytes <= SHORT_VALUE {
        return String::new();
    }
    format!("[left out: {bytes} bytes, for which the ledger had no room]")
}

/// The line of an event that records the number of lost events.
pub fn lost_line(events: u64, process: &str) -> Vec<u8> {
    let body = [
        ("state", BodyValue::Text("lost")),
        ("process", BodyValue::Text(process)),
        ("events", BodyValue::Integer(i64::try_from(events).unwrap_or(i64::MAX))),
    ];
    let mut line = Vec::new();
    write_line(&NewEvent { body: &body, ..NewEvent::of_kernel(EventType::Session) }, &mut line);
    line
}

/// Parses a line without its line end; `None` if the checksum is wrong.
#[must_use]
pub fn read_line(line: &[u8]) -> Option<SpoolLine<'_>> {
    let (head, json) = line.split_at_checked(HEAD)?;
    let digits = str::from_utf8(head).ok()?.strip_suffix(' ')?;
    let sum = u64::from_str_radix(digits, 16).ok()?;
    if checksum(json) != sum {
        return None;
    }
    serde_json::from_slice(json).ok()
}

/// Detects damage, not manipulation: FNV-1a over words of eight bytes.
fn checksum(bytes: &[u8]) -> u64 {
    const PRIME: u64 = 0x0000_0100_0000_01b3;
    let mut sum = 0xcbf2_9ce4_8422_2325_u64 ^ u64::try_from(bytes.len()).unwrap_or_default();
    let mut words = bytes.chunks_exact(8);
    for word in &mut words {
        let word = word.try_into().map_or(0, u64::from_le_bytes);
        sum = (sum ^ word).wrapping_mul(PRIME);
        sum ^= sum >> 32;
    }
    for byte in words.remainder() {
        sum = (sum ^ u64::from(*byte)).wrapping_mul(PRIME);
    }
    sum ^ (sum >> 29)
}

#[cfg(test)]
mod tests {
    use super::{read_line, write_line};
    use crate::event::event::BodyValue;
    use crate::samples;
    use serde_json::value::RawValue;

    #[test]
    fn lines_round_trip() {
        let args = RawValue::from_string("{\"a\":\n[1,\r\n2]}".to_owned()).unwrap();
        let body = [
            ("args", BodyValue::Json(&args)),
            ("note", BodyValue::Text("a\nb\"")),
            ("ok", BodyValue::Bool(true)),
            ("n", BodyValue::Integer(-3)),
        ];
        let event = samples::call("p-1", &body);
        let mut line = Vec::new();
        write_line(&event, &mut line);
        assert_eq!(line.iter().filter(|byte| **byte == b'\n').count(), 1);
        let read = read_line(line.strip_suffix(b"\n").unwrap()).unwrap();
        assert_eq!(read.call.as_deref(), Some("p-1"));
        assert_eq!(read.kind, event.kind);
        let values: Vec<_> = read.body.iter().map(|(name, value)| format!("{name}={}", value.get())).collect();
        assert_eq!(values, ["args={\"a\": [1,\r 2]}", "n=-3", "note=\"a\\nb\\\"\"", "ok=true"]);
    }

    #[test]
    fn truncated_and_changed_lines_are_detected() {
        let event = samples::call("p-1", &[]);
        let mut line = Vec::new();
        write_line(&event, &mut line);
        line.pop();
        assert!(read_line(&line).is_some());
        for end in 0..line.len() {
            assert!(read_line(&line[..end]).is_none());
        }
        for at in 0..line.len() {
            let mut changed = line.clone();
            changed[at] ^= 1;
            assert!(read_line(&changed).is_none(), "{at}");
        }
    }
}
