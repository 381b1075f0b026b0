//! The text that a run is made of.

use super::entered_run::RunTexts;
use super::exec_options::{ExecOptions, Runnable};
use super::imported::imported;
use super::runs::Runs;
use super::test_record::TestRecord;
use crate::kernel::door::{Effect, Need, Reach};
use crate::kernel::modules::{ModuleGraph, Referenced};
use crate::kernel::text_hash::text_hash;
use std::cell::OnceCell;
use tgp_base::error::Error;
use tgp_sandbox::ModuleKind;
use tgp_state::Origin;
use tgp_vfs::JailPath;

/// What would run, looked up once however much somebody wants to know of it: all of it is said of the same texts.
struct LookedUp<'a> {
    runs: &'a Runs,
    what: &'a Runnable,
    graph: OnceCell<Result<ModuleGraph, Error>>,
}

impl LookedUp<'_> {
    fn graph(&self) -> Result<&ModuleGraph, &Error> {
        self.graph.get_or_init(|| self.runs.graph(self.what, None)).as_ref()
    }

    /// A hash of the text that would run, with all that it imports; of what does not compile, a hash of its source and of what is
    /// wrong, marked as such.
    fn hash(&self) -> String {
        let uncompiled = |error: &Error| {
            let source = self.runs.source(self.what).unwrap_or_default();
            format!("{} (does not compile)", text_hash(format!("{source}\0{}", error.message).as_bytes()))
        };
        self.graph().map_or_else(uncompiled, ModuleGraph::text_hash)
    }

    /// What a run reaches by its imports: their code runs, and their text is read. Of what cannot be compiled, the message
    /// that says so may quote any of them.
    fn imports(&self) -> Vec<Reach> {
        let Referenced { files, absent } = match self.graph() {
            Ok(graph) => Referenced { files: graph.files(), absent: Vec::new() },
            Err(_) => self.runs.references(self.what),
        };
        let mut reached = imported(files.into_iter().filter(|path| path != self.what.path()).collect());
        reached.extend(Reach::absent(absent));
        if let Some(path) = self.told_text() {
            reached.push(Reach { effect: Effect::Read, paths: vec![path], need: Need::NotForbidden });
        }
        reached
    }

    /// The file whose text this tells as it is: a test, which the report quotes; data, which is the result; and what cannot be
    /// compiled, which the message quotes.
    fn told_text(&self) -> Option<String> {
        match (self.what, self.graph()) {
            (Runnable::Code(_), _) => None,
            (Runnable::Test(path), _) | (Runnable::Tool(path), Err(_)) => Some(path.clone()),
            (Runnable::Tool(_), Ok(graph)) => {
                graph.modules.first().filter(|module| module.kind == ModuleKind::Json).map(|module| module.path.clone())
            }
        }
    }
}

impl Runs {
    fn looked_up<'a>(&'a self, what: &'a Runnable) -> LookedUp<'a> {
        LookedUp { runs: self, what, graph: OnceCell::new() }
    }

    /// Has `enter` ask what the run is made of; gives what was looked up for that, so that exactly what was judged runs.
    pub(super) fn with_texts<T>(
        &self,
        what: &Runnable,
        options: &ExecOptions,
        through: Origin,
        enter: impl FnOnce(RunTexts<'_>) -> T,
    ) -> (T, Option<ModuleGraph>) {
        let texts = self.looked_up(what);
        let entered = enter(RunTexts {
            hash: &|| texts.hash(),
            imports: &|| texts.imports(),
            // What cannot be compiled is refused for that, by the run.
            state: &|| texts.graph().map_or(Ok(()), |graph| self.tests_let_run(what, options, through, graph)),
        });
        let graph = texts.graph.into_inner().and_then(Result::ok);
        // A test has its texts noted when it runs.
        (entered, graph.filter(|_| !matches!(what, Runnable::Test(_))))
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

    /// Every file that would be read to run this, whether or not it can.
    fn references(&self, what: &Runnable) -> Referenced {
        self.source(what).map_or_else(Referenced::default, |text| self.modules().references(what.path(), &text))
    }

    /// The text itself; nothing where it cannot be read.
    fn source(&self, what: &Runnable) -> Option<String> {
        match what {
            Runnable::Tool(path) | Runnable::Test(path) => {
                self.modules().files().read(&JailPath::parse(path).ok()?).ok()
            }
            Runnable::Code(code) => Some(code.clone()),
        }
    }

    /// A hash of the text that would run with all that it imports, marked where it does not compile, and its imports.
    #[must_use]
    pub fn made_of(&self, what: &Runnable) -> (String, Vec<Reach>) {
        let texts = self.looked_up(what);
        (texts.hash(), texts.imports())
    }

    /// The tests that a path means, each with its hash, and all that they run and import.
    #[must_use]
    pub fn tests_made_of(
        &self,
        path: Option<&str>,
        may_test: &dyn Fn(&str) -> bool,
    ) -> (Vec<(String, String)>, Vec<Reach>) {
        let paths = self.test_files(path, may_test).unwrap_or_default();
        let mut reached = vec![Reach { effect: Effect::Run, paths: paths.clone(), need: Need::Allowed }];
        let mut tests: Vec<(String, String)> = Vec::new();
        for path in paths {
            let (hash, imports) = self.made_of(&Runnable::Test(path.clone()));
            tests.push((path, hash));
            reached.extend(imports);
        }
        (tests, reached)
    }
}
