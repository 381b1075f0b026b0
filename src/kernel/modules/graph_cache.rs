//! A cache of module graphs, valid while the fingerprints of their files are unchanged.

use super::compiled_tools::CompiledTools;
use super::module_graph::{ModuleGraph, Origin, Sources};
use crate::kernel::bounded_cache::BoundedCache;
use std::sync::Arc;
use tgp_base::error::Error;
use tgp_sandbox::Module;
use tgp_vfs::{Fingerprint, JailPath, Vfs};

/// Most cached graphs.
const MAX_GRAPHS: usize = 1024;
/// Most files whose fingerprints are compared on the caller's thread.
const QUICK: usize = 16;

pub struct GraphCache(BoundedCache<JailPath, Arc<Prepared>>);

impl Default for GraphCache {
    fn default() -> Self {
        Self(BoundedCache::new(MAX_GRAPHS))
    }
}

/// The modules of a tool, and the files that they depend on.
struct Prepared {
    modules: Arc<Vec<Module>>,
    tools: Arc<CompiledTools>,
    read: Vec<(JailPath, Fingerprint)>,
    absent: Vec<JailPath>,
}

impl GraphCache {
    /// The graph of `entry`, rebuilt if a file has changed.
    pub fn get(&self, sources: &Sources, entry: JailPath) -> Result<ModuleGraph, Error> {
        if let Some(graph) = self.recall(&*sources.files, &entry, usize::MAX) {
            return Ok(graph);
        }
        let (graph, origin) = ModuleGraph::build(sources, entry.clone())?;
        match Prepared::new(&graph, origin) {
            Some(prepared) => drop(self.0.put(entry, Arc::new(prepared))),
            None => self.0.remove(&entry),
        }
        Ok(graph)
    }

    /// The cached graph of `entry`, if it is valid and has few files.
    pub fn get_quickly(&self, vfs: &dyn Vfs, entry: &JailPath) -> Option<ModuleGraph> {
        self.recall(vfs, entry, QUICK)
    }

    fn recall(&self, vfs: &dyn Vfs, entry: &JailPath, most: usize) -> Option<ModuleGraph> {
        let known = self.0.get(entry)?;
        (known.file_count() <= most && known.is_fresh(vfs))
            .then(|| ModuleGraph::of(Arc::clone(&known.modules), Arc::clone(&known.tools)))
    }
}

impl Prepared {
    /// `None` for a graph whose freshness fingerprints cannot prove.
    fn new(graph: &ModuleGraph, origin: Origin) -> Option<Self> {
        let Origin::Files { read, absent } = origin else { return None };
        let read = read.into_iter().map(|(path, fingerprint)| Some((path, fingerprint?))).collect::<Option<_>>()?;
        Some(Self { modules: Arc::clone(&graph.modules), tools: graph.compiled(), read, absent })
    }

    fn file_count(&self) -> usize {
        self.read.len() + self.absent.len()
    }

    fn is_fresh(&self, vfs: &dyn Vfs) -> bool {
        self.read.iter().all(|(path, known)| vfs.fingerprint(path).is_ok_and(|now| now == Some(*known)))
            && self.absent.iter().all(|path| vfs.exists(path).is_ok_and(|exists| !exists))
    }
}
