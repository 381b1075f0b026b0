//! Bytecode of modules that ran before, so that a large one is parsed once per worker.
//!
//! It stays in the worker that made it. V8 trusts such data blindly, so a worker that a guest has taken over could hand
//! its rights to every other worker through a shared one.

use super::run_state::RunState;
use crate::sandbox::message::RunCommand;
use std::collections::HashMap;

/// Smaller modules are parsed as quickly as their bytecode is read.
const SMALLEST: usize = 2 << 10;
/// Bytecode kept at one time. Past it the cache starts anew.
const MOST_BYTES: usize = 16 << 20;

/// Bytecode by path, valid for exactly the text it was made from.
#[derive(Default)]
pub struct CodeCache {
    entries: HashMap<String, Entry>,
    bytes: usize,
    /// Functions of the run under way whose bytecode is not kept yet.
    fresh: Vec<(String, v8::Global<v8::Function>)>,
}

struct Entry {
    code: String,
    data: Vec<u8>,
}

impl CodeCache {
    /// The bytecode of `code`, if it was kept.
    pub fn get(&self, path: &str, code: &str) -> Option<&[u8]> {
        self.entries.get(path).filter(|entry| entry.code == code).map(|entry| entry.data.as_slice())
    }

    /// Notes a function that was compiled from text, to be kept once it has run and V8 knows what it needs of it.
    pub fn note(&mut self, path: &str, code_length: usize, function: v8::Global<v8::Function>) {
        if code_length >= SMALLEST {
            self.fresh.push((path.to_owned(), function));
        }
    }

    /// Keeps the bytecode of what the run compiled. Called when the run is over and nobody waits.
    pub fn fill(&mut self, isolate: &mut v8::OwnedIsolate, command: &RunCommand) {
        if self.fresh.is_empty() {
            return;
        }
        v8::scope!(let scope, isolate);
        for (path, function) in std::mem::take(&mut self.fresh) {
            let function = v8::Local::new(scope, function);
            let Some(module) = command.modules.iter().find(|module| module.path == path) else { continue };
            let Some(data) = function.create_code_cache() else { continue };
            self.keep(path, module.code.to_string(), data.to_vec());
        }
    }

    /// Lets go of the functions of a run that is over.
    pub fn forget_run(&mut self) {
        self.fresh.clear();
    }

    fn keep(&mut self, path: String, code: String, data: Vec<u8>) {
        let bytes = code.len() + data.len();
        if self.bytes + bytes > MOST_BYTES {
            self.entries.clear();
            self.bytes = 0;
        }
        if bytes > MOST_BYTES {
            return;
        }
        self.bytes += bytes;
        if let Some(old) = self.entries.insert(path, Entry { code, data }) {
            self.bytes -= old.code.len() + old.data.len();
        }
    }
}

/// The module's source for V8, with its bytecode when that is kept.
pub fn source_of<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    path: &str,
    text: v8::Local<'s, v8::String>,
    origin: &v8::ScriptOrigin<'s>,
) -> (v8::script_compiler::Source, v8::script_compiler::CompileOptions) {
    let data = scope.get_slot::<RunState>().and_then(|state| {
        let module = state.module(path)?;
        state.cache.get(path, &module.code)
    });
    match data {
        Some(data) => {
            let data = v8::script_compiler::CachedData::new(data);
            let source = v8::script_compiler::Source::new_with_cached_data(text, Some(origin), data);
            (source, v8::script_compiler::CompileOptions::ConsumeCodeCache)
        }
        None => {
            let source = v8::script_compiler::Source::new(text, Some(origin));
            (source, v8::script_compiler::CompileOptions::NoCompileOptions)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{CodeCache, MOST_BYTES};

    #[test]
    fn bytecode_is_for_one_text_and_never_more_than_may_be_kept() {
        let mut cache = CodeCache::default();
        cache.keep("a".to_owned(), "one".to_owned(), vec![1]);
        assert_eq!(cache.get("a", "one"), Some(&[1][..]));
        assert_eq!(cache.get("a", "two"), None);
        cache.keep("a".to_owned(), "two".to_owned(), vec![2, 2]);
        assert_eq!(cache.get("a", "two"), Some(&[2, 2][..]));
        assert_eq!(cache.bytes, 5);
        cache.keep("b".to_owned(), "b".to_owned(), vec![0; MOST_BYTES]);
        assert_eq!((cache.get("a", "two"), cache.get("b", "b"), cache.bytes), (None, None, 0));
    }
}
