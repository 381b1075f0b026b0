//! The authors of tools that are not pushed yet.

use parking_lot::Mutex;
use std::collections::HashMap;
use tgp_base::mode::Mode;
use tgp_state::TextId;

/// Most remembered tools; beyond that, all are dropped.
const MAX_NOTED: usize = 10_000;

/// The author of each tool's last text that this kernel wrote.
#[derive(Default)]
pub(super) struct Writers(Mutex<HashMap<String, Writer>>);

#[derive(Clone, Copy)]
enum Writer {
    /// A person, or an agent without required tests: this text is exempt.
    Free(TextId),
    /// A caller with required tests.
    Bound(Mode),
}

impl Writers {
    pub fn note(&self, tool: &str, text: TextId, mode: Mode) {
        let writer = match mode {
            Mode::Explore => Writer::Free(text),
            Mode::Strict | Mode::Debug => Writer::Bound(mode),
        };
        let mut writers = self.0.lock();
        if writers.len() >= MAX_NOTED {
            writers.clear();
        }
        writers.insert(tool.to_owned(), writer);
    }

    /// The mode in which a tool's text is judged; none if it is exempt.
    pub fn mode(&self, tool: &str, text: Option<TextId>, usual: Mode) -> Option<Mode> {
        let mode = match self.0.lock().get(tool).copied() {
            Some(Writer::Free(written)) if Some(written) == text => return None,
            Some(Writer::Bound(mode)) => mode,
            Some(Writer::Free(_)) | None => usual,
        };
        (mode != Mode::Explore).then_some(mode)
    }
}
