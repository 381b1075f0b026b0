//! What a worker keeps from run to run: packages that the host has sent, and bytecode of modules that ran before.
//!
//! The worker's own bytecode stays in it. V8 trusts such data blindly, so a worker that a guest has taken over could hand
//! its rights to every other worker through it. What comes with a package was made by an engine that ran nothing.

use crate::packages::{PackageId, Parcel};
use crate::weighed_cache::WeighedCache;
use std::collections::HashMap;
use std::sync::Arc;

/// Smaller modules are parsed as quickly as their bytecode is read.
const MIN_BYTES: usize = 2 << 10;
/// Bytecode kept at one time.
const MAX_BYTES: usize = 16 << 20;
/// Text of judged sources that is remembered at one time.
const MAX_JUDGED_BYTES: usize = 1 << 20;

/// Bytecode by path, valid for exactly the text it was made from.
pub struct CodeCache {
    entries: WeighedCache<String, Entry>,
    /// Functions of the run under way whose bytecode is not kept yet.
    fresh: Vec<(String, Arc<str>, v8::Global<v8::Function>)>,
    /// Sources in which V8 has found nothing wrong.
    judged: WeighedCache<String, Arc<str>>,
    /// The host sees to it that they do not become too many.
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
    /// The bytecode of `code`, if it was kept.
    pub fn get(&self, path: &str, code: &str) -> Option<&[u8]> {
        self.entries.peek(path).filter(|entry| *entry.code == *code).map(|entry| entry.data.as_slice())
    }

    /// Notes that the bytecode of a module was used: what is not used goes first.
    pub fn note_use(&mut self, path: &str) {
        self.entries.get(path);
    }

    /// Whether V8 has read this very source before and found nothing wrong.
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

    /// Notes a function that was just made of `code`, to be kept once it has run and V8 knows what it needs of it.
    pub fn note(&mut self, path: &str, code: Arc<str>, function: v8::Global<v8::Function>) {
        if code.len() >= MIN_BYTES {
            self.fresh.push((path.to_owned(), code, function));
        }
    }

    /// Keeps the bytecode of what the run compiled. Called when the run is over and nobody waits.
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

    /// Lets go of all bytecode that was made here.
    pub fn forget_bytecode(&mut self) {
        self.entries = WeighedCache::new(MAX_BYTES);
    }

    /// Lets go of the functions of a run that is over.
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
    fn bytecode_is_for_one_text_and_never_more_than_may_be_kept() {
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
