//! Compiled tools, kept for as long as their text stays the same.

use crate::compile::{CompileError, Compiled, Compiler, Diagnostic, LintOptions};
use crate::kernel::bounded_cache::BoundedCache;
use std::sync::{Arc, OnceLock};

/// Tools kept at one time.
const MAX_TOOLS: usize = 4096;

pub struct ToolCache(BoundedCache<String, Arc<CachedTool>>);

impl Default for ToolCache {
    fn default() -> Self {
        Self(BoundedCache::new(MAX_TOOLS))
    }
}

pub struct CachedTool {
    source: String,
    pub compiled: Compiled,
    findings: OnceLock<Vec<Diagnostic>>,
}

impl CachedTool {
    /// The text that it was compiled from.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// What the rules find in it, found out once.
    pub fn findings(&self, compiler: &Compiler, path: &str, options: &LintOptions) -> &[Diagnostic] {
        self.findings.get_or_init(|| compiler.check(path, &self.source, options).diagnostics)
    }

    /// Whether it is known what the rules find in it.
    pub fn is_judged(&self) -> bool {
        self.findings.get().is_some()
    }
}

impl ToolCache {
    /// The compiled form of `source`, from the cache when it was compiled before.
    pub fn get(&self, compiler: &Compiler, path: &str, source: &str) -> Result<Arc<CachedTool>, CompileError> {
        if let Some(tool) = self.0.get(path).filter(|tool| tool.source == source) {
            return Ok(tool);
        }
        let compiled = compiler.compile(path, source)?;
        let tool = Arc::new(CachedTool { source: source.to_owned(), compiled, findings: OnceLock::new() });
        self.0.put(path.to_owned(), Arc::clone(&tool));
        Ok(tool)
    }
}
