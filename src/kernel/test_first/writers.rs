//! Who wrote the tools that wait to be pushed.

use parking_lot::Mutex;
use std::collections::HashMap;
use tgp_state::{Mode, TextId};

/// Texts that are remembered, the last of each tool; beyond that, all are forgotten.
const MOST_NOTED: usize = 10_000;

/// Who wrote the last text of a tool, as far as it was written here.
#[derive(Default)]
pub(super) struct Writers(Mutex<HashMap<String, Writer>>);

#[derive(Clone, Copy)]
enum Writer {
    /// A person, or an agent of whom no test is asked: exactly this text is free.
    Free(TextId),
    /// Somebody who is held to tests.
    Held(Mode),
}

impl Writers {
    pub fn note(&self, tool: &str, text: TextId, mode: Mode) {
        let writer = match mode {
            Mode::Explore => Writer::Free(text),
            Mode::Strict | Mode::Debug => Writer::Held(mode),
        };
        let mut writers = self.0.lock();
        if writers.len() >= MOST_NOTED {
            writers.clear();
        }
        writers.insert(tool.to_owned(), writer);
    }

    /// The mode in which the text of a tool is judged; nothing where it is not.
    pub fn mode(&self, tool: &str, text: Option<TextId>, usual: Mode) -> Option<Mode> {
        let mode = match self.0.lock().get(tool).copied() {
            Some(Writer::Free(written)) if Some(written) == text => return None,
            Some(Writer::Held(mode)) => mode,
            Some(Writer::Free(_)) | None => usual,
        };
        (mode != Mode::Explore).then_some(mode)
    }
}
