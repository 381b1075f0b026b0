//! The code cache of a worker: packages from the host, and bytecode of modules that ran before.
//!
//! Bytecode compiled here never leaves the worker. V8 does not verify bytecode, so a compromised worker could take over others
//! through it. Bytecode of packages comes from an engine that ran no code.

use crate::packages::{PackageId, Parcel};
use crate::weighed_cache::WeighedCache;
use std::collections::HashMap;
use std::sync::Arc;

/// Smaller modules are compiled as quickly as their bytecode is read.
const MIN_BYTES: usize = 2 << 10;
/// Most bytes of bytecode.
const MAX_BYTES: usize = 16 << 20;
/// Most bytes of sources that passed the syntax check.
const MAX_JUDGED_BYTES: usize = 1 << 20;

/// Bytecode by path, valid for exactly the text that it was compiled from.
pub struct CodeCache {
    entries: WeighedCache<String, Entry>,
    /// Functions of the current run whose bytecode is not stored yet.
    fresh: Vec<(String, Arc<str>, v8::Global<v8::Function>)>,
    /// Sources that passed V8's syntax check.
    judged: WeighedCache<String, Arc<str>>,
    /// Packages; the host bounds their number.
    shelf: HashMap<PackageId, Arc<Parcel>>,
}

struct Entry {
    code: Arc<str>,
    data: Vec<u8>,
}

impl Default for CodeCache {
    fn default() -> Self {
        Self {
            entries: WeighedCache::new(MAX_BYTES),
            fresh: Vec::new(),
            judged: WeighedCache::new(MAX_JUDGED_BYTES),
            shelf: HashMap::new(),
        }
    }
}

impl CodeCache {
    /// The bytecode of `code`, if stored.
    pub fn get(&self, path: &str, code: &str) -> Option<&[u8]> {
        self.entries.peek(path).filter(|entry| *entry.code == *code).map(|entry| entry.data.as_slice())
    }

    /// Marks the bytecode of a module as recently used.
    pub fn note_use(&mut self, path: &str) {
        self.entries.get(path);
    }

    /// Whether this exact source passed V8's syntax check before.
    pub fn is_judged(&self, path: &str, source: &str) -> bool {
        self.judged.peek(path).is_some_and(|judged| **judged == *source)
    }

    pub fn note_judged(&mut self, path: &str, source: Arc<str>) {
        let bytes = source.len();
        self.judged.put(path.to_owned(), source, bytes);
    }

    pub fn shelve(&mut self, parcel: Arc<Parcel>) {
        self.shelf.insert(parcel.id, parcel);
    }

    pub fn unshelve(&mut self, id: PackageId) {
        self.shelf.remove(&id);
    }

    pub fn parcel(&self, id: PackageId) -> Option<&Parcel> {
        self.shelf.get(&id).map(|parcel| &**parcel)
    }

    /// Records a function that was compiled from `code`; its bytecode is stored after the run, with the inner functions that were
    /// used.
    pub fn note(&mut self, path: &str, code: Arc<str>, function: v8::Global<v8::Function>) {
        if code.len() >= MIN_BYTES {
            self.fresh.push((path.to_owned(), code, function));
        }
    }

    /// Stores the bytecode of functions that the run compiled. Called after the end of the run was reported.
    pub fn fill(&mut self, isolate: &mut v8::OwnedIsolate) {
        if self.fresh.is_empty() {
            return;
        }
        v8::scope!(let scope, isolate);
        for (path, code, function) in std::mem::take(&mut self.fresh) {
            let function = v8::Local::new(scope, function);
            let Some(data) = function.create_code_cache() else { continue };
            self.keep(path, code, data.to_vec());
        }
    }

    /// Drops all bytecode that was compiled here.
    pub fn forget_bytecode(&mut self) {
        self.entries = WeighedCache::new(MAX_BYTES);
    }

    /// Drops the functions of an ended run.
    pub fn forget_run(&mut self) {
        self.fresh.clear();
    }

    fn keep(&mut self, path: String, code: Arc<str>, data: Vec<u8>) {
        let bytes = code.len() + data.len();
        self.entries.put(path, Entry { code, data }, bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::{CodeCache, MAX_BYTES};

    #[test]
    fn bytecode_is_valid_for_one_text_and_bounded() {
        let mut cache = CodeCache::default();
        cache.keep("a".to_owned(), "one".into(), vec![1]);
        assert_eq!(cache.get("a", "one"), Some(&[1][..]));
        assert_eq!(cache.get("a", "two"), None);
        cache.keep("a".to_owned(), "two".into(), vec![2, 2]);
        assert_eq!(cache.get("a", "two"), Some(&[2, 2][..]));
        cache.keep("b".to_owned(), "b".into(), vec![0; MAX_BYTES]);
        assert_eq!(cache.get("b", "b"), None, "there would be no room for anything else");
        cache.keep("c".to_owned(), "c".into(), vec![0; MAX_BYTES - 10]);
        cache.note_use("a");
        cache.keep("d".to_owned(), "d".into(), vec![0; 10]);
        assert!(cache.get("a", "two").is_some() && cache.get("d", "d").is_some(), "what is used stays");
        assert_eq!(cache.get("c", "c"), None);
    }
}
