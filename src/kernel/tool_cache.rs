//! Compiled tools, kept for as long as their text stays the same.

use crate::compile::{CompileError, Compiled, Compiler, Diagnostic, LintOptions};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

/// Tools kept at one time. Past it the cache starts anew, which costs a compilation each.
const MOST: usize = 4096;

#[derive(Default)]
pub struct ToolCache(Mutex<HashMap<String, Arc<CachedTool>>>);

pub struct CachedTool {
    source: String,
    pub compiled: Compiled,
    findings: OnceLock<Vec<Diagnostic>>,
}

impl CachedTool {
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
        let known = self.0.lock().get(path).filter(|tool| tool.source == source).map(Arc::clone);
        if let Some(tool) = known {
            return Ok(tool);
        }
        let compiled = compiler.compile(path, source)?;
        let tool = Arc::new(CachedTool { source: source.to_owned(), compiled, findings: OnceLock::new() });
        let mut tools = self.0.lock();
        if tools.len() >= MOST {
            tools.clear();
        }
        tools.insert(path.to_owned(), Arc::clone(&tool));
        Ok(tool)
    }
}
