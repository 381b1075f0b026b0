//! Line coverage of a source, computed from coverage ranges of its compiled text.

use std::collections::BTreeMap;

use super::position_map::PositionMap;

/// Coverage of the executable lines of a source.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CoveredLines {
    pub covered: usize,
    pub total: usize,
    pub uncovered: Vec<u32>,
}

/// `ranges` are ranges of the compiled text as (start, end, whether it ran), in UTF-16 units. The smallest range around a
/// position decides.
pub(crate) fn covered_lines(text: &str, source: &str, map: &PositionMap, ranges: &[(u32, u32, bool)]) -> CoveredLines {
    let starts = line_starts(text);
    let mut lines: BTreeMap<u32, bool> = BTreeMap::new();
    let mut note = |line: u32, column: u32, of: u32| {
        let start = usize::try_from(line).ok().and_then(|line| starts.get(line.checked_sub(1)?));
        let Some(at) = start.map(|start| start + column.saturating_sub(1)) else { return };
        let around = ranges.iter().filter(|(from, to, _)| (*from..*to).contains(&at));
        let ran = around.min_by_key(|(from, to, _)| to - from).is_some_and(|(_, _, ran)| *ran);
        *lines.entry(of).or_default() |= ran;
    };
    if map.is_source() {
        for (line, text) in (1..).zip(source.lines()) {
            let code = text.trim_start();
            if !code.is_empty() && !["//", "/*", "*", "}", ")"].iter().any(|start| code.starts_with(start)) {
                let column = text.encode_utf16().count() - code.encode_utf16().count() + 1;
                note(line, u32::try_from(column).unwrap_or(u32::MAX), line);
            }
        }
    } else {
        map.each(note);
    }
    let uncovered: Vec<u32> = lines.iter().filter(|(_, ran)| !**ran).map(|(line, _)| *line).collect();
    CoveredLines { covered: lines.len() - uncovered.len(), total: lines.len(), uncovered }
}

/// The offset of each line, with line ends as V8 counts them.
fn line_starts(text: &str) -> Vec<u32> {
    let (mut starts, mut at) = (vec![0], 0_u32);
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        at += u32::from(char.len_utf16() == 2) + 1;
        let is_end = match char {
            '\r' => chars.peek() != Some(&'\n'),
            '\n' | '\u{2028}' | '\u{2029}' => true,
            _ => false,
        };
        if is_end {
            starts.push(at);
        }
    }
    starts
}

#[cfg(test)]
mod tests {
    use crate::Compiler;

    #[test]
    fn a_line_is_covered_when_any_code_on_it_ran() {
        let source = "type Row = { n: number };\n\nexport default function a(row: Row): number {\n  if (row.n > 1) {\n    return 1;\n  }\n  return 2;\n}\n";
        let compiled = Compiler::new().compile("tools/a.ts", source).unwrap();
        let whole = u32::try_from(compiled.code.len()).unwrap();
        let from = u32::try_from(compiled.code.find("return 1").unwrap()).unwrap();
        let lines = compiled.covered_lines(source, &[(0, whole, true), (from, from + 9, false)]);
        assert_eq!(lines.uncovered, [5]);
        assert!(lines.total >= 4 && lines.covered == lines.total - 1, "{lines:?}");
        assert_eq!(compiled.covered_lines(source, &[]).covered, 0);
    }
}
