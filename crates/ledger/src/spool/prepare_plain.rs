//! Prepares events with short and plain values that need no masking, without a tree of their values: most events.

use super::spool_line::SpoolLine;
use crate::callbacks::Redact;
use crate::event::blobs::NEVER_LARGE;
use crate::event::event::{Columns, PreparedEvent, RESERVED};
use crate::event::plain_canonical::{Member, append_plain, append_plain_string, sort_members};
use crate::event::timestamp;
use crate::hash::Hash;
use serde_json::value::RawValue;
use std::borrow::Cow;

/// Capacity for the content of a usual event.
const USUAL: usize = 512;

/// The event of a line; `None` if it may need another preparation.
#[must_use]
pub fn prepare_plain(line: &SpoolLine<'_>, redact: Option<&dyn Redact>) -> Option<PreparedEvent> {
    let is_short = |value: &&RawValue| value.get().len() <= NEVER_LARGE;
    if line.more.is_some() || !line.body.values().all(is_short) {
        return None;
    }
    let content = content_of(line, redact)?;
    let own = |text: &Option<Cow<'_, str>>| text.as_deref().map(str::to_owned);
    let columns = Columns {
        kind: line.kind,
        at: line.at.min(timestamp::LATEST),
        session: own(&line.session),
        path: own(&line.path),
        tool: own(&line.tool),
        call: own(&line.call),
        parent: own(&line.parent),
    };
    Some(PreparedEvent { id: Hash::of(content.as_bytes()), content, columns, blobs: Vec::new() })
}

fn content_of(line: &SpoolLine<'_>, redact: Option<&dyn Redact>) -> Option<String> {
    let ts = timestamp::to_text(line.at);
    let mut content = PlainContent { text: String::with_capacity(USUAL), members: Vec::with_capacity(RESERVED.len()) };
    content.text.push('{');
    content.add("actor", |text| {
        text.push_str("{\"agent\":");
        append_plain_string(&line.agent, text)?;
        text.push_str(",\"id\":");
        append_plain_string(&line.id, text)?;
        text.push('}');
        Some(())
    })?;
    let texts = [
        ("call", line.call.as_deref()),
        ("parent", line.parent.as_deref()),
        ("path", line.path.as_deref()),
        ("session", line.session.as_deref()),
        ("tool", line.tool.as_deref()),
        ("ts", Some(ts.as_str())),
        ("type", Some(line.kind.as_str())),
    ];
    for (name, value) in texts {
        if let Some(value) = value {
            content.add(name, |text| append_plain_string(value, text))?;
        }
    }
    for (name, value) in &line.body {
        // A reserved name gets a suffix.
        if RESERVED.contains(&name.as_ref()) {
            return None;
        }
        content.add(name, |text| append_plain(value.get(), text))?;
    }
    let PlainContent { mut text, mut members } = content;
    sort_members(&mut text, 1, &mut members)?;
    text.push('}');
    let needs_masking = redact.is_some_and(|redact| concerns(redact, &members, &text));
    // A name like that of a reference to a large value is escaped.
    (!needs_masking && !text.contains("blob\":")).then_some(text)
}

fn concerns(redact: &dyn Redact, members: &[Member<'_>], text: &str) -> bool {
    members.iter().any(|(name, range)| {
        // After the name, its quotes and a colon.
        let value = text.get(range.start + name.len() + 3..range.end);
        redact.concerns_plain(name, value.unwrap_or_default())
    })
}

/// The members of an object, unsorted.
struct PlainContent<'a> {
    text: String,
    members: Vec<Member<'a>>,
}

impl<'a> PlainContent<'a> {
    fn add(&mut self, name: &'a str, append: impl FnOnce(&mut String) -> Option<()>) -> Option<()> {
        if !self.members.is_empty() {
            self.text.push(',');
        }
        let from = self.text.len();
        append_plain_string(name, &mut self.text)?;
        self.text.push(':');
        append(&mut self.text)?;
        self.members.push((name, from..self.text.len()));
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::prepare_plain;
    use crate::callbacks::Redact;
    use crate::event::event::{BodyValue, NewEvent};
    use crate::samples::{self, raw};
    use crate::spool::prepare::Preparation;
    use crate::spool::spool_line::{read_line, write_line};
    use std::sync::Arc;

    /// Masks nothing.
    struct Calm;

    impl Redact for Calm {
        fn concerns(&self, _: &serde_json::Map<String, serde_json::Value>) -> bool {
            false
        }

        fn concerns_plain(&self, name: &str, json: &str) -> bool {
            assert!(serde_json::from_str::<serde_json::Value>(json).is_ok(), "{name}: {json}");
            false
        }

        fn redact(&self, _: String) -> String {
            String::new()
        }
    }

    #[test]
    fn plain_events_have_the_same_content_as_by_the_tree() {
        let preparation = Preparation { redact: Some(Arc::new(Calm)), blob_bytes: 1 << 18 };
        let large = format!("\"{}\"", "x".repeat(5000));
        let values = ["{\"n\":5,\"a\":[1, 2.5]}", "6", "null", "\"a\\n\"", "1e3", "{\"$blob\":1}", &large].map(raw);
        let mut plain = 0;
        for (value, name) in values.iter().flat_map(|value| [(value, "args"), (value, "result"), (value, "path")]) {
            for (path, session) in [(Some("tools/a.ts"), None), (None, Some("s")), (Some("tools/\"ü.ts"), Some("s\n"))]
            {
                let body = [
                    ("ok", BodyValue::Bool(true)),
                    (name, BodyValue::Json(value)),
                    ("ms", BodyValue::Json(&values[1])),
                    ("code", BodyValue::Text("ERR_DENIED")),
                ];
                let event = NewEvent { path, session, parent: path.map(|_| "p-0"), ..samples::call("p-1", &body) };
                let mut line = Vec::new();
                write_line(&event, &mut line);
                let line = read_line(line.strip_suffix(b"\n").unwrap()).unwrap();
                let by_tree = preparation.prepare_any(&line);
                assert_eq!(preparation.prepare(&line), by_tree);
                if let Some(prepared) = prepare_plain(&line, preparation.redact.as_deref()) {
                    plain += 1;
                    assert_eq!(prepared, by_tree);
                }
            }
        }
        // Three plain values, with names that are not reserved, in two of the three envelopes.
        assert_eq!(plain, 12);
    }
}
