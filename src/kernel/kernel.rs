//! The kernel: it owns the parts, and it is booted whole or not at all.

use super::background::Background;
use super::bytecode_files::BytecodeFiles;
use super::check_config::lint_options;
use super::config::{Config, GitWriteStrategy};
use super::confinement::threads_warning;
use super::folder_rules::check_folders;
use super::git_remote::{Ending, GitHome};
use super::graph_cache::GraphCache;
use super::guest_files::GuestFiles;
use super::host_functions::HostFunctions;
use super::packages::Packages;
use super::private_files::PrivateFiles;
use super::run_examples::RunExamples;
use super::run_registry::RunRegistry;
use super::tool_cache::ToolCache;
use super::tool_registry::{Look, RegistryFiles, ToolRegistry};
use super::type_gate::TypeGate;
use crate::compile::{Compiler, LintOptions};
use crate::error::Error;
use crate::git::{GitStore, Halt, Publisher};
use crate::net::{FetchLimits, Fetcher};
use crate::sandbox::{PoolOptions, Sandbox, WorkerFiles};
use crate::threads;
use crate::vfs::{DiskVfs, RootQuota, Usage};
use parking_lot::Mutex;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

pub use crate::sandbox::engine_version;

/// `meta.json` of some ten thousand tools, several times over.
const MAX_META_BYTES: usize = 32 << 20;
/// Largest bundle of a package that is kept for the next kernel.
const MAX_BUNDLE_BYTES: usize = 32 << 20;

pub struct Kernel {
    pub(super) config: Config,
    pub(super) vfs: Arc<DiskVfs>,
    pub(super) quota: RootQuota,
    pub(super) git: Arc<GitStore>,
    /// Only with a remote.
    pub(super) publisher: Option<Publisher>,
    warnings: Vec<String>,
    pub(super) examples: Arc<RunExamples>,
    pub(super) compiler: Arc<Compiler>,
    pub(super) lint: LintOptions,
    pub(super) types: TypeGate,
    pub(super) registry: Arc<ToolRegistry>,
    pub(super) tools: ToolCache,
    pub(super) graphs: GraphCache,
    pub(super) sandbox: Sandbox,
    pub(super) functions: Arc<dyn HostFunctions>,
    pub(super) packages: Packages,
    pub(super) guest_files: GuestFiles,
    pub(super) fetcher: Fetcher,
    pub(super) background: Background,
    pub(super) runs: RunRegistry,
    /// The number of the next nested run, far above those that JavaScript gives out.
    pub(super) nested_runs: AtomicU64,
    /// Held from the change on disk to the commit, so that both happen in the same order.
    pub(super) writes: Mutex<()>,
}

impl Kernel {
    /// Makes the root and its repository, and starts the warm workers in the background. `halt` ends the wait for a remote,
    /// now and later.
    pub fn boot(
        config: Config,
        base_dir: &Path,
        files: WorkerFiles,
        functions: Arc<dyn HostFunctions>,
        halt: Halt,
    ) -> Result<Arc<Self>, Error> {
        let noted = check_folders(&config, base_dir)?;
        let root = base_dir.join(&config.root_dir);
        let vfs = Arc::new(DiskVfs::open(&root)?.with_max_file_bytes(config.fs.file_bytes as usize));
        let compiler = Arc::new(Compiler::new());
        let examples = Arc::new(RunExamples::default());
        let ending = Ending { halt, launcher: cfg!(unix).then(|| files.executable.clone()) };
        let GitHome { store, publisher, mut warnings } =
            GitHome::open(&config, base_dir, &root, &vfs, &compiler, &examples, &ending)?;
        warnings.extend(noted);
        warnings.extend(threads_warning(config.sandbox.isolation));
        let guest_files = GuestFiles::open(&config, base_dir, &vfs)?;
        let fetcher = Fetcher::new(
            &config.allowed_fetch_urls,
            FetchLimits {
                bytes: config.sandbox.fetch_bytes as usize,
                time: Duration::from_millis(config.sandbox.fetch_timeout_ms.into()),
            },
        )?;
        let private = Arc::new(DiskVfs::open(&store.private_dir()?)?.with_max_file_bytes(MAX_BUNDLE_BYTES));
        let bundles = PrivateFiles(Arc::<DiskVfs>::clone(&private));
        let packages = Packages::new(config.allowed_imports.clone(), Arc::clone(&functions), bundles);
        let sandbox = Sandbox::new(PoolOptions {
            isolation: config.sandbox.isolation.into(),
            files,
            workers: config.sandbox.workers as usize,
            warm: config.sandbox.warm as usize,
            queue: config.sandbox.queue as usize,
            memory_bytes: config.sandbox.limits().memory_bytes,
            longest_text: config.sandbox.longest_text(),
            bytecode: Arc::new(BytecodeFiles::new(private)),
        });
        let files = registry_files(&config, &vfs, &store)?;
        let registry = Arc::new(ToolRegistry::new(files, Arc::clone(&compiler)));
        read_ahead(&registry);
        let lint = lint_options(&config.rules, &config.allowed_imports);
        let quota = RootQuota::new(Usage { bytes: config.fs.root_bytes.into(), files: config.fs.root_files.into() });
        let types = TypeGate::new(Arc::clone(&functions));
        Ok(Arc::new(Self {
            config,
            vfs,
            quota,
            git: store,
            publisher,
            warnings,
            examples,
            compiler,
            lint,
            types,
            registry,
            tools: ToolCache::default(),
            graphs: GraphCache::default(),
            sandbox,
            functions,
            packages,
            guest_files,
            fetcher,
            background: Background::new(),
            runs: RunRegistry::default(),
            nested_runs: AtomicU64::new(1 << 32),
            writes: Mutex::new(()),
        }))
    }

    #[must_use]
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// What the user should know about the boot.
    #[must_use]
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Ends every run and every worker, and waits for the last push, at most for `push_wait` where that is given. Files
    /// need no farewell: each write was complete when it returned.
    pub fn shutdown(&self, push_wait: Option<Duration>) {
        self.sandbox.shutdown();
        self.registry.store();
        self.stop_publishing(push_wait);
    }
}

/// A pull request is about its tool alone, so with them `meta.json` is this copy's private matter.
fn registry_files(config: &Config, vfs: &Arc<DiskVfs>, store: &GitStore) -> Result<RegistryFiles, Error> {
    let root = Arc::new(vfs.reopened(MAX_META_BYTES)?);
    let private = Arc::new(DiskVfs::open(&store.private_dir()?)?.with_max_file_bytes(MAX_META_BYTES));
    let (meta, shared_meta) = match config.git.write_strategy {
        GitWriteStrategy::Direct => (root, None),
        GitWriteStrategy::Pr => (Arc::clone(&private), Some(root)),
    };
    Ok(RegistryFiles { tools: Arc::<DiskVfs>::clone(vfs), meta, shared_meta, private: PrivateFiles(private) })
}

/// Looks at the tools in the background, so that neither the boot nor, most likely, the first question waits for it.
fn read_ahead(registry: &Arc<ToolRegistry>) {
    let registry = Arc::downgrade(registry);
    let look = move || {
        if let Some(registry) = registry.upgrade() {
            // Who asks first looks again, and hears why it failed.
            let _ = registry.refresh(Look::Quick);
        }
    };
    // Without a thread the first question looks.
    let _ = threads::spawn("tgp-registry", look);
}
