//! The module graph of a run: a tool and all its imports, compiled and linked, before or during the run.

use super::compiled_tools::CompiledTools;
use super::import_resolver::{ImportResolver, Resolved, Target};
use super::near_import::near_import;
use super::packages::Packages;
use super::tool_cache::{CachedTool, ToolCache};
use crate::kernel::look_alike::is_disguised;
use crate::kernel::near_path::with_near_path;
use crate::kernel::tool_paths::TOOLS;
use parking_lot::Mutex;
use std::sync::Arc;
use tgp_base::error::{Error, ErrorCode};
use tgp_base::spelling::did_you_mean;
use tgp_base::text_hash::text_hash;
use tgp_compile::{
    BodyKind, Compiler, Import, ModuleKind as Syntax, RestrictedImport, SyntaxChecker, ToolForm, std_library,
};
use tgp_sandbox::{BUFFER_LINK, Code, FIRST_LINK, Module, ModuleKind, Package};
use tgp_vfs::{Fingerprint, JailPath, Vfs};

/// Most modules of one tool.
pub(super) const MAX_MODULES: usize = 256;

/// The entry module of a test run, which belongs to the standard library.
const TEST_DRIVER: &str = "@tgp/std/test_driver.ts";
/// The driver's import that reports the results.
const TEST_CASES: &str = "./test_cases.js";

/// The sources of modules.
pub struct Sources {
    pub files: Arc<dyn Vfs>,
    pub compiler: Arc<Compiler>,
    pub cache: ToolCache,
    pub resolver: Arc<ImportResolver>,
    pub packages: Packages,
}

/// The modules of one run. Dynamic imports can add more during the run.
pub struct ModuleGraph {
    pub modules: Arc<Vec<Module>>,
    /// The packages that `modules` use.
    pub packages: Vec<Arc<Package>>,
    tools: Mutex<Arc<CompiledTools>>,
    late: Mutex<Vec<String>>,
}

/// The inputs of a graph, for its cache.
pub(super) enum Origin {
    /// Files of the root with fingerprints taken before reading, and missing files that would change the graph.
    Files { read: Vec<(JailPath, Option<Fingerprint>)>, absent: Vec<JailPath> },
    /// Packages too, which are not tracked here.
    Elsewhere,
}

/// The modules for a specifier that a run computed.
pub struct Required {
    pub path: String,
    pub modules: Vec<Module>,
}

impl ModuleGraph {
    /// Reads, compiles and links `entry` and what it imports.
    pub(super) fn build(sources: &Sources, entry: JailPath) -> Result<(Self, Origin), Error> {
        let mut builder = Builder::new(sources, Vec::new());
        builder.add_all(Target::File(entry))?;
        Ok(builder.finish())
    }

    /// Compiles and links a text without a file, as if it were at `path`.
    pub(super) fn build_code(sources: &Sources, path: &str, code: &str) -> Result<Self, Error> {
        let mut builder = Builder::new(sources, vec![path.to_owned()]);
        builder.compile(path, code)?;
        builder.add_open()?;
        Ok(builder.finish().0)
    }

    /// Compiles and links tests with the driver that runs them. What reports the results is loaded first, before tests and
    /// packages can modify built-ins.
    pub(super) fn build_test(sources: &Sources, path: &JailPath, text: &str) -> Result<Self, Error> {
        refuse_disguised(path.as_str())?;
        let mut builder = Builder::new(sources, vec![TEST_DRIVER.to_owned(), path.as_str().to_owned()]);
        builder.compile(TEST_DRIVER, &test_driver(path))?;
        builder.load_first(TEST_CASES);
        builder.compile(path.as_str(), text)?;
        builder.add_open()?;
        Ok(builder.finish().0)
    }

    /// The graph for another run of the same modules, none of which is a package.
    pub(super) fn of(modules: Arc<Vec<Module>>, tools: Arc<CompiledTools>) -> Self {
        Self { modules, packages: Vec::new(), tools: Mutex::new(tools), late: Mutex::default() }
    }

    /// The tools that were compiled so far.
    pub(super) fn compiled(&self) -> Arc<CompiledTools> {
        Arc::clone(&self.tools.lock())
    }

    /// Resolves a specifier that `importer` computed at run time, by the same rules as any import.
    pub fn require(&self, sources: &Sources, importer: &str, specifier: &str) -> Result<Required, Error> {
        let mut known: Vec<String> = self.modules.iter().map(|module| module.path.clone()).collect();
        let mut late = self.late.lock();
        known.extend(late.iter().cloned());
        if !known.iter().any(|path| path == importer) {
            return Err(Error::new(ErrorCode::Validation, "The importing module is not part of this run."));
        }
        let import = Import { specifier: specifier.to_owned(), line: 0, column: 0 };
        let mut builder = Builder::new(sources, known);
        let target = builder.resolve(importer, &import)?;
        let path = target.path().to_owned();
        builder.add_all(target)?;
        late.extend(builder.modules.iter().map(|module| module.path.clone()));
        Arc::make_mut(&mut *self.tools.lock()).extend(builder.tools);
        Ok(Required { path, modules: whole(builder.modules, &builder.packages) })
    }

    /// Every tool that was compiled for the run so far, with its path, without the standard library.
    pub fn tools(&self) -> Vec<(String, Arc<CachedTool>)> {
        let tools = self.tools.lock();
        let own = tools.iter().filter(|(path, _)| !path.starts_with(std_library::NAME));
        own.map(|(path, tool)| (path.clone(), Arc::clone(tool))).collect()
    }

    /// The text of a module that runs, if it is a file of the root.
    pub fn text(&self, path: &str) -> Option<String> {
        let tool = self.tool(path).map(|tool| tool.source().to_owned());
        tool.or_else(|| {
            let json = self.modules.iter().find(|module| module.path == path && module.kind == ModuleKind::Json)?;
            if let Code::Text(text) = &json.code { Some(text.to_string()) } else { None }
        })
    }

    /// Whether a module of this run, also a dynamically imported one, is a file of the root.
    pub fn is_file(&self, path: &str) -> bool {
        let is_own = self.tool(path).is_some() && !path.starts_with(std_library::NAME);
        is_own || path.ends_with(".json")
    }

    /// The files of the root in this run, including the tool itself, sorted.
    pub fn files(&self) -> Vec<String> {
        let json = self.modules.iter().filter(|module| module.kind == ModuleKind::Json);
        let mut files: Vec<String> = json.map(|module| module.path.clone()).collect();
        files.extend(self.tools().into_iter().map(|(path, _)| path));
        files.sort_unstable();
        files.dedup();
        files
    }

    /// A hash of the texts of the tool and of all its imports, packages included.
    pub fn text_hash(&self) -> String {
        let hashed = || {
            let mut all = String::new();
            for path in self.files() {
                let hash = text_hash(self.text(&path).unwrap_or_default().as_bytes());
                all.extend([path.as_str(), "\0", &hash, "\n"]);
            }
            let mut packages: Vec<String> = self.packages.iter().map(|package| package.id().to_string()).collect();
            packages.sort_unstable();
            all.extend(packages.iter().flat_map(|id| ["\0", id.as_str(), "\n"]));
            text_hash(all.as_bytes())
        };
        self.compiled().text_hash(hashed).to_owned()
    }

    /// Whether the source of any tool in the graph contains the whole word `word`.
    pub fn spells(&self, word: &str) -> bool {
        let tools = Arc::clone(&self.tools.lock());
        let mut own = tools.iter().filter(|(path, _)| !path.starts_with(std_library::NAME));
        own.any(|(_, tool)| tool.spells(word))
    }

    /// A module's compiled form, by the path that stack frames name.
    pub fn tool(&self, path: &str) -> Option<Arc<CachedTool>> {
        self.tools.lock().get(path).map(Arc::clone)
    }
}

struct Builder<'a> {
    sources: &'a Sources,
    /// Paths that are already in the graph.
    known: Vec<String>,
    modules: Vec<Module>,
    packages: Vec<Arc<Package>>,
    tools: CompiledTools,
    open: Vec<Target>,
    origin: Origin,
}

impl<'a> Builder<'a> {
    fn new(sources: &'a Sources, known: Vec<String>) -> Self {
        let origin = Origin::Files { read: Vec::new(), absent: Vec::new() };
        let (modules, packages) = (Vec::new(), Vec::new());
        Self { sources, known, modules, packages, tools: CompiledTools::default(), open: Vec::new(), origin }
    }

    fn add_all(&mut self, first: Target) -> Result<(), Error> {
        self.open.push(first);
        self.add_open()
    }

    fn finish(self) -> (ModuleGraph, Origin) {
        let graph = ModuleGraph::of(Arc::new(self.modules), Arc::new(self.tools));
        (ModuleGraph { packages: self.packages, ..graph }, self.origin)
    }

    fn add_open(&mut self) -> Result<(), Error> {
        while let Some(target) = self.open.pop() {
            self.add(&target)?;
        }
        Ok(())
    }

    fn add(&mut self, target: &Target) -> Result<(), Error> {
        let path = target.path();
        if self.known.iter().any(|known| known == path) {
            return Ok(());
        }
        if self.known.len() >= MAX_MODULES {
            let message = format!("{path} imports more than {MAX_MODULES} modules. Import less, or merge small files.");
            return Err(Error::new(ErrorCode::Compilation, message).with("path", path));
        }
        self.known.push(path.to_owned());
        match target {
            Target::Package { specifier, path, .. } => {
                self.origin = Origin::Elsewhere;
                let package = self.sources.packages.bundle(specifier)?;
                self.push(path, ModuleKind::Package, Code::Package(package.id()), Vec::new());
                self.packages.push(package);
                Ok(())
            }
            Target::Std { path, source } => self.compile(path, source),
            Target::File(file) => {
                refuse_disguised(path)?;
                if let Origin::Files { read, .. } = &mut self.origin {
                    read.push((file.clone(), self.sources.files.fingerprint(file)?));
                }
                let source = self
                    .sources
                    .files
                    .read(file)
                    .map_err(|error| with_near_path(error.into(), &*self.sources.files))?;
                if file.extension() == Some("json") {
                    check_json(path, &source)?;
                    self.push(path, ModuleKind::Json, Code::Text(source.into()), Vec::new());
                    return Ok(());
                }
                self.compile(path, &source)
            }
        }
    }

    fn compile(&mut self, path: &str, source: &str) -> Result<(), Error> {
        let tool = self.sources.cache.get(&self.sources.compiler, path, source)?;
        let mut links = Vec::new();
        for import in &tool.compiled.imports {
            let target = self.resolve(path, import)?;
            links.push((import.specifier.clone(), target.path().to_owned()));
            self.open.push(target);
        }
        if tool.compiled.names_buffer
            && let Resolved::Found(target) = self.sources.resolver.resolve(path, "node:buffer")?.resolved
        {
            links.push((BUFFER_LINK.to_owned(), target.path().to_owned()));
            self.open.push(target);
        }
        let original = match tool.compiled.checker {
            SyntaxChecker::EngineAsModule => Some(source.into()),
            SyntaxChecker::Parser => None,
        };
        let kind = module_kind(tool.compiled.form);
        let code = Code::Text(tool.compiled.code.as_str().into());
        self.modules.push(Module { path: path.to_owned(), kind, code, original, links });
        self.tools.insert(path.to_owned(), tool);
        Ok(())
    }

    /// Has the module that the newest module imports as `specifier` loaded before all packages.
    fn load_first(&mut self, specifier: &str) {
        let links = self.modules.last_mut().map(|module| &mut module.links);
        let Some(links) = links else { return };
        let first = links.iter().find(|(link, _)| link == specifier).map(|(_, path)| path.clone());
        links.extend(first.map(|path| (FIRST_LINK.to_owned(), path)));
    }

    fn push(&mut self, path: &str, kind: ModuleKind, code: Code, links: Vec<(String, String)>) {
        self.modules.push(Module { path: path.to_owned(), kind, code, original: None, links });
    }

    /// The module of an import.
    fn resolve(&mut self, importer: &str, import: &Import) -> Result<Target, Error> {
        let found = self.sources.resolver.resolve(importer, &import.specifier)?;
        if let Origin::Files { absent, .. } = &mut self.origin {
            absent.extend(found.absent);
        }
        match found.resolved {
            Resolved::Found(target) => Ok(target),
            Resolved::Missing => Err(missing(importer, import, &*self.sources.files)),
            Resolved::Forbidden => {
                Err(forbidden(importer, import, self.sources.resolver.restricted(importer, &import.specifier)))
            }
        }
    }
}

/// The modules with the text of packages inlined, for dynamic imports.
fn whole(mut modules: Vec<Module>, packages: &[Arc<Package>]) -> Vec<Module> {
    for module in &mut modules {
        if let Code::Package(id) = &module.code
            && let Some(package) = packages.iter().find(|package| package.id() == *id)
        {
            module.code = Code::Text(Arc::clone(package.code()));
        }
    }
    modules
}

fn module_kind(form: ToolForm) -> ModuleKind {
    match (form.module, form.body) {
        (Syntax::Module(_), BodyKind::Sync) => ModuleKind::Module,
        (Syntax::Module(_), BodyKind::Async) => ModuleKind::AsyncModule,
        (Syntax::CommonJs | Syntax::Script, BodyKind::Sync) => ModuleKind::Script,
        (Syntax::CommonJs | Syntax::Script, BodyKind::Async) => ModuleKind::AsyncScript,
    }
}

fn test_driver(test: &JailPath) -> String {
    let inside = test.as_str().strip_prefix(TOOLS).unwrap_or_default();
    let specifier = serde_json::Value::from(format!("/lib{inside}"));
    format!("import {{ run }} from '{TEST_CASES}';\nimport {specifier};\nexport default run;\n")
}

/// Refuses to run a file whose name can be mistaken for another, wherever it came from.
fn refuse_disguised(path: &str) -> Result<(), Error> {
    if !is_disguised(path) {
        return Ok(());
    }
    // Escaped, so that the message shows the letters that look like others.
    let shown = path.escape_default();
    let message = format!(
        "Security Violation: '{shown}' was not run, because its name has letters of another script that look like Latin ones, or invisible characters. Use a file with another name, or ask your user to rename this one."
    );
    Err(Error::new(ErrorCode::SecurityViolation, message).with("path", path))
}

fn check_json(path: &str, source: &str) -> Result<(), Error> {
    serde_json::from_str::<serde::de::IgnoredAny>(source).map(drop).map_err(|error| {
        Error::new(ErrorCode::Compilation, format!("{path} is not valid JSON: {error}."))
            .with("path", path)
            .with("line", error.line())
            .with("column", error.column())
    })
}

fn missing(importer: &str, import: &Import, files: &dyn Vfs) -> Error {
    let place = place(importer, import);
    let folder = importer.rsplit_once('/').map_or("", |(folder, _)| folder);
    let near = near_import(importer, &import.specifier, files);
    let near = did_you_mean(near.as_deref());
    let message = format!(
        "{place}: Failed to load module '{}' from '{folder}': the file does not exist.{near} Correct the path, or write that tool first.",
        import.specifier
    );
    placed(Error::new(ErrorCode::Compilation, message), importer, import).with("missing", import.specifier.as_str())
}

fn forbidden(importer: &str, import: &Import, restricted: RestrictedImport) -> Error {
    let RestrictedImport { message, help } = restricted;
    let message = format!("Security Violation: {}: {message}. {help}", place(importer, import));
    placed(Error::new(ErrorCode::SecurityViolation, message), importer, import)
}

fn place(importer: &str, import: &Import) -> String {
    if import.line == 0 { importer.to_owned() } else { format!("{importer}:{}:{}", import.line, import.column) }
}

/// Adds the position of the import to an error.
fn placed(error: Error, importer: &str, import: &Import) -> Error {
    let error = error.with("path", importer);
    if import.line == 0 { error } else { error.with("line", import.line).with("column", import.column) }
}
