//! A file change in terms of test-first state: whether tests allow it, and the events that it causes.

use super::plan::Step;
use crate::kernel::door::present;
use crate::kernel::test_first::{TestFirst, text_id};
use tgp_base::error::Error;
use tgp_state::{Content, Event, Kind, Request, Subject, TestOfMoved, TextId, Texts};
use tgp_vfs::{DiskVfs, JailPath};

/// Refuses a change that the tests do not allow; `path` is its main file.
pub fn may_change(tests: &TestFirst, steps: &[Step], path: &JailPath) -> Result<(), Error> {
    let call = present();
    let texts = |subject: Option<&Subject>| subject.map_or_else(Texts::default, |file| tests.texts(&file.tool, None));
    let to = Subject::of(path.as_str());
    let removed = steps.iter().find(|step| step.after.is_none());
    let from = removed.and_then(|step| Subject::of(step.path.as_str()));
    let after = steps.iter().find(|step| step.path == *path).and_then(|step| step.after.as_deref());
    let action = match (removed, after) {
        (None, Some(text)) => {
            let Some(file) = &to else { return Ok(()) };
            let content = if text.trim().is_empty() { Content::Blank } else { Content::Text };
            Request::Write { file, now: texts(to.as_ref()), text: text_id(text), content }
        }
        (Some(_), None) => {
            let Some(file) = &from else { return Ok(()) };
            Request::Delete { file, now: texts(from.as_ref()) }
        }
        (Some(_), Some(_)) => {
            let (from, to) = (from.as_ref(), to.as_ref());
            Request::Move { from, now: texts(from), to, there: texts(to), test: TestOfMoved::Stays }
        }
        (None, None) => return Ok(()),
    };
    tests.may_change(call.as_ref(), &action)
}

/// The events of the steps. Must be called before they are made.
pub fn events(steps: &[Step], path: &JailPath, root: &DiskVfs) -> Vec<(Subject, Event)> {
    let removed = steps.iter().find(|step| step.after.is_none());
    let moved = removed.and_then(|step| {
        let (from, to) = (Subject::of(step.path.as_str())?, Subject::of(path.as_str())?);
        let text = steps.iter().find(|step| step.path == *path)?.after.as_deref()?;
        let was = text_before(step, root)?;
        Some((from, to, was, text_id(text)))
    });
    let mut events = Vec::new();
    if let Some((from, to, was, text)) = &moved {
        let event = match (from.kind, to.kind) {
            (Kind::Tool, Kind::Tool) => {
                Some(Event::ToolMoved { from: from.tool.clone(), to: to.tool.clone(), text: *text })
            }
            (Kind::Test, Kind::Test) => {
                Some(Event::TestMoved { from: from.tool.clone(), to: to.tool.clone(), was: *was, text: *text })
            }
            (Kind::Tool, Kind::Test) | (Kind::Test, Kind::Tool) => None,
        };
        if let Some(event) = event {
            events.push((to.clone(), event));
            let rest = steps.iter().filter(|step| step.path != *path && step.after.is_some());
            events.extend(rest.filter_map(|step| relinked(step, root)));
            return events;
        }
    }
    events.extend(steps.iter().filter_map(written));
    events
}

fn text_before(step: &Step, root: &DiskVfs) -> Option<TextId> {
    let bytes = step.content(root).ok().flatten()?;
    Some(text_id(std::str::from_utf8(&bytes).ok()?))
}

/// The event of a file whose imports follow a move.
fn relinked(step: &Step, root: &DiskVfs) -> Option<(Subject, Event)> {
    let subject = Subject::of(step.path.as_str())?;
    let text = text_id(step.after.as_deref()?);
    let tool = subject.tool.clone();
    let event = match subject.kind {
        Kind::Tool => Event::ToolWritten { tool, text },
        Kind::Test => Event::TestRelinked { tool, was: text_before(step, root)?, text },
    };
    Some((subject, event))
}

fn written(step: &Step) -> Option<(Subject, Event)> {
    let subject = Subject::of(step.path.as_str())?;
    let tool = subject.tool.clone();
    let event = match (subject.kind, &step.after) {
        (Kind::Tool, Some(text)) => Event::ToolWritten { tool, text: text_id(text) },
        (Kind::Tool, None) => Event::ToolRemoved { tool },
        (Kind::Test, Some(text)) => {
            Event::TestWritten { tool, text: text_id(text), by: TestFirst::author(present().as_ref()) }
        }
        (Kind::Test, None) => Event::TestRemoved { tool },
    };
    Some((subject, event))
}
