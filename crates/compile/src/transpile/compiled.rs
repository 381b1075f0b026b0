//! The output of the transpiler.

use crate::imports::import::Import;
use crate::parse::tool_form::ToolForm;
use crate::positions::covered_lines::{CoveredLines, covered_lines};
use crate::positions::position_map::PositionMap;

/// A compiled source.
#[derive(Debug, Clone)]
pub struct Compiled {
    /// Body of a function with the parameters `(exports, require, module, __filename, __dirname)`.
    pub code: String,
    pub map: PositionMap,
    /// Run-time imports in source order, without type-only imports.
    pub imports: Vec<Import>,
    /// Whether it names the global `Buffer`, which is a parameter of the body if the tool may import `node:buffer`.
    pub names_buffer: bool,
    pub form: ToolForm,
    /// What checks the source for early errors.
    pub checker: SyntaxChecker,
}

impl Compiled {
    /// Line coverage of the source. `ranges` are ranges of `code` as (start, end, whether it ran), in UTF-16 units.
    #[must_use]
    pub fn covered_lines(&self, source: &str, ranges: &[(u32, u32, bool)]) -> CoveredLines {
        covered_lines(&self.code, source, &self.map, ranges)
    }
}

/// The checker of early errors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SyntaxChecker {
    /// The parser. Errors that it misses are found by V8, if they are still present in `code`.
    Parser,
    /// V8, which can parse the source as a module and finds more errors than the parser.
    EngineAsModule,
}
