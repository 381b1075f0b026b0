//! Modules of a run: import resolution, compiled tools, packages and their bytecode.

mod bytecode_files;
mod compiled_tools;
mod graph_cache;
mod import_resolver;
mod module_graph;
#[expect(clippy::module_inception, reason = "the file is named for its main item")]
mod modules;
mod near_import;
mod packages;
mod referenced_files;
mod relink;
mod tool_cache;

pub use bytecode_files::BytecodeFiles;
pub use import_resolver::{AllowedPackages, ImportResolver, Resolved, Target};
pub use module_graph::{ModuleGraph, Sources};
pub use modules::Modules;
pub use packages::Packages;
pub use referenced_files::{Referenced, referenced_files};
pub use relink::{Dependents, Importer, Relink};
pub(super) use tgp_compile::std_library;
pub use tool_cache::{CachedTool, ToolCache};

#[cfg(test)]
pub use packages::Bundled;
