//! A patience diff for long texts, anchored at lines that are unique in both. Runs in O(n log n); Git's default algorithm can
//! take minutes for adversarial texts.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::ops::Range;

/// Context lines around a difference.
const CONTEXT: usize = 3;

type Line<'t> = &'t [u8];

/// Replaced lines. Either range may be empty.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Difference {
    old: Range<usize>,
    new: Range<usize>,
}

/// Adds the differences to `text` as unified hunks, until it has more than `most` bytes.
pub fn add_hunks(text: &mut String, before: &[u8], after: &[u8], most: usize) {
    let (old, new) = (lines(before), lines(after));
    let found = differences(&old, &new);
    // Differences with overlapping context form one hunk.
    for hunk in found.chunk_by(|left, right| right.old.start - left.old.end <= 2 * CONTEXT) {
        if text.len() > most {
            return;
        }
        add_hunk(text, &old, &new, hunk, most);
    }
}

/// The lines of a text, with line endings.
fn lines(text: &[u8]) -> Vec<Line<'_>> {
    text.split_inclusive(|byte| *byte == b'\n').collect()
}

fn add_hunk(text: &mut String, old: &[Line<'_>], new: &[Line<'_>], hunk: &[Difference], most: usize) {
    let (Some(first), Some(last)) = (hunk.first(), hunk.last()) else { return };
    let before = first.old.start.min(CONTEXT);
    let after = (old.len() - last.old.end).min(CONTEXT);
    let old_lines = first.old.start - before..last.old.end + after;
    let new_lines = first.new.start - before..last.new.end + after;
    // Writing to a string cannot fail.
    let _infallible = writeln!(text, "@@ -{} +{} @@", place(&old_lines), place(&new_lines));
    let mut shown = old_lines.start;
    for Difference { old: removed, new: added } in hunk {
        add_lines(text, ' ', old.get(shown..removed.start), most);
        add_lines(text, '-', old.get(removed.clone()), most);
        add_lines(text, '+', new.get(added.clone()), most);
        shown = removed.end;
    }
    add_lines(text, ' ', old.get(shown..old_lines.end), most);
}

/// A line range as in Git's hunk headers: counted from one; the preceding line if the range is empty.
fn place(lines: &Range<usize>) -> String {
    match lines.len() {
        0 => format!("{},0", lines.start),
        1 => (lines.start + 1).to_string(),
        many => format!("{},{many}", lines.start + 1),
    }
}

fn add_lines(text: &mut String, sign: char, lines: Option<&[Line<'_>]>, most: usize) {
    for line in lines.unwrap_or_default() {
        if text.len() > most {
            return;
        }
        text.push(sign);
        text.push_str(&String::from_utf8_lossy(line));
        if !line.ends_with(b"\n") {
            text.push_str("\n\\ No newline at end of file\n");
        }
    }
}

fn differences(old: &[Line<'_>], new: &[Line<'_>]) -> Vec<Difference> {
    let mut found = Vec::new();
    let (mut i, mut j) = after_same(old, new, 0, 0);
    for (old_end, new_end) in anchors(old, new).into_iter().chain([(old.len(), new.len())]) {
        if old_end < i || new_end < j {
            // Inside the equal lines after an earlier anchor.
            continue;
        }
        let (mut a, mut b) = (old_end, new_end);
        while a > i && b > j && old.get(a - 1) == new.get(b - 1) {
            (a, b) = (a - 1, b - 1);
        }
        if i < a || j < b {
            found.push(Difference { old: i..a, new: j..b });
        }
        (i, j) = after_same(old, new, old_end, new_end);
    }
    found
}

/// The positions after the common prefix.
fn after_same(old: &[Line<'_>], new: &[Line<'_>], mut i: usize, mut j: usize) -> (usize, usize) {
    while let (Some(one), Some(other)) = (old.get(i), new.get(j)) {
        if one != other {
            break;
        }
        (i, j) = (i + 1, j + 1);
    }
    (i, j)
}

/// Position and number of occurrences of a line.
#[derive(Default)]
struct Occurrences {
    old: (usize, usize),
    new: (usize, usize),
}

/// The positions of lines that are unique in both texts: the longest sequence in the same order.
fn anchors(old: &[Line<'_>], new: &[Line<'_>]) -> Vec<(usize, usize)> {
    let mut seen: HashMap<Line<'_>, Occurrences> = HashMap::new();
    for (at, line) in old.iter().enumerate() {
        let seen = seen.entry(line).or_default();
        seen.old = (at, seen.old.1 + 1);
    }
    for (at, line) in new.iter().enumerate() {
        if let Some(seen) = seen.get_mut(line) {
            seen.new = (at, seen.new.1 + 1);
        }
    }
    let once = |line: &Line<'_>| match seen.get(line) {
        Some(Occurrences { old: (old, 1), new: (new, 1) }) => Some((*old, *new)),
        Some(_) | None => None,
    };
    longest_rising(&old.iter().filter_map(once).collect::<Vec<_>>())
}

/// The longest increasing subsequence by the second number.
fn longest_rising(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    // For each length the smallest end of a sequence, and for each pair its predecessor.
    let mut ends: Vec<(usize, usize)> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::new();
    for (at, (_, new)) in pairs.iter().enumerate() {
        let length = ends.partition_point(|(_, end)| end < new);
        before.push(length.checked_sub(1).and_then(|shorter| ends.get(shorter)).map(|(pair, _)| *pair));
        match ends.get_mut(length) {
            Some(end) => *end = (at, *new),
            None => ends.push((at, *new)),
        }
    }
    let mut row = Vec::new();
    let mut at = ends.last().map(|(pair, _)| *pair);
    while let Some(pair) = at {
        row.extend(pairs.get(pair));
        at = before.get(pair).copied().flatten();
    }
    row.reverse();
    row
}

#[cfg(test)]
mod tests {
    use super::add_hunks;

    fn hunks(before: &str, after: &str) -> String {
        let mut text = String::new();
        add_hunks(&mut text, before.as_bytes(), after.as_bytes(), usize::MAX);
        text
    }

    /// Applies a diff to a text; `None` if it does not apply.
    fn applied(before: &str, diff: &str) -> Option<String> {
        let mut old = before.split_inclusive('\n');
        let mut made = String::new();
        let (mut at, mut is_new) = (0, false);
        for line in diff.split_inclusive('\n') {
            if let Some(range) = line.strip_prefix("@@ -") {
                let (start, count) =
                    range.split_once(' ')?.0.split_once(',').unwrap_or((range.split_once(' ')?.0, "1"));
                let start: usize = start.parse().ok()?;
                let start = if count == "0" { start } else { start - 1 };
                made.extend(old.by_ref().take(start - at));
                at = start;
            } else if line.starts_with('\\') {
                if is_new {
                    made.pop();
                }
            } else {
                let (sign, rest) = line.split_at(1);
                if sign != "+" {
                    let known = old.next()?;
                    if known.trim_end_matches('\n') != rest.trim_end_matches('\n') {
                        return None;
                    }
                    at += 1;
                }
                is_new = sign != "-";
                if is_new {
                    made.push_str(rest);
                }
            }
        }
        made.extend(old);
        Some(made)
    }

    #[test]
    fn hunks_have_the_format_of_git() {
        assert_eq!(hunks("1\n", "2"), "@@ -1 +1 @@\n-1\n+2\n\\ No newline at end of file\n");
        assert_eq!(hunks("", "1\n2\n"), "@@ -0,0 +1,2 @@\n+1\n+2\n");
        assert_eq!(hunks("1\n", ""), "@@ -1 +0,0 @@\n-1\n");
        assert_eq!(
            hunks("a\nb\nc\nd\ne\nf\ng\nh\n", "a\nb\nc\nd\nX\nf\ng\nh\n"),
            "@@ -2,7 +2,7 @@\n b\n c\n d\n-e\n+X\n f\n g\n h\n"
        );
        let far: String = (0..40).map(|at| format!("{at}\n")).collect();
        let two = hunks(&far, &far.replacen("3\n", "x\n", 1).replace("35\n", ""));
        assert_eq!(two.matches("@@ -").count(), 2, "{two}");
    }

    #[test]
    fn applying_a_diff_yields_the_new_text() {
        let mut state = 7_u64;
        let mut next = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        for round in 0..400 {
            let kinds = 2 + round % 40;
            let mut text = || (0..next(60)).map(|_| format!("{}\n", next(kinds))).collect::<String>();
            let (before, mut after) = (text(), text());
            if round % 3 == 0 {
                after.pop();
            }
            let diff = hunks(&before, &after);
            assert_eq!(applied(&before, &diff).as_deref(), Some(after.as_str()), "{before:?} {after:?}\n{diff}");
        }
    }
}
