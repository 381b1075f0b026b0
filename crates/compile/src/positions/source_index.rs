//! Conversion between byte offsets and lines and columns of a source.

use swc_core::common::BytePos;

/// Bytes between two stored UTF-16 counts: the maximum number of steps to compute a column.
const BLOCK: usize = 128;

/// An index of the lines of a source. Lines end as in ECMAScript: LF, CR, CRLF, LS and PS. Columns count UTF-16 units.
#[derive(Debug)]
pub(crate) struct SourceIndex<'a> {
    source: &'a str,
    /// Offset of the first byte of each line.
    line_starts: Vec<u32>,
    /// UTF-16 units before each block; empty for pure ASCII, where units are bytes.
    units: Vec<u32>,
}

impl<'a> SourceIndex<'a> {
    /// The source must be shorter than 4 GiB, which [`MAX_SOURCE_BYTES`](crate::MAX_SOURCE_BYTES) ensures.
    pub(crate) fn new(source: &'a str) -> Self {
        let bytes = source.as_bytes();
        let mut line_starts = vec![0];
        let mut rest = bytes.iter().enumerate().peekable();
        while let Some((at, byte)) = rest.next() {
            let end = match byte {
                b'\n' => at + 1,
                b'\r' => rest.next_if(|(_, next)| **next == b'\n').map_or(at, |(lf, _)| lf) + 1,
                0xE2 if matches!(bytes.get(at + 1..at + 3), Some([0x80, 0xA8 | 0xA9])) => at + 3,
                _ => continue,
            };
            line_starts.push(narrow(end));
        }
        let mut units = Vec::new();
        if !source.is_ascii() {
            let mut total = 0;
            for block in bytes.chunks(BLOCK) {
                units.push(total);
                total += utf16_units(block);
            }
        }
        Self { source, line_starts, units }
    }

    pub(crate) fn position(&self, at: BytePos) -> Position {
        let offset = at.0.saturating_sub(FIRST_POS.0).min(narrow(self.source.len()));
        let line = self.line_starts.partition_point(|start| *start <= offset);
        let start = line.checked_sub(1).and_then(|index| self.line_starts.get(index)).copied().unwrap_or(0);
        Position { line: narrow(line), column: self.units_before(offset) - self.units_before(start) + 1 }
    }

    /// The byte position of a line and column; `None` if the line does not exist or is shorter.
    pub(crate) fn place(&self, at: Position) -> Option<BytePos> {
        let line = (at.line as usize).checked_sub(1)?;
        let start = *self.line_starts.get(line)? as usize;
        let end = self.line_starts.get(line + 1).map_or(self.source.len(), |end| *end as usize);
        let mut units = at.column.checked_sub(1)?;
        for (offset, char) in self.source.get(start..end)?.char_indices() {
            if units == 0 {
                return Some(BytePos(FIRST_POS.0 + narrow(start + offset)));
            }
            units = units.saturating_sub(char.len_utf16() as u32);
        }
        (units == 0).then(|| BytePos(FIRST_POS.0 + narrow(end)))
    }

    pub(crate) fn lines(&self) -> u32 {
        narrow(self.line_starts.len())
    }

    pub(crate) fn contains(&self, at: BytePos) -> bool {
        at >= FIRST_POS && at.0 - FIRST_POS.0 <= narrow(self.source.len())
    }

    fn units_before(&self, offset: u32) -> u32 {
        let offset = offset as usize;
        let block = offset / BLOCK;
        match self.units.get(block) {
            Some(units) => units + utf16_units(self.source.as_bytes().get(block * BLOCK..offset).unwrap_or_default()),
            // Either pure ASCII, or the end of a source that fills its last block.
            None => match self.units.last() {
                None => narrow(offset),
                Some(units) => {
                    let last = (self.units.len() - 1) * BLOCK;
                    units + utf16_units(self.source.as_bytes().get(last..offset).unwrap_or_default())
                }
            },
        }
    }
}

/// swc reserves position 0 for synthesised nodes, so the first byte of a source is 1.
pub(crate) const FIRST_POS: BytePos = BytePos(1);

fn utf16_units(bytes: &[u8]) -> u32 {
    bytes.iter().map(|byte| u32::from(byte & 0xC0 != 0x80) + u32::from(*byte >= 0xF0)).sum()
}

fn narrow(value: usize) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}

/// A position in a text. Line and column count from 1; columns are UTF-16 units.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position {
    pub line: u32,
    pub column: u32,
}

#[cfg(test)]
mod tests {
    use super::{FIRST_POS, SourceIndex};
    use swc_core::common::BytePos;

    /// A simple, slow reference implementation.
    fn expected(source: &str, offset: usize) -> (u32, u32) {
        let (before, after) = source.split_at(offset);
        let mut line = 1;
        let mut column = 1;
        let mut chars = before.chars().peekable();
        while let Some(char) = chars.next() {
            let next = chars.peek().copied().or_else(|| after.chars().next());
            let ends_line = matches!(char, '\n' | '\r' | '\u{2028}' | '\u{2029}') && (char, next) != ('\r', Some('\n'));
            if ends_line {
                line += 1;
                column = 1;
            } else {
                column += char.len_utf16() as u32;
            }
        }
        (line, column)
    }

    #[test]
    fn agrees_with_the_reference_implementation_at_every_character() {
        let long = format!("let s = '{}'; f(\"😀\")", "é😀a".repeat(200));
        for source in [
            "",
            "a",
            "a\nb",
            "a\r\nb\rc\n",
            "x\u{2028}y\u{2029}z",
            "let é = '😀';\n  bar()",
            "😀\r\n😀",
            &long,
            &"a".repeat(256),
            &"é".repeat(128),
        ] {
            let index = SourceIndex::new(source);
            for offset in (0..=source.len()).filter(|offset| source.is_char_boundary(*offset)) {
                let position = index.position(BytePos(FIRST_POS.0 + offset as u32));
                assert_eq!((position.line, position.column), expected(source, offset), "{source:?} at {offset}");
            }
        }
    }

    #[test]
    fn a_position_outside_the_source_is_clamped() {
        let index = SourceIndex::new("ab\nc");
        let place = |at| {
            let position = index.position(BytePos(at));
            (position.line, position.column)
        };
        assert_eq!(place(0), (1, 1));
        assert_eq!(place(u32::MAX), (2, 2));
    }
}
