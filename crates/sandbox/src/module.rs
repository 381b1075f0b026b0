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
