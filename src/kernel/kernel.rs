//! The kernel: it owns the parts, and it is booted whole or not at all.

use super::config::Config;
use super::host_functions::HostFunctions;
use super::run_registry::RunRegistry;
use super::tool_cache::ToolCache;
use crate::compile::Compiler;
use crate::error::Error;
use crate::git::{GitStore, StoreOptions};
use crate::sandbox::{PoolOptions, Sandbox, WorkerFiles};
use crate::vfs::{DiskVfs, TEMP_PREFIX};
use parking_lot::Mutex;
use std::path::Path;
use std::sync::Arc;

pub use crate::sandbox::engine_version;

pub struct Kernel {
    pub(super) config: Config,
    pub(super) vfs: Arc<DiskVfs>,
    pub(super) git: GitStore,
    pub(super) compiler: Compiler,
    pub(super) tools: ToolCache,
    pub(super) sandbox: Sandbox,
    pub(super) functions: Arc<dyn HostFunctions>,
    pub(super) runs: RunRegistry,
    /// Held from the change on disk to the commit, so that both happen in the same order.
    pub(super) writes: Mutex<()>,
}

impl Kernel {
    /// Makes the root and its repository, and starts the warm workers in the background.
    pub fn boot(
        config: Config,
        base_dir: &Path,
        files: WorkerFiles,
        functions: Arc<dyn HostFunctions>,
    ) -> Result<Arc<Self>, Error> {
        let root = base_dir.join(&config.root_dir);
        let vfs = Arc::new(DiskVfs::open(&root)?);
        let identity = &config.git.auth;
        let git = GitStore::open_or_init(
            &root,
            StoreOptions {
                branch: config.git.branch.clone(),
                author_name: identity.user.clone(),
                author_email: identity.email.clone(),
                exclude: vec![format!("{TEMP_PREFIX}*")],
            },
        )?;
        let sandbox = Sandbox::new(PoolOptions {
            isolation: config.sandbox.isolation.into(),
            files,
            workers: config.sandbox.workers as usize,
            warm: config.sandbox.warm as usize,
            queue: config.sandbox.queue as usize,
            memory_bytes: config.sandbox.limits().memory_bytes,
        });
        Ok(Arc::new(Self {
            config,
            vfs,
            git,
            compiler: Compiler::new(),
            tools: ToolCache::default(),
            sandbox,
            functions,
            runs: RunRegistry::default(),
            writes: Mutex::new(()),
        }))
    }

    #[must_use]
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Ends every run and every worker. Files need no farewell: each write was complete when it returned.
    pub fn shutdown(&self) {
        self.sandbox.shutdown();
    }
}
