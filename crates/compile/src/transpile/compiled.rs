//! What the transpiler makes.

use crate::imports::import::Import;
use crate::parse::tool_form::ToolForm;
use crate::positions::covered_lines::{CoveredLines, covered_lines};
use crate::positions::position_map::PositionMap;

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

impl Compiled {
    /// Which lines of the source ran. `ranges` are parts of `code`, from and to in UTF-16 units, and whether each ran.
    #[must_use]
    pub fn covered_lines(&self, source: &str, ranges: &[(u32, u32, bool)]) -> CoveredLines {
        covered_lines(&self.code, source, &self.map, ranges)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Judge {
    /// The parser has. What it lets pass is found out by V8, as far as `code` still shows it.
    Parser,
    /// V8 can read the source as a module, and knows better.
    EngineAsModule,
}
