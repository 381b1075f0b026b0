//! A module of a run, as sent to an engine.

use super::packages::PackageId;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A compiled module of a run.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Module {
    pub path: String,
    pub kind: ModuleKind,
    /// A function body over `exports, require, module, __filename, __dirname`, or JSON.
    pub code: Code,
    /// The original text of the module, if V8 can parse it and should check its syntax.
    pub original: Option<Arc<str>>,
    /// Import specifiers of this module and the paths that they resolve to.
    pub links: Vec<(String, String)>,
}

impl Module {
    /// Size of the text in it.
    pub(super) fn text_bytes(&self) -> usize {
        let code = match &self.code {
            Code::Text(text) => text.len(),
            Code::Package(_) => 0,
        };
        let original = self.original.as_ref().map_or(0, |text| text.len());
        let links: usize = self.links.iter().map(|(specifier, path)| specifier.len() + path.len()).sum();
        self.path.len() + code + original + links
    }
}

/// The link of a module that names the global `Buffer`: its target exports it.
pub const BUFFER_LINK: &str = "#Buffer";

/// The link of an entry that names a module to load before all packages: they must not change built-ins that it takes.
pub const FIRST_LINK: &str = "#First";

/// The modules to load before the first line of the tool, in this order: that of [`FIRST_LINK`], and the packages that modules
/// name, as an evaluation in the order of their imports meets them.
pub(crate) fn preloads<'a>(modules: &'a [Module], entry: &str) -> Vec<&'a str> {
    if modules.iter().all(|module| module.kind != ModuleKind::Package) {
        return Vec::new();
    }
    let at = |path: &str| modules.iter().find(|module| module.path == path);
    let mut open: Vec<&Module> = at(entry).into_iter().collect();
    let mut met: Vec<&str> = Vec::new();
    let first = open.iter().flat_map(|module| &module.links).find(|(link, _)| link == FIRST_LINK);
    let mut preloads: Vec<&str> = first.map(|(_, path)| path.as_str()).into_iter().collect();
    while let Some(module) = open.pop() {
        if met.contains(&module.path.as_str()) {
            continue;
        }
        met.push(&module.path);
        if module.kind == ModuleKind::Package {
            preloads.push(&module.path);
        }
        open.extend(module.links.iter().rev().filter_map(|(_, path)| at(path)));
    }
    preloads
}

/// The text of a module.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum Code {
    /// Inline text.
    Text(Arc<str>),
    /// The text of a package that the engine stores.
    Package(PackageId),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ModuleKind {
    /// An ECMAScript module, compiled to a function body.
    Module,
    /// The same, with top-level `await`: the body returns a promise.
    AsyncModule,
    /// CommonJS, or a body that uses `args` and `return`.
    Script,
    /// The same, with top-level `await`.
    AsyncScript,
    /// The bundle of an installed package: CommonJS whose CPU time is charged apart from the tool's.
    Package,
    Json,
}

impl ModuleKind {
    /// Every kind, and its name in the scripts of a realm.
    pub const NAMED: [(Self, &'static str); 6] = [
        (Self::Module, "module"),
        (Self::AsyncModule, "asyncModule"),
        (Self::Script, "script"),
        (Self::AsyncScript, "asyncScript"),
        (Self::Package, "package"),
        (Self::Json, "json"),
    ];

    /// The number of the kind in a realm.
    pub(super) fn number(self) -> u32 {
        self as u32
    }
}

#[cfg(test)]
mod tests {
    use super::{Code, FIRST_LINK, Module, ModuleKind, preloads};

    fn module(path: &str, kind: ModuleKind, links: &[(&str, &str)]) -> Module {
        let links = links.iter().map(|(link, path)| ((*link).to_owned(), (*path).to_owned())).collect();
        Module { path: path.to_owned(), kind, code: Code::Text("".into()), original: None, links }
    }

    #[test]
    fn packages_are_loaded_in_the_order_of_the_imports() {
        let modules = [
            module("entry", ModuleKind::Module, &[("./a", "a"), ("two", "two"), ("./b", "b"), ("one", "one")]),
            module("b", ModuleKind::Module, &[("three", "three"), ("./a", "a"), ("./entry", "entry")]),
            module("a", ModuleKind::Script, &[("one", "one"), ("./data", "data")]),
            module("data", ModuleKind::Json, &[]),
            module("one", ModuleKind::Package, &[]),
            module("two", ModuleKind::Package, &[]),
            module("three", ModuleKind::Package, &[]),
            module("other", ModuleKind::Package, &[]),
        ];
        assert_eq!(preloads(&modules, "entry"), ["one", "two", "three"]);
        assert_eq!(preloads(&modules, "absent"), [] as [&str; 0]);
    }

    #[test]
    fn the_first_module_is_loaded_before_the_packages() {
        let links = [("one", "one"), ("./first", "first"), (FIRST_LINK, "first")];
        let mut modules = vec![module("entry", ModuleKind::Module, &links), module("first", ModuleKind::Module, &[])];
        assert_eq!(preloads(&modules, "entry"), [] as [&str; 0]);
        modules.push(module("one", ModuleKind::Package, &[]));
        assert_eq!(preloads(&modules, "entry"), ["first", "one"]);
    }
}
