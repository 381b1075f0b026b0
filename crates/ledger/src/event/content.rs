//! Extracts the indexed columns from an event's content.

use super::canonical::after_string;
use super::event::Columns;
use super::event_type::EventType;
use super::timestamp;
use serde::Deserialize;
use std::borrow::Cow;

/// A JSON string, borrowed if it has no escapes.
#[derive(Deserialize)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(rename = "type", borrow)]
    kind: Text<'a>,
    #[serde(borrow)]
    ts: Text<'a>,
    #[serde(borrow, default)]
    session: Option<Text<'a>>,
    #[serde(borrow, default)]
    path: Option<Text<'a>>,
    #[serde(borrow, default)]
    tool: Option<Text<'a>>,
    #[serde(borrow, default)]
    call: Option<Text<'a>>,
    #[serde(borrow, default)]
    parent: Option<Text<'a>>,
}

/// The columns of a canonical content; `None` if it is not an event.
#[must_use]
pub fn columns_of(content: &str) -> Option<Columns<Cow<'_, str>>> {
    plain_columns(content).or_else(|| parsed_columns(content))
}

fn parsed_columns(content: &str) -> Option<Columns<Cow<'_, str>>> {
    let envelope: Envelope<'_> = serde_json::from_str(content).ok()?;
    Some(Columns {
        kind: EventType::parse(&envelope.kind.0)?,
        at: timestamp::parse(&envelope.ts.0)?,
        session: envelope.session.map(|value| value.0),
        path: envelope.path.map(|value| value.0),
        tool: envelope.tool.map(|value| value.0),
        call: envelope.call.map(|value| value.0),
        parent: envelope.parent.map(|value| value.0),
    })
}

/// A faster version of [`parsed_columns`] for contents whose columns have no escapes, since verification does this for every
/// event. `None` for all others.
fn plain_columns(content: &str) -> Option<Columns<Cow<'_, str>>> {
    let bytes = content.as_bytes();
    let (mut kind, mut ts) = (None, None);
    let (mut session, mut path, mut tool, mut call, mut parent) = (None, None, None, None, None);
    let mut at = 1;
    loop {
        let (name, end) = plain_string(content, at)?;
        at = end + 1;
        let place = match name {
            "type" => &mut kind,
            "ts" => &mut ts,
            "session" => &mut session,
            "path" => &mut path,
            "tool" => &mut tool,
            "call" => &mut call,
            "parent" => &mut parent,
            _ => {
                at = after_value(bytes, at);
                if *bytes.get(at)? != b',' {
                    break;
                }
                at += 1;
                continue;
            }
        };
        let (value, end) = plain_string(content, at)?;
        *place = Some(Cow::Borrowed(value));
        at = end;
        if *bytes.get(at)? != b',' {
            break;
        }
        at += 1;
    }
    let (kind, at) = (EventType::parse(&kind?)?, timestamp::parse(&ts?)?);
    Some(Columns { kind, at, session, path, tool, call, parent })
}

/// The string at `start` and the index after it; `None` if it is not a string or has escapes.
fn plain_string(content: &str, start: usize) -> Option<(&str, usize)> {
    let bytes = content.as_bytes();
    if *bytes.get(start)? != b'"' {
        return None;
    }
    let rest = bytes.get(start + 1..)?;
    let len = rest.iter().position(|byte| matches!(byte, b'"' | b'\\'))?;
    let end = start + 1 + len;
    (*bytes.get(end)? == b'"').then_some((content.get(start + 1..end)?, end + 1))
}

/// The index after the value at `start`.
fn after_value(bytes: &[u8], start: usize) -> usize {
    let (mut at, mut depth) = (start, 0_usize);
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => at = after_string(bytes, at),
            b'{' | b'[' => {
                depth += 1;
                at += 1;
            }
            b'}' | b']' | b',' if depth == 0 => break,
            b'}' | b']' => {
                depth -= 1;
                at += 1;
            }
            _ => at += 1,
        }
    }
    at
}

impl Columns<Cow<'_, str>> {
    /// Converts borrowed texts to owned ones.
    #[must_use]
    pub fn into_owned(self) -> Columns<String> {
        Columns {
            kind: self.kind,
            at: self.at,
            session: self.session.map(Cow::into_owned),
            path: self.path.map(Cow::into_owned),
            tool: self.tool.map(Cow::into_owned),
            call: self.call.map(Cow::into_owned),
            parent: self.parent.map(Cow::into_owned),
        }
    }

    /// Whether both have the same values.
    #[must_use]
    pub fn equal(&self, other: &Columns<&str>) -> bool {
        self.kind == other.kind
            && self.at == other.at
            && self.session.as_deref() == other.session
            && self.path.as_deref() == other.path
            && self.tool.as_deref() == other.tool
            && self.call.as_deref() == other.call
            && self.parent.as_deref() == other.parent
    }
}

#[cfg(test)]
mod tests {
    use super::{columns_of, parsed_columns, plain_columns};

    #[test]
    fn fast_and_full_parsers_agree() {
        let body = r#""args":{"type":"x","list":[1,"}",{"ts":"\\\""}],"n":-1e3},"note":"a\"b","ok":true,"#;
        let rest = r#""path":"a/b.ts","session":"s\u0001","tool":"t","ts":"2026-01-02T03:04:05.678Z","type":"CALL"}"#;
        let plain = rest.replace("\\u0001", "-1");
        for content in [
            format!(r#"{{"actor":{{"agent":"a","id":"type"}},{body}{plain}"#),
            format!(r#"{{{plain}"#),
            r#"{"call":"c","parent":"p","ts":"1970-01-01T00:00:00.000Z","type":"HALT","z":[]}"#.to_owned(),
        ] {
            let columns = plain_columns(&content);
            assert!(columns.is_some(), "{content}");
            assert_eq!(columns, parsed_columns(&content));
        }
        let escaped = format!(r#"{{{body}{rest}"#);
        assert_eq!(plain_columns(&escaped), None);
        assert_eq!(columns_of(&escaped).unwrap().session.unwrap(), "s\u{1}");
    }

    #[test]
    fn other_texts_have_no_columns() {
        for content in [
            "",
            "{",
            "{}",
            "[]",
            "\"",
            r#"{"type":"CALL"}"#,
            r#"{"type":"NO","ts":"1970-01-01T00:00:00.000Z"}"#,
            r#"{"a":"#,
        ] {
            assert_eq!(columns_of(content), None, "{content}");
        }
    }
}
