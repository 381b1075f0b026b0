//! What may go to a branch that others use.

use super::test_first::{TestFirst, text_id};
use crate::error::Error;
use crate::git::Sharing;
use crate::state::{Asked, Mode, Subject, TextId, Texts, Through, test_of};
use parking_lot::Mutex;
use std::collections::{BTreeSet, HashMap};

/// Texts that are remembered, the last of each tool; beyond that, all are forgotten.
const MOST_NOTED: usize = 10_000;

/// Who wrote the last text of a tool, as far as it was written here.
#[derive(Default)]
pub(super) struct Writers(Mutex<HashMap<String, Writer>>);

#[derive(Clone, Copy)]
enum Writer {
    /// Nobody asks for a test of exactly this.
    Person(TextId),
    /// Somebody who is held to tests.
    Held(Mode),
}

impl Writers {
    pub fn note(&self, tool: &str, text: TextId, mode: Mode, is_person: bool) {
        let writer = match (is_person, mode) {
            (true, _) => Writer::Person(text),
            (false, Mode::Strict | Mode::Debug) => Writer::Held(mode),
            (false, Mode::Explore) => return,
        };
        let mut writers = self.0.lock();
        if writers.len() >= MOST_NOTED {
            writers.clear();
        }
        writers.insert(tool.to_owned(), writer);
    }

    /// The mode in which the text of a tool is judged; nothing where it is not.
    fn mode(&self, tool: &str, text: Option<TextId>, usual: Mode) -> Option<Mode> {
        let mode = match self.0.lock().get(tool).copied() {
            Some(Writer::Person(written)) if Some(written) == text => return None,
            Some(Writer::Held(mode)) => mode,
            Some(Writer::Person(_)) | None => usual,
        };
        (mode != Mode::Explore).then_some(mode)
    }
}

impl Sharing for TestFirst {
    fn refusal(&self, paths: &[&str], text_of: &dyn Fn(&str) -> Option<String>) -> Option<String> {
        let tools: BTreeSet<String> = paths.iter().filter_map(|path| Some(Subject::of(path)?.tool)).collect();
        let id = |path: &str| text_of(path).map(|text| text_id(&text));
        let judged = |tool: &String| {
            let now = Texts { tool: id(tool), test: id(&test_of(tool)), imports: None };
            let mode = self.writers.mode(tool, now.tool, self.usual_mode())?;
            let tools = [(tool.as_str(), now)];
            self.judge(&Asked::Persist { tools: &tools }, mode, Through::Call).err()
        };
        let mut refused = tools.iter().filter_map(judged);
        let Error { message, .. } = refused.next()?;
        Some(match refused.count() {
            0 => message,
            others => format!("{message} So it is with {others} more."),
        })
    }
}
