//! What the transpiler makes.

use crate::compile::imports::import::Import;
use crate::compile::parse::tool_form::ToolForm;
use crate::compile::positions::position_map::PositionMap;

/// A source that can be run.
#[derive(Debug, Clone)]
pub struct Compiled {
    /// Body of a function with the parameters `(exports, require, module, __filename, __dirname)`.
    pub code: String,
    pub map: PositionMap,
    /// In the order of the source; names that only types needed are not among them.
    pub imports: Vec<Import>,
    pub form: ToolForm,
    /// Who says whether the source is a program at all.
    pub judge: Judge,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Judge {
    /// The parser has. What it lets pass is found out by V8, as far as `code` still shows it.
    Parser,
    /// V8 can read the source as a module, and knows better.
    EngineAsModule,
}
