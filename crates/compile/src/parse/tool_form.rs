//! The form of a compiled body, which determines how the sandbox runs it.

/// The module kind and body kind of a source, determined from its syntax.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ToolForm {
    pub module: ModuleKind,
    pub body: BodyKind,
}

/// Where the result of a file is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModuleKind {
    /// `import`/`export` syntax: `exports` is marked `__esModule` and the result is `exports.default`.
    Module(DefaultExport),
    /// Uses `module`, `exports` or `export =`: the result is `module.exports`.
    CommonJs,
    /// Neither, or only imports: the result is the returned value or, without `return`, the last expression.
    Script,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DefaultExport {
    Present,
    Absent,
}

/// Whether the body is synchronous.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BodyKind {
    /// The body has run when the call returns.
    Sync,
    /// The call returns a promise (the source has a top-level `await`); `exports` is filled when it resolves.
    Async,
}
