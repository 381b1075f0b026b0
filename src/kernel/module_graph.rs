//! A tool and everything it imports, compiled and linked before the run.

use super::tool_cache::{CachedTool, ToolCache};
use super::write_rules::TOOLS;
use crate::compile::{BodyKind, Compiler, Import, ModuleKind as Syntax, PositionMap, ToolForm};
use crate::error::{Error, ErrorCode};
use crate::sandbox::{Module, ModuleKind};
use crate::vfs::{JailPath, Vfs};
use std::collections::HashMap;
use std::sync::Arc;

/// Modules that one tool may pull in.
const MOST_MODULES: usize = 256;
/// What may stand at the end of an import that names no extension, in this order.
pub(super) const ENDINGS: [&str; 13] = [
    "",
    ".ts",
    ".mts",
    ".cts",
    ".js",
    ".mjs",
    ".cjs",
    ".json",
    "/index.ts",
    "/index.mts",
    "/index.js",
    "/index.mjs",
    "/index.cjs",
];

pub struct ModuleGraph {
    pub modules: Arc<Vec<Module>>,
    tools: HashMap<String, Arc<CachedTool>>,
}

impl ModuleGraph {
    /// Reads, compiles and links `entry` and what it imports.
    pub fn build(vfs: &impl Vfs, compiler: &Compiler, cache: &ToolCache, entry: &JailPath) -> Result<Self, Error> {
        let mut builder = Builder { vfs, modules: Vec::new(), tools: HashMap::new(), open: vec![entry.clone()] };
        while let Some(path) = builder.open.pop() {
            builder.add(compiler, cache, &path)?;
        }
        Ok(Self { modules: Arc::new(builder.modules), tools: builder.tools })
    }

    /// Every module that was compiled, with its path.
    pub fn tools(&self) -> impl Iterator<Item = (&str, &CachedTool)> {
        self.tools.iter().map(|(path, tool)| (path.as_str(), &**tool))
    }

    /// Positions of a module's source, by the path that stack frames name.
    pub fn map_of(&self, path: &str) -> Option<&PositionMap> {
        self.tools.get(path).map(|tool| &tool.compiled.map)
    }
}

struct Builder<'a, V> {
    vfs: &'a V,
    modules: Vec<Module>,
    tools: HashMap<String, Arc<CachedTool>>,
    open: Vec<JailPath>,
}

impl<V: Vfs> Builder<'_, V> {
    fn add(&mut self, compiler: &Compiler, cache: &ToolCache, path: &JailPath) -> Result<(), Error> {
        if self.modules.iter().any(|module| module.path == path.as_str()) {
            return Ok(());
        }
        if self.modules.len() >= MOST_MODULES {
            let message = format!(
                "{} pulls in more than {MOST_MODULES} modules. Import less, or merge small files.",
                path.as_str()
            );
            return Err(Error::new(ErrorCode::Compilation, message).with("path", path.as_str()));
        }
        let source = self.vfs.read(path)?;
        if path.extension() == Some("json") {
            check_json(path, &source)?;
            self.push(path, ModuleKind::Json, source, Vec::new());
            return Ok(());
        }
        let tool = cache.get(compiler, path.as_str(), &source)?;
        let mut links = Vec::new();
        for import in &tool.compiled.imports {
            let target = self.resolve(path, import)?;
            links.push((import.specifier.clone(), target.as_str().to_owned()));
            self.open.push(target);
        }
        self.push(path, module_kind(tool.compiled.form), tool.compiled.code.clone(), links);
        self.tools.insert(path.as_str().to_owned(), tool);
        Ok(())
    }

    fn push(&mut self, path: &JailPath, kind: ModuleKind, code: String, links: Vec<(String, String)>) {
        self.modules.push(Module { path: path.as_str().to_owned(), kind, code, links });
    }

    /// The file that an import means.
    fn resolve(&self, importer: &JailPath, import: &Import) -> Result<JailPath, Error> {
        let base = target_of(importer, &import.specifier).ok_or_else(|| refused(importer, import))?;
        for ending in ENDINGS {
            let Ok(candidate) = JailPath::parse(&format!("{base}{ending}")) else { continue };
            if self.vfs.exists(&candidate)? {
                return Ok(candidate);
            }
        }
        let message = format!(
            "{}:{}:{}: cannot find '{}'. Write that tool first, or correct the path.",
            importer.as_str(),
            import.line,
            import.column,
            import.specifier
        );
        Err(placed(Error::new(ErrorCode::Compilation, message), importer, import))
    }
}

fn module_kind(form: ToolForm) -> ModuleKind {
    match (form.module, form.body) {
        (Syntax::Module(_), BodyKind::Sync) => ModuleKind::Module,
        (Syntax::Module(_), BodyKind::Async) => ModuleKind::AsyncModule,
        (Syntax::CommonJs | Syntax::Script, BodyKind::Sync) => ModuleKind::Script,
        (Syntax::CommonJs | Syntax::Script, BodyKind::Async) => ModuleKind::AsyncScript,
    }
}

fn check_json(path: &JailPath, source: &str) -> Result<(), Error> {
    serde_json::from_str::<serde::de::IgnoredAny>(source).map(drop).map_err(|error| {
        Error::new(ErrorCode::Compilation, format!("{} is not valid JSON: {error}.", path.as_str()))
            .with("path", path.as_str())
            .with("line", error.line())
            .with("column", error.column())
    })
}

/// The path that a specifier stands for, before endings are tried; `None` when it is outside what tools may import.
pub(super) fn target_of(importer: &JailPath, specifier: &str) -> Option<String> {
    if let Some(rest) = specifier.strip_prefix("/lib/") {
        return normal(TOOLS, rest);
    }
    if specifier == "." || specifier == ".." || specifier.starts_with("./") || specifier.starts_with("../") {
        let folder = importer.parent().map(|parent| parent.as_str().to_owned()).unwrap_or_default();
        return normal(&folder, specifier);
    }
    None
}

/// `relative` seen from `folder`; `None` when it leaves the root.
fn normal(folder: &str, relative: &str) -> Option<String> {
    let mut segments: Vec<&str> = folder.split('/').filter(|segment| !segment.is_empty()).collect();
    for segment in relative.split('/') {
        match segment {
            "" | "." => {}
            ".." => {
                segments.pop()?;
            }
            name => segments.push(name),
        }
    }
    Some(segments.join("/"))
}

fn refused(importer: &JailPath, import: &Import) -> Error {
    let message = format!(
        "Security Violation: {}:{}:{}: '{}' may not be imported. Allowed are other tools, by a relative path ('./lib/x') or from '/lib/…'.",
        importer.as_str(),
        import.line,
        import.column,
        import.specifier
    );
    placed(Error::new(ErrorCode::SecurityViolation, message), importer, import)
}

fn placed(error: Error, importer: &JailPath, import: &Import) -> Error {
    error.with("path", importer.as_str()).with("line", import.line).with("column", import.column)
}

#[cfg(test)]
mod tests {
    use super::target_of;
    use crate::vfs::JailPath;

    #[test]
    fn specifiers_stay_inside_the_root() {
        let importer = JailPath::parse("tools/a/b.ts").unwrap();
        let target = |specifier: &str| target_of(&importer, specifier);
        assert_eq!(target("./c").as_deref(), Some("tools/a/c"));
        assert_eq!(target("../lib/c.ts").as_deref(), Some("tools/lib/c.ts"));
        assert_eq!(target("/lib/x/y").as_deref(), Some("tools/x/y"));
        assert_eq!(target("../../data.json").as_deref(), Some("data.json"));
        assert_eq!(target("."), Some("tools/a".to_owned()));
        for outside in ["../../../etc/passwd", "/lib/../../x", "fs", "node:fs", "/etc/passwd", "file:///x", ""] {
            assert_eq!(target(outside), None, "{outside}");
        }
    }
}
