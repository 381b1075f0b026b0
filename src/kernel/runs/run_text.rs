//! The text that a run is made of.

use super::exec_options::Runnable;
use super::imported::imported;
use super::runs::Runs;
use super::test_record::TestRecord;
use crate::error::Error;
use crate::kernel::door::{Need, Reach};
use crate::kernel::modules::ModuleGraph;
use crate::vfs::JailPath;

impl Runs {
    /// A hash of the text that would run, with all that it imports; what is wrong with it where it cannot.
    pub(super) fn text_hash(&self, what: &Runnable) -> String {
        self.graph(what, None).map_or_else(|error| error.message, |graph| graph.text_hash())
    }

    /// What a run reaches by its imports: their code runs, and their text is read. Nothing of what cannot run.
    pub(super) fn imports(&self, what: &Runnable) -> Vec<Reach> {
        let paths = self.graph(what, None).map(|graph| graph.files()).unwrap_or_default();
        let mut reached = imported(paths.into_iter().filter(|path| path != what.path()).collect());
        if matches!(what, Runnable::Test(_)) {
            // To see how a tool is, it need not be allowed to run.
            reached.iter_mut().for_each(|reach| reach.need = Need::NotForbidden);
        }
        reached
    }

    /// What would run, compiled. Tests have the texts that they are made of noted.
    pub(super) fn graph(&self, what: &Runnable, record: Option<&TestRecord>) -> Result<ModuleGraph, Error> {
        let modules = self.modules();
        match what {
            Runnable::Tool(path) => JailPath::parse(path).map_err(Error::from).and_then(|entry| modules.graph(entry)),
            Runnable::Code(code) => modules.graph_of_code(what.path(), code),
            Runnable::Test(path) => self.test_graph(path, record),
        }
    }

    /// The same of a tool.
    #[must_use]
    pub fn tool_hash(&self, path: &str) -> String {
        self.text_hash(&Runnable::Tool(path.to_owned()))
    }

    /// The same of code that is in no file.
    #[must_use]
    pub fn code_hash(&self, code: String) -> String {
        self.text_hash(&Runnable::Code(code))
    }
}
