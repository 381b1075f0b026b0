//! The texts that a run executes, with their hash and reach.

use crate::kernel::door::{CallDetails, Need, ReachedFiles};
use crate::kernel::modules::{ModuleGraph, Referenced};
use crate::kernel::runs::Runs;
use crate::kernel::runs::scope::exec_options::Runnable;
use crate::kernel::runs::test_results::test_record::TestRecord;
use std::cell::OnceCell;
use tgp_base::call::Caller;
use tgp_base::effect::Effect;
use tgp_base::error::Error;
use tgp_base::text_hash::text_hash;
use tgp_sandbox::ModuleKind;
use tgp_state::Origin;
use tgp_vfs::JailPath;

/// The module graph of a run, built at most once, so that hash, reach and state refer to the same texts.
struct LazyGraph<'a> {
    runs: &'a Runs,
    what: &'a Runnable,
    graph: OnceCell<Result<ModuleGraph, Error>>,
}

impl LazyGraph<'_> {
    fn graph(&self) -> Result<&ModuleGraph, &Error> {
        self.graph.get_or_init(|| self.runs.graph(self.what, None)).as_ref()
    }

    /// A hash of the text that would run, imports included; if it does not compile, a marked hash of its source and the
    /// error.
    fn hash(&self) -> String {
        let uncompiled = |error: &Error| {
            let source = self.runs.source(self.what).unwrap_or_default();
            format!("{} (does not compile)", text_hash(format!("{source}\0{}", error.message).as_bytes()))
        };
        self.graph().map_or_else(uncompiled, ModuleGraph::text_hash)
    }

    /// The reach of a run's imports, which are run and read. If it does not compile, the error may quote any of them.
    fn imports(&self) -> Vec<ReachedFiles> {
        let Referenced { files, absent } = match self.graph() {
            Ok(graph) => Referenced { files: graph.files(), absent: Vec::new() },
            Err(_) => self.runs.references(self.what),
        };
        let mut reached = ReachedFiles::imported(files.into_iter().filter(|path| path != self.what.path()).collect());
        reached.extend(ReachedFiles::absent(absent));
        if let Some(path) = self.quoted_file() {
            reached.push(ReachedFiles { effect: Effect::Read, paths: vec![path], need: Need::NotForbidden });
        }
        reached
    }

    /// The file whose text is returned verbatim: a test (quoted in the report), JSON (the result), or a file that does
    /// not compile (quoted in the error).
    fn quoted_file(&self) -> Option<String> {
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
    fn lazy_graph<'a>(&'a self, what: &'a Runnable) -> LazyGraph<'a> {
        LazyGraph { runs: self, what, graph: OnceCell::new() }
    }

    /// Calls `enter` with lazy access to the run's texts. Also returns the graph if it was built, so that the judged
    /// texts are the ones that run. `args_json`: the arguments, if they are checked.
    pub(in crate::kernel::runs) fn with_texts<T>(
        &self,
        what: &Runnable,
        caller: &Caller,
        through: Origin,
        args_json: Option<&str>,
        enter: impl FnOnce(CallDetails<'_>) -> T,
    ) -> (T, Option<ModuleGraph>) {
        let texts = self.lazy_graph(what);
        let entered = enter(CallDetails {
            text: Some(&|| texts.hash()),
            reached: Some(&|| texts.imports()),
            // A compile error is reported by the run.
            ready: Some(&|| {
                texts.graph().map_or(Ok(()), |graph| {
                    self.check_arguments(what, graph, args_json)?;
                    self.tests_let_run(what, caller, through, graph)
                })
            }),
        });
        let graph = texts.graph.into_inner().and_then(Result::ok);
        // The graph of a test is rebuilt by the run, which records its texts.
        (entered, graph.filter(|_| !matches!(what, Runnable::Test(_))))
    }

    /// The module graph of a run. A test's texts are recorded.
    pub(in crate::kernel::runs) fn graph(
        &self,
        what: &Runnable,
        record: Option<&TestRecord>,
    ) -> Result<ModuleGraph, Error> {
        let modules = self.modules();
        match what {
            Runnable::Tool(path) => JailPath::parse(path).map_err(Error::from).and_then(|entry| modules.graph(entry)),
            Runnable::Code(code) => modules.graph_of_code(what.path(), code),
            Runnable::Test(path) => self.test_graph(path, record),
        }
    }

    /// Every file that would be read to run this, even if it does not compile.
    fn references(&self, what: &Runnable) -> Referenced {
        self.source(what).map_or_else(Referenced::default, |text| self.modules().references(what.path(), &text))
    }

    /// Refuses arguments that a tool does not take. A tool that cannot be compiled is reported by its run.
    pub fn fit_arguments(&self, what: &Runnable, args_json: &str) -> Result<(), Error> {
        self.graph(what, None).map_or(Ok(()), |graph| self.check_arguments(what, &graph, Some(args_json)))
    }

    /// The source; none if it cannot be read.
    fn source(&self, what: &Runnable) -> Option<String> {
        match what {
            Runnable::Tool(path) | Runnable::Test(path) => {
                self.modules().files().read(&JailPath::parse(path).ok()?).ok()
            }
            Runnable::Code(code) => Some(code.clone()),
        }
    }

    /// A hash of the text that would run, imports included, marked if it does not compile; and its reach.
    #[must_use]
    pub fn text_and_reach(&self, what: &Runnable) -> (String, Vec<ReachedFiles>) {
        let texts = self.lazy_graph(what);
        (texts.hash(), texts.imports())
    }

    /// The tests of a path with their hashes, and their reach.
    #[must_use]
    pub fn tests_and_reach(
        &self,
        path: Option<&str>,
        may_test: &dyn Fn(&str) -> bool,
    ) -> (Vec<(String, String)>, Vec<ReachedFiles>) {
        let paths = self.test_files(path, may_test).unwrap_or_default();
        let mut reached = vec![ReachedFiles { effect: Effect::Run, paths: paths.clone(), need: Need::Allowed }];
        let mut tests: Vec<(String, String)> = Vec::new();
        for path in paths {
            let (hash, imports) = self.text_and_reach(&Runnable::Test(path.clone()));
            tests.push((path, hash));
            reached.extend(imports);
        }
        (tests, reached)
    }
}
