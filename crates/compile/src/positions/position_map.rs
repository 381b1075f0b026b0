//! A source map: positions in the emitted body to positions in the source.
//!
//! It is built once per compile and read only for errors, so it is stored compactly: a few bytes per mapping, decoded line by
//! line.

use swc_core::common::{BytePos, LineCol};

use super::source_index::{Position, SourceIndex};

/// Maps positions reported by V8 to positions in the compiled source.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PositionMap {
    /// The start of each emitted line in `segments`, and one entry for the end.
    lines: Box<[u32]>,
    /// Three variable-length integers per mapping: column, source line and source column, each as the difference to the
    /// previous mapping on the same emitted line.
    segments: Box<[u8]>,
    /// Number of lines of a verbatim text, which is its source with insertions; 0 for any other text.
    source_lines: u32,
    /// The insertions of a verbatim text.
    insertions: Box<[Insertion]>,
}

/// A text of `units` UTF-16 units inserted before a position of the source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Insertion {
    before: Position,
    units: u32,
}

impl PositionMap {
    /// The map of a verbatim text. `insertions` are ordered pairs of a position and the length of the inserted text, in UTF-16
    /// units and without line breaks.
    pub(crate) fn of_insertions(insertions: Vec<(Position, u32)>, source_lines: u32) -> Self {
        let insertions = insertions.into_iter().map(|(before, units)| Insertion { before, units }).collect();
        Self { source_lines, insertions, ..Self::default() }
    }

    /// Whether the text is verbatim: its source, apart from insertions.
    #[must_use]
    pub fn is_source(&self) -> bool {
        self.source_lines > 0
    }

    fn place_between_insertions(&self, line: u32, column: u32) -> Option<Position> {
        if line == 0 || line > self.source_lines {
            return None;
        }
        let mut column = column;
        for inserted in self.insertions.iter().filter(|inserted| inserted.before.line == line) {
            if column >= inserted.before.column {
                column = column.saturating_sub(inserted.units).max(inserted.before.column);
            }
        }
        Some(Position { line, column })
    }

    /// The map of an emitted text. `mappings` are in the order of the text; `first_line_shift` is the length of the prefix
    /// before its first line, in UTF-16 units.
    pub(crate) fn build(mappings: &[(BytePos, LineCol)], index: &SourceIndex<'_>, first_line_shift: u32) -> Self {
        let mut lines: Vec<u32> = Vec::new();
        let mut segments = Vec::with_capacity(mappings.len() * 4);
        let mut previous = Segment::default();
        for (at, emitted) in mappings {
            // Synthesised nodes and swc's markers are outside the source.
            if !index.contains(*at) {
                continue;
            }
            debug_assert!(lines.len() <= emitted.line as usize + 1, "mappings come in the order of the text");
            while lines.len() <= emitted.line as usize {
                lines.push(segments.len().try_into().unwrap_or(u32::MAX));
                previous = Segment::default();
            }
            let source = index.position(*at);
            let shift = if emitted.line == 0 { first_line_shift } else { 0 };
            let segment = Segment { column: emitted.col + shift + 1, source };
            segment.write_after(&previous, &mut segments);
            previous = segment;
        }
        lines.push(segments.len().try_into().unwrap_or(u32::MAX));
        Self { lines: lines.into(), segments: segments.into(), ..Self::default() }
    }

    /// The source position of the last mapping at or before this position on its line. Exact for a verbatim text.
    #[must_use]
    pub fn lookup(&self, line: u32, column: u32) -> Option<Position> {
        if self.is_source() {
            return self.place_between_insertions(line, column);
        }
        let line = usize::try_from(line).ok()?.checked_sub(1)?;
        let start = *self.lines.get(line)? as usize;
        let end = *self.lines.get(line + 1)? as usize;
        let mut rest = self.segments.get(start..end)?;
        let mut segment = Segment::default();
        let mut found = None;
        while !rest.is_empty() {
            segment = segment.read_next(&mut rest)?;
            if segment.column > column {
                break;
            }
            found = Some(segment.source);
        }
        found
    }
}

impl PositionMap {
    /// Calls `note` with line and column in the text and the source line of every mapping. A verbatim text has none.
    pub(crate) fn each(&self, mut note: impl FnMut(u32, u32, u32)) {
        for (number, bounds) in (1..).zip(self.lines.windows(2)) {
            let [start, end] = bounds else { continue };
            let Some(mut rest) = self.segments.get(*start as usize..*end as usize) else { continue };
            let mut segment = Segment::default();
            while !rest.is_empty() {
                let Some(next) = segment.read_next(&mut rest) else { break };
                segment = next;
                note(number, segment.column, segment.source.line);
            }
        }
    }
}

/// Converts mappings from swc's line count to V8's. For V8 a line also ends at LS and PS, which a template literal may contain;
/// swc counts them as characters. Lines and columns of `mappings` count from 0 and are in the order of `text`.
pub(crate) fn count_separators(text: &str, mappings: &mut [(BytePos, LineCol)]) {
    if !text.contains(['\u{2028}', '\u{2029}']) {
        return;
    }
    let mut chars = text.chars().peekable();
    let mut counted = LineCol { line: 0, col: 0 };
    let mut seen = counted;
    for (_, at) in mappings {
        while (counted.line, counted.col) < (at.line, at.col) {
            let Some(char) = chars.next() else { break };
            let width = u32::from(char.len_utf16() == 2) + 1;
            match char {
                '\r' if chars.peek() == Some(&'\n') => {}
                '\n' | '\r' => {
                    counted = LineCol { line: counted.line + 1, col: 0 };
                    seen = LineCol { line: seen.line + 1, col: 0 };
                }
                '\u{2028}' | '\u{2029}' => {
                    counted.col += width;
                    seen = LineCol { line: seen.line + 1, col: 0 };
                }
                _ => {
                    counted.col += width;
                    seen.col += width;
                }
            }
        }
        *at = seen;
    }
}

#[derive(Debug, Clone, Copy)]
struct Segment {
    column: u32,
    source: Position,
}

impl Default for Segment {
    fn default() -> Self {
        Self { column: 0, source: Position { line: 0, column: 0 } }
    }
}

impl Segment {
    fn write_after(&self, previous: &Self, out: &mut Vec<u8>) {
        write_difference(out, previous.column, self.column);
        write_difference(out, previous.source.line, self.source.line);
        write_difference(out, previous.source.column, self.source.column);
    }

    fn read_next(&self, bytes: &mut &[u8]) -> Option<Self> {
        Some(Self {
            column: read_difference(bytes, self.column)?,
            source: Position {
                line: read_difference(bytes, self.source.line)?,
                column: read_difference(bytes, self.source.column)?,
            },
        })
    }
}

/// Writes a signed variable-length integer: little-endian groups of 7 bits, with the sign in the lowest bit.
fn write_difference(out: &mut Vec<u8>, from: u32, to: u32) {
    let difference = i64::from(to) - i64::from(from);
    let mut rest = (difference.unsigned_abs() << 1) | u64::from(difference < 0);
    while rest >= 0x80 {
        out.push(rest.to_le_bytes()[0] | 0x80);
        rest >>= 7;
    }
    out.push(rest.to_le_bytes()[0]);
}

fn read_difference(bytes: &mut &[u8], from: u32) -> Option<u32> {
    let mut value = 0_u64;
    for shift in (0..64).step_by(7) {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u64::from(byte & 0x7F) << shift;
        if byte & 0x80 == 0 {
            let size = i64::try_from(value >> 1).ok()?;
            let difference = if value & 1 == 1 { -size } else { size };
            return u32::try_from(i64::from(from) + difference).ok();
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{Position, PositionMap, read_difference, write_difference};
    use crate::positions::source_index::SourceIndex;
    use swc_core::common::{BytePos, LineCol};

    #[test]
    fn differences_round_trip() {
        for (from, to) in [(0, 0), (0, 63), (0, 64), (5, 4), (100_000, 3), (0, u32::MAX), (u32::MAX, 0)] {
            let mut out = Vec::new();
            write_difference(&mut out, from, to);
            let mut bytes = out.as_slice();
            assert_eq!(read_difference(&mut bytes, from), Some(to));
            assert!(bytes.is_empty());
        }
    }

    #[test]
    fn lookup_finds_the_last_mapping_at_or_before_a_position() {
        let source = "one\ntwo three\nfour";
        let index = SourceIndex::new(source);
        let at = |offset: u32, line, col| (BytePos(offset + 1), LineCol { line, col });
        let map = PositionMap::build(&[at(0, 0, 0), at(8, 0, 10), at(14, 3, 2), at(4, 3, 8)], &index, 5);
        let lookup = |line, column| map.lookup(line, column).map(|found| (found.line, found.column));
        assert_eq!(lookup(1, 5), None);
        assert_eq!(lookup(1, 6), Some((1, 1)));
        assert_eq!(lookup(1, 15), Some((1, 1)));
        assert_eq!(lookup(1, 16), Some((2, 5)));
        assert_eq!(lookup(1, u32::MAX), Some((2, 5)));
        assert_eq!(lookup(2, 1), None);
        assert_eq!(lookup(4, 2), None);
        assert_eq!(lookup(4, 3), Some((3, 1)));
        assert_eq!(lookup(4, 9), Some((2, 1)));
        assert_eq!(lookup(5, 1), None);
        assert_eq!(lookup(0, 1), None);
    }

    #[test]
    fn a_verbatim_text_maps_every_position_exactly() {
        let place = |line, column| Position { line, column };
        // `{` before the first line, `return ` before columns 1 and 12 of the second.
        let map = PositionMap::of_insertions(vec![(place(1, 1), 1), (place(2, 1), 7), (place(2, 12), 7)], 2);
        for (line, column, expected) in [
            (1, 1, Some((1, 1))),
            (1, 2, Some((1, 1))),
            (1, 9, Some((1, 8))),
            (2, 3, Some((2, 1))),
            (2, 8, Some((2, 1))),
            (2, 18, Some((2, 11))),
            (2, 19, Some((2, 12))),
            (2, 26, Some((2, 12))),
            (2, 27, Some((2, 13))),
            (3, 1, None),
            (0, 1, None),
        ] {
            let found = map.lookup(line, column).map(|found| (found.line, found.column));
            assert_eq!(found, expected, "{line}:{column}");
        }
    }

    #[test]
    fn synthesised_nodes_have_no_source_position() {
        let index = SourceIndex::new("ab");
        let marks = [(BytePos(0), LineCol { line: 0, col: 0 }), (BytePos(u32::MAX), LineCol { line: 0, col: 3 })];
        assert_eq!(PositionMap::build(&marks, &index, 0).lookup(1, 4), None::<Position>);
        assert_eq!(PositionMap::default().lookup(1, 1), None);
    }
}
