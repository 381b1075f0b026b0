//! A line and column in a text.

/// A position in a text. Line and column count from 1; columns are UTF-16 units.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position {
    pub line: u32,
    pub column: u32,
}
