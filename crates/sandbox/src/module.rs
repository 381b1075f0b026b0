//! One module of a run, as it goes to an engine.

use super::packages::PackageId;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// One compiled module of a run.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Module {
    pub path: String,
    pub kind: ModuleKind,
    /// A function body over `exports, require, module, __filename, __dirname`, or JSON.
    pub code: Code,
    /// The module as it was written, where V8 can read that and is to say whether it is one.
    pub original: Option<Arc<str>>,
    /// What each import specifier of this module stands for.
    pub links: Vec<(String, String)>,
}

impl Module {
    /// How much text it brings.
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

/// Where a module's text is.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum Code {
    /// Here.
    Text(Arc<str>),
    /// In a package that the engine keeps.
    Package(PackageId),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ModuleKind {
    /// ECMAScript module syntax, turned into a function body.
    Module,
    /// The same, with top-level `await`: the body returns a promise.
    AsyncModule,
    /// CommonJS, or a body that uses `args` and `return`.
    Script,
    /// The same, with top-level `await`.
    AsyncScript,
    Json,
}

impl ModuleKind {
    /// Every kind, and its name in the scripts of a realm.
    pub const NAMED: [(Self, &'static str); 5] = [
        (Self::Module, "module"),
        (Self::AsyncModule, "asyncModule"),
        (Self::Script, "script"),
        (Self::AsyncScript, "asyncScript"),
        (Self::Json, "json"),
    ];

    /// What stands for the kind in a realm.
    pub(super) fn number(self) -> u32 {
        self as u32
    }
}
