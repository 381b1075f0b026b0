//! Access to module graphs and their cache.

use super::graph_cache::GraphCache;
use super::import_resolver::{Resolved, Target};
use super::module_graph::{ModuleGraph, Required, Sources};
use super::referenced_files::{Referenced, referenced_files};
use tgp_base::error::Error;
use tgp_compile::Callable;
use tgp_vfs::{JailPath, Vfs};

/// Largest source in which function texts are looked up: a guest can request many, and each request parses the source.
const MAX_SHOWN_BYTES: usize = 256 << 10;

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

    /// The source text of the function around a position in a tool's compiled code; none when the code is its source.
    pub fn function_text(
        &self,
        graph: &ModuleGraph,
        path: &str,
        place: (u32, u32),
        wanted: Callable,
    ) -> Option<String> {
        let tool = graph.tool(path).filter(|tool| !tool.compiled.map.is_source())?;
        if tool.source().len() > MAX_SHOWN_BYTES {
            return None;
        }
        let at = tool.compiled.map.lookup(place.0, place.1)?;
        self.sources.compiler.function_text(path, tool.source(), (at.line, at.column), wanted)
    }

    /// The graph of `entry`, rebuilt if a file has changed.
    pub fn graph(&self, entry: JailPath) -> Result<ModuleGraph, Error> {
        self.graphs.get(&self.sources, entry)
    }

    /// The graph of a text without a file, as if it were at `path`.
    pub fn graph_of_code(&self, path: &str, code: &str) -> Result<ModuleGraph, Error> {
        ModuleGraph::build_code(&self.sources, path, code)
    }

    /// The graph of the tests in `text`, the text of the file at `path`, with their driver.
    pub fn graph_of_test(&self, path: &JailPath, text: &str) -> Result<ModuleGraph, Error> {
        ModuleGraph::build_test(&self.sources, path, text)
    }

    /// The files that a text at `path` references; see [`referenced_files`].
    pub fn references(&self, path: &str, text: &str) -> Referenced {
        let Sources { compiler, resolver, files, .. } = &self.sources;
        referenced_files(compiler, resolver, &**files, path, text)
    }

    /// The file of a specifier, with all files that it references.
    pub fn named(&self, importer: &str, specifier: &str) -> Referenced {
        let Ok(leads) = self.sources.resolver.resolve(importer, specifier) else { return Referenced::default() };
        let absent = leads.absent.iter().map(|path| path.as_str().to_owned());
        match leads.resolved {
            Resolved::Found(Target::File(file)) => {
                let text = self.sources.files.read(&file).unwrap_or_default();
                let mut named = self.references(file.as_str(), &text);
                named.files.push(file.as_str().to_owned());
                named
            }
            Resolved::Missing => Referenced { files: Vec::new(), absent: vec![absent.collect()] },
            Resolved::Found(_) | Resolved::Forbidden => Referenced::default(),
        }
    }

    /// The cached graph of `entry`, if it is valid and has few files.
    pub fn graph_quickly(&self, entry: &JailPath) -> Option<ModuleGraph> {
        self.graphs.get_quickly(&*self.sources.files, entry)
    }

    /// Resolves a computed specifier for a run with `graph`.
    pub fn require(&self, graph: &ModuleGraph, importer: &str, specifier: &str) -> Result<Required, Error> {
        graph.require(&self.sources, importer, specifier)
    }
}
