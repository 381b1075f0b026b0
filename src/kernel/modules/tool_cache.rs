//! A cache of compiled tools, by path and text.

use crate::kernel::arguments::ToolArguments;
use crate::kernel::bounded_cache::BoundedCache;
use std::collections::HashSet;
use std::sync::{Arc, OnceLock};
use tgp_compile::{CompileError, Compiled, Compiler, Diagnostic, LintOptions};

/// Most cached tools.
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
    words: OnceLock<HashSet<Box<str>>>,
    arguments: OnceLock<ToolArguments>,
}

impl CachedTool {
    /// The text that it was compiled from.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The findings of the rules, computed once.
    pub fn findings(&self, compiler: &Compiler, path: &str, options: &LintOptions) -> &[Diagnostic] {
        self.findings.get_or_init(|| compiler.check(path, &self.source, options).diagnostics)
    }

    /// Whether its source contains the whole word `word`. The words are collected once.
    pub fn spells(&self, word: &str) -> bool {
        self.words.get_or_init(|| words(&self.source).map(Box::from).collect()).contains(word)
    }

    /// The arguments that it takes, derived from its text once.
    pub fn arguments(&self, compiler: &Compiler, path: &str) -> &ToolArguments {
        self.arguments.get_or_init(|| ToolArguments::of(compiler, path, &self.source))
    }

    /// Whether its arguments are derived already.
    pub fn is_described(&self) -> bool {
        self.arguments.get().is_some()
    }

    /// Whether its findings are computed already.
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
        let tool = Arc::new(CachedTool {
            source: source.to_owned(),
            compiled,
            findings: OnceLock::new(),
            words: OnceLock::new(),
            arguments: OnceLock::new(),
        });
        self.0.put(path.to_owned(), Arc::clone(&tool));
        Ok(tool)
    }
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    let is_letter = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '$');
    text.split(move |letter| !is_letter(letter)).filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::ToolCache;
    use tgp_compile::Compiler;

    #[test]
    fn only_whole_words_are_found() {
        let text = "const net_total = { net: 1, größe: 1 }; return net_total";
        let tool = ToolCache::default().get(&Compiler::new(), "tools/a.ts", text).unwrap();
        for word in ["net", "net_total", "größe", "const"] {
            assert!(tool.spells(word), "{word}");
        }
        for word in ["ne", "total", "et", "größ", "Net", ""] {
            assert!(!tool.spells(word), "{word}");
        }
    }
}
