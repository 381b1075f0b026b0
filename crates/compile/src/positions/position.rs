//! Where something stands in a text.

/// A place in a text; line and column count from 1, columns in UTF-16 units.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position {
    pub line: u32,
    pub column: u32,
}
