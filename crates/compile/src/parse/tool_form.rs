//! How the sandbox has to run a compiled body.

/// What a body is, decided from its syntax.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ToolForm {
    pub module: ModuleKind,
    pub body: BodyKind,
}

/// Where the result of a file is to be looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModuleKind {
    /// `import`/`export` syntax: `exports` is marked `__esModule` and the result is `exports.default`.
    Module(DefaultExport),
    /// Mentions `module`, `exports`, or says `export =`: the result is `module.exports`.
    CommonJs,
    /// Neither, or imports alone: the result is what the body returns, or else its last expression.
    Script,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DefaultExport {
    Present,
    Absent,
}

/// What calling the body gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BodyKind {
    /// The body has run when the call returns.
    Sync,
    /// The call returns a promise (the source has a top-level `await`); `exports` is filled when it resolves.
    Async,
}
