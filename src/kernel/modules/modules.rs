//! Tools with everything that they import, compiled and linked.

use super::graph_cache::GraphCache;
use super::module_graph::{ModuleGraph, Required, Sources};
use crate::error::Error;
use crate::vfs::{JailPath, Vfs};

/// Owns the compiled tools, their graphs and the bundles of packages.
pub struct Modules {
    sources: Sources,
    graphs: GraphCache,
}

impl Modules {
    pub fn new(sources: Sources) -> Self {
        Self { sources, graphs: GraphCache::default() }
    }

    /// The files of the root.
    pub fn files(&self) -> &dyn Vfs {
        &*self.sources.files
    }

    /// The graph of `entry`, built anew when a file has changed since.
    pub fn graph(&self, entry: JailPath) -> Result<ModuleGraph, Error> {
        self.graphs.get(&self.sources, entry)
    }

    /// The graph of a text that is in no file, as if it were at `path`.
    pub fn graph_of_code(&self, path: &str, code: &str) -> Result<ModuleGraph, Error> {
        ModuleGraph::build_code(&self.sources, path, code)
    }

    /// The graph of `entry` if it is known and true, and a few looks are enough to tell.
    pub fn graph_quickly(&self, entry: &JailPath) -> Option<ModuleGraph> {
        self.graphs.get_quickly(&*self.sources.files, entry)
    }

    /// What a run that has `graph` gets for a name that its source does not spell out.
    pub fn require(&self, graph: &ModuleGraph, importer: &str, specifier: &str) -> Result<Required, Error> {
        graph.require(&self.sources, importer, specifier)
    }
}
