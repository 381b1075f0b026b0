//! The kernel: boots, owns and stops the services, atomically.

use super::check_config::lint_options;
use super::checks::{CheckDeps, Checks};
use super::config::{Config, GitWriteStrategy, MemoryMode, ReuseMode, bound_secrets, check_secret_functions};
use super::door::{
    Approvals, Door, Gate, LedgerDeps, PolicySource, RedactHook, Tokens, known_tools, open_ledger, present,
};
use super::files::{Files, WriteDeps, WritePath, check_folders, open_root};
use super::graph::{Graph, GraphDeps};
use super::guardian::{Guardian, GuardianDeps};
use super::history::{Exchange, GitHome, History, HistoryDeps, ProcessControl, RunExamples, WriteDone, Written};
use super::host_functions::HostFunctions;
use super::known_secrets::KnownSecrets;
use super::ledger_api::LedgerApi;
use super::modules::{AllowedPackages, BytecodeFiles, ImportResolver, Modules, Packages, Relink, Sources, ToolCache};
use super::network::{fetcher, tls_settings};
use super::policy_api::PolicyApi;
use super::private_files::PrivateFiles;
use super::reuse::Reuse;
use super::runs::{GuestFiles, RunDeps, Runs, threads_warning};
use super::secret_scan::SecretScan;
use super::test_first::{TestFirst, TestFirstDeps};
use super::tool_paths::is_test;
use super::tools::{MemoryModel, ModelSource, RegistryFiles, Tools};
use serde::Serialize;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tgp_base::error::{Error, ErrorCode};
use tgp_compile::{Compiler, LintOptions};
use tgp_embed::MAX_VECTOR_FILE_BYTES;
use tgp_git::{GitStore, Halt};
use tgp_sandbox::{PoolOptions, Sandbox, WorkerFiles};
use tgp_state::ExemptGlobs;
use tgp_vfs::{DiskVfs, JailPath, RootQuota, Usage, Vfs};

pub use tgp_sandbox::engine_version;

/// `meta.json` of some ten thousand tools, several times over.
const MAX_META_BYTES: usize = 32 << 20;
/// The test state of some hundred thousand tools.
const MAX_STATE_BYTES: usize = 256 << 20;
/// Largest package bundle that is cached on disk.
const MAX_BUNDLE_BYTES: usize = 32 << 20;

pub struct Kernel {
    config: Config,
    warnings: Vec<String>,
    files: Files,
    checks: Arc<Checks>,
    tools: Arc<Tools>,
    history: Arc<History>,
    runs: Arc<Runs>,
    door: Arc<Door>,
    tests: Arc<TestFirst>,
    ledger: LedgerApi,
    policy: PolicyApi,
    guardian: Arc<Guardian>,
    known_secrets: Arc<KnownSecrets>,
    graph: Arc<Graph>,
}

/// A test that was accepted as a specification.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct AcceptedTest {
    path: String,
}

/// The application's hooks.
pub struct BootHooks {
    pub functions: Arc<dyn HostFunctions>,
    /// Cancels waiting for a remote, now and later.
    pub halt: Halt,
    pub redact: RedactHook,
    pub policy: PolicySource,
}

impl Kernel {
    /// Creates the root and its repository, and starts the warm workers in the background. `model` embeds the texts of
    /// tools.
    pub fn boot(
        mut config: Config,
        base_dir: &Path,
        worker_files: WorkerFiles,
        hooks: BootHooks,
        model: Option<ModelSource>,
    ) -> Result<Arc<Self>, Error> {
        // Before the ledger opens its database: afterwards SQLite cannot change its heap configuration.
        tgp_sql::install_heap_quotas();
        let BootHooks { functions, halt, redact, policy } = hooks;
        let compiler = Arc::new(Compiler::new());
        let mut gate = gate(&config, &policy, &*functions, &compiler)?;
        let noted = check_folders(&mut config, base_dir)?;
        let root_dir = base_dir.join(&config.root_dir);
        let root = Arc::new(open_root(&root_dir)?.with_max_file_bytes(config.fs.file_bytes as usize));
        // The first worker starts while the repository and the ledger are opened. If that fails, its drop ends it.
        let bytecode = Arc::new(BytecodeFiles::default());
        let executable = worker_files.executable.clone();
        let sandbox = sandbox(&config, &root_dir, worker_files, Arc::clone(&bytecode));
        let examples = Arc::new(RunExamples::default());
        let control = ProcessControl { halt, launcher: cfg!(unix).then_some(executable) };
        let GitHome { store, publisher, waiting, mut warnings } =
            GitHome::open(&config, base_dir, &root_dir, &root, &compiler, &examples, &control)?;
        warnings.extend(noted);
        warnings.extend(threads_warning(config.sandbox.isolation));
        let guest_files = GuestFiles::open(&config, base_dir, &root)?;
        let bound = bound_secrets(&config.secrets)?;
        check_secret_functions(&config.secrets, &functions.names())?;
        let fetcher = fetcher(&config, base_dir, bound.clone())?;
        let private = Arc::new(DiskVfs::open(&store.private_dir()?)?.with_max_file_bytes(MAX_BUNDLE_BYTES));
        bytecode.open(Arc::clone(&private));
        let lint = lint_options(&config.rules, &config.allowed_imports, config.check);
        let secrets = SecretScan::new(&compiler, &lint);
        let known_secrets = Arc::new(KnownSecrets::new(&config, bound.clone()));
        let (records, problem) = open_ledger(LedgerDeps {
            config: &config,
            folder: store.private_dir()?,
            known: Arc::clone(&known_secrets),
            secrets: secrets.clone(),
            functions: Arc::clone(&functions),
            hook: redact,
            tls: tls_settings(&config.network, base_dir)?,
        })?;
        warnings.extend(problem);
        if !config.tokens.keys.is_empty() {
            gate.tokens.share(&store.private_dir()?);
        }
        let door = Door::new(records, gate);
        let tests = Arc::new(TestFirst::new(TestFirstDeps {
            mode: config.mode,
            exempt: exempt(&config)?,
            files: Arc::clone(&root) as Arc<dyn Vfs>,
            door: Arc::clone(&door),
            private: PrivateFiles(Arc::new(DiskVfs::open(&store.private_dir()?)?.with_max_file_bytes(MAX_STATE_BYTES))),
        }));

        let files = Arc::clone(&root) as Arc<dyn Vfs>;
        let packages = AllowedPackages::new(&lint.allowed_imports);
        let resolver = Arc::new(ImportResolver::new(Arc::clone(&files), packages));
        let modules = Arc::new(Modules::new(Sources {
            files: Arc::clone(&files),
            compiler: Arc::clone(&compiler),
            cache: ToolCache::default(),
            resolver: Arc::clone(&resolver),
            packages: Packages::new(Arc::clone(&functions), PrivateFiles(private)),
        }));
        let relink = Relink::new(Arc::clone(&files), Arc::clone(&compiler), Arc::clone(&resolver));
        let checks = Arc::new(Checks::new(CheckDeps {
            files,
            compiler: Arc::clone(&compiler),
            resolver,
            functions: Arc::clone(&functions),
            lint,
            mode: config.check,
        }));
        let model = model.filter(|_| config.memory == MemoryMode::Auto);
        let model = model.map(|source| MemoryModel::new(source, Arc::clone(&functions)));
        let vectors = Arc::new(DiskVfs::open(&store.private_dir()?)?.with_max_file_bytes(MAX_VECTOR_FILE_BYTES));
        let graph = Arc::new(Graph::new(GraphDeps {
            folder: store.private_dir()?,
            git: Arc::clone(&store),
            door: Arc::clone(&door),
            compiler: Arc::clone(&compiler),
            base_dir: base_dir.to_owned(),
        }));
        let tools = Arc::new(Tools::open(registry_files(&config, &root, &store)?, compiler, model, vectors));
        let strategy = config.git.write_strategy;
        let exchange = Exchange::new(publisher, Arc::clone(&tools), Arc::clone(&examples));
        exchange.report_reachability(Arc::clone(&functions));
        let history = Arc::new(History::new(HistoryDeps {
            git: store,
            exchange,
            files: Arc::clone(&root),
            tools: Arc::clone(&tools),
            strategy,
            secrets,
            halt: control.halt,
            witness: Arc::<Door>::clone(&door),
        }));
        let (host, guardian_mode) = (Arc::clone(&functions), config.guardian);
        let runs = Runs::new(RunDeps {
            config: config.sandbox,
            sandbox,
            modules,
            checks: Arc::clone(&checks),
            tools: Arc::clone(&tools),
            // Only pull requests show them.
            examples: (strategy == GitWriteStrategy::Pr).then(|| Arc::clone(&examples)),
            functions,
            guest_files,
            fetcher,
            secrets: bound,
            door: Arc::clone(&door),
            tests: Arc::clone(&tests),
        });
        history.set_push_policy(Arc::<TestFirst>::clone(&tests), waiting);
        let pushing = Arc::downgrade(&history);
        tests.when_green(move || pushing.upgrade().into_iter().for_each(|history| history.push_again()));
        let writes = WritePath::new(WriteDeps {
            root: Arc::clone(&root),
            quota: RootQuota::new(Usage { bytes: config.fs.root_bytes.into(), files: config.fs.root_files.into() }),
            checks: Arc::clone(&checks),
            tools: Arc::clone(&tools),
            history: Arc::clone(&history),
            examples,
            tests: Arc::clone(&tests),
            reuse: (config.reuse != ReuseMode::Off)
                .then(|| Reuse::new(config.reuse, Arc::clone(&tools), Arc::clone(&runs))),
        });
        let file_bytes = config.fs.file_bytes as usize;
        let files = Files::new(root, Arc::clone(&checks), Arc::clone(&history), writes, relink, file_bytes);
        let ledger = LedgerApi::new(Arc::clone(&door), Arc::clone(&history));
        // Must be the first event.
        warnings.extend(ledger.record_cut().unwrap_or_else(|error| Some(error.message)));
        let policy = PolicyApi::new(Arc::clone(&door));
        let guardian = Guardian::new(GuardianDeps {
            mode: guardian_mode,
            door: Arc::clone(&door),
            history: Arc::clone(&history),
            graph: Arc::clone(&graph),
            functions: host,
        })?;
        guardian.watch();
        warnings.extend(guardian.check_at_boot());
        Ok(Arc::new(Self {
            config,
            warnings,
            files,
            checks,
            tools,
            history,
            runs,
            door,
            tests,
            ledger,
            policy,
            guardian,
            known_secrets,
            graph,
        }))
    }

    #[must_use]
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The secrets to mask.
    #[must_use]
    pub fn known_secrets(&self) -> &KnownSecrets {
        &self.known_secrets
    }

    /// Warnings of the boot.
    #[must_use]
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    #[must_use]
    pub fn files(&self) -> &Files {
        &self.files
    }

    #[must_use]
    pub fn checks(&self) -> &Checks {
        &self.checks
    }

    #[must_use]
    pub fn tools(&self) -> &Tools {
        &self.tools
    }

    #[must_use]
    pub fn history(&self) -> &History {
        &self.history
    }

    #[must_use]
    pub fn runs(&self) -> &Arc<Runs> {
        &self.runs
    }

    #[must_use]
    pub fn door(&self) -> &Arc<Door> {
        &self.door
    }

    /// Commits files as they are on disk, and updates the test state.
    pub fn persist(&self, message: &str, files: &[String], done: WriteDone<Written>) {
        // First, because the author decides whether it may be pushed.
        self.tests.committed(present().as_ref(), files);
        self.history.persist(message, files, done);
    }

    /// Accepts the current test at `path` as a specification.
    ///
    /// # Errors
    /// `Validation` for a path that is not a tool test, `NotFound` for a missing file.
    pub fn accept_test(&self, path: &str) -> Result<AcceptedTest, Error> {
        let test = JailPath::parse(path)?;
        if !is_test(&test) {
            let message = format!("{} is not a tool test. Tests are named tools/<name>.test.ts.", test.as_str());
            return Err(Error::new(ErrorCode::Validation, message).with("field", "path"));
        }
        self.files.read_file(test.as_str())?;
        let path = test.as_str().to_owned();
        self.tests.committed(None, std::slice::from_ref(&path));
        Ok(AcceptedTest { path })
    }

    #[must_use]
    pub fn ledger(&self) -> &LedgerApi {
        &self.ledger
    }

    #[must_use]
    pub fn guardian(&self) -> &Arc<Guardian> {
        &self.guardian
    }

    #[must_use]
    pub fn policy(&self) -> &PolicyApi {
        &self.policy
    }

    #[must_use]
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// Stores the counts of tools now, for a process that ends without a shutdown.
    pub fn store_counts(&self) {
        self.tools.store_counts();
    }

    /// Ends every run and worker, and waits for the last push, at most `push_wait` if given. Files need no flush: each
    /// write was complete when it returned.
    pub fn shutdown(&self, push_wait: Option<Duration>) {
        self.graph.stop();
        self.runs.stop();
        self.tools.stop();
        self.guardian.stop();
        self.history.stop(push_wait);
        self.tests.close();
        self.door.close();
    }
}

fn exempt(config: &Config) -> Result<ExemptGlobs, Error> {
    ExemptGlobs::new(config.exempt.iter().map(String::as_str)).map_err(|error| Error::from(error).with("key", "exempt"))
}

fn gate(
    config: &Config,
    policy: &PolicySource,
    functions: &dyn HostFunctions,
    compiler: &Arc<Compiler>,
) -> Result<Gate, Error> {
    let approvals = Approvals::new(Duration::from_millis(config.agent.approval_ms.into()));
    let tools = known_tools(&functions.names(), functions.sql_dialect());
    // Policy files are scanned with the default rules, whatever the configuration sets for tools.
    let secrets = SecretScan::new(compiler, &LintOptions::default());
    Gate::new(policy, tools, Tokens::new(&config.tokens)?, approvals, config.mode, secrets)
}

fn sandbox(config: &Config, root_dir: &Path, files: WorkerFiles, bytecode: Arc<BytecodeFiles>) -> Sandbox {
    Sandbox::new(PoolOptions {
        isolation: config.sandbox.isolation.into(),
        files,
        workers: config.sandbox.workers as usize,
        max_waiting: config.sandbox.waiting as usize,
        warm: config.sandbox.warm as usize,
        idle: Duration::from_millis(config.sandbox.idle_ms.into()),
        root: Some(root_dir.to_owned()),
        queue: config.sandbox.queue as usize,
        queue_time: Duration::from_millis(config.sandbox.queue_ms.into()),
        memory_bytes: config.sandbox.limits().memory_bytes,
        longest_text: config.sandbox.longest_text(),
        bytecode,
    })
}

/// With pull requests, which contain one tool each, `meta.json` is private to this workspace.
fn registry_files(config: &Config, vfs: &Arc<DiskVfs>, store: &GitStore) -> Result<RegistryFiles, Error> {
    let root = Arc::new(vfs.reopened(MAX_META_BYTES));
    let private = DiskVfs::open(&store.private_dir()?)?;
    // Counters and caches are not flushed, so that results need not wait for the disk.
    let restorable = PrivateFiles(Arc::new(private.reopened(MAX_META_BYTES).restorable()));
    let (meta, shared_meta) = match config.git.write_strategy {
        GitWriteStrategy::Direct => (root, None),
        GitWriteStrategy::Pr => (Arc::new(private.with_max_file_bytes(MAX_META_BYTES)), Some(root)),
    };
    Ok(RegistryFiles { tools: Arc::<DiskVfs>::clone(vfs), meta, shared_meta, private: restorable })
}
