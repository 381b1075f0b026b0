//! Parser for unified diffs, tolerant of wrong line counts.

use super::bad_diff::BadDiff;
use super::text_edit::Hunk;

/// A hunk that is being parsed.
struct Open<'d> {
    hunk: Hunk<'d>,
    /// Lines that its header announces and that are still missing: a hint only, as models miscount.
    old_left: usize,
    new_left: usize,
    last: Side,
    /// The number of completely empty lines at its end.
    blank_end: usize,
    /// Whether each side has no newline at the end of the file.
    old_is_cut: bool,
    new_is_cut: bool,
}

/// The side of a hunk's last line.
#[derive(Clone, Copy)]
enum Side {
    Old,
    New,
    Both,
}

pub(super) fn parse_unified<'d>(lines: &[&'d str]) -> Result<Vec<Hunk<'d>>, BadDiff> {
    let mut hunks: Vec<Hunk<'d>> = Vec::new();
    let mut files = 0;
    let mut open: Option<Open<'d>> = None;
    let mut rest = lines.iter().copied().enumerate();
    while let Some((at, line)) = rest.next() {
        if begins_file(lines, at) && open.as_ref().is_none_or(|open| open.may_end(lines, at)) {
            let (_, new) = rest.next().unwrap_or_default();
            if line.trim_end() == "--- /dev/null" {
                return Err(BadDiff::NewFile);
            }
            if new.trim_end() == "+++ /dev/null" {
                return Err(BadDiff::RemovedFile);
            }
            files += 1;
            hunks.extend(open.take().map(Open::close));
            if files > 1 {
                return Err(BadDiff::SeveralFiles);
            }
        } else if line.starts_with("@@") {
            hunks.extend(open.take().map(Open::close));
            open = Some(Open::new(line));
        } else if line.starts_with("```") || line.starts_with("diff --git") {
            hunks.extend(open.take().map(Open::close));
        } else if let Some(open) = &mut open {
            open.add(line);
        }
    }
    hunks.extend(open.map(Open::close));
    hunks.retain(|hunk| hunk.search != hunk.replace);
    Ok(hunks)
}

/// Whether `--- a` and `+++ b` are here.
fn begins_file(lines: &[&str], at: usize) -> bool {
    let begins = |at: usize, sign: &str| lines.get(at).is_some_and(|line| line.starts_with(sign));
    begins(at, "--- ") && begins(at + 1, "+++ ")
}

impl<'d> Open<'d> {
    fn new(header: &str) -> Self {
        let (old_start, old_left) = range(header, '-');
        let (_, new_left) = range(header, '+');
        // A hunk without old lines names the line that it comes after.
        let expected_line = old_start.map(|line| if old_left == 0 { line } else { line.saturating_sub(1) });
        Self {
            hunk: Hunk { search: Vec::new(), replace: Vec::new(), expected_line },
            old_left,
            new_left,
            last: Side::Both,
            blank_end: 0,
            old_is_cut: false,
            new_is_cut: false,
        }
    }

    /// Whether a file header may follow. A removed `-- x` before an added `++ y` looks like one.
    fn may_end(&self, lines: &[&str], at: usize) -> bool {
        let is_full = self.old_left == 0 || self.new_left == 0;
        is_full || lines.get(at + 2).is_some_and(|line| line.starts_with("@@"))
    }

    fn add(&mut self, line: &'d str) {
        self.blank_end = if line.is_empty() { self.blank_end + 1 } else { 0 };
        match line.split_at_checked(1) {
            Some(("+", text)) => self.push(Side::New, text),
            Some(("-", text)) => self.push(Side::Old, text),
            // "\ No newline at end of file"
            Some(("\\", _)) => {
                self.old_is_cut |= matches!(self.last, Side::Old | Side::Both);
                self.new_is_cut |= matches!(self.last, Side::New | Side::Both);
            }
            Some((" ", text)) => self.push(Side::Both, text),
            // Models leave out the space before unchanged lines.
            _ => self.push(Side::Both, line),
        }
    }

    fn push(&mut self, side: Side, text: &'d str) {
        if matches!(side, Side::Old | Side::Both) {
            self.hunk.search.push(text);
            self.old_left = self.old_left.saturating_sub(1);
        }
        if matches!(side, Side::New | Side::Both) {
            self.hunk.replace.push(text);
            self.new_left = self.new_left.saturating_sub(1);
        }
        self.last = side;
    }

    fn close(self) -> Hunk<'d> {
        let Self { mut hunk, blank_end, old_is_cut, new_is_cut, .. } = self;
        // Completely empty lines at the end belong to the diff's end, not to the file.
        hunk.search.truncate(hunk.search.len().saturating_sub(blank_end));
        hunk.replace.truncate(hunk.replace.len().saturating_sub(blank_end));
        // A text that ends with a line end has one more line, which is empty.
        match (old_is_cut, new_is_cut) {
            (true, false) => hunk.replace.push(""),
            (false, true) => hunk.search.push(""),
            (true, true) | (false, false) => {}
        }
        hunk
    }
}

/// The first line and the number of lines after a sign in `@@ -12,3 +12,4 @@`; one line when no number is given.
fn range(header: &str, sign: char) -> (Option<usize>, usize) {
    let Some((_, text)) = header.split_once(sign) else { return (None, 1) };
    let digits = |text: &str| text.chars().take_while(char::is_ascii_digit).collect::<String>();
    let start = digits(text);
    let count =
        text.get(start.len()..).and_then(|rest| rest.strip_prefix(',')).map_or(Ok(1), |rest| digits(rest).parse());
    (start.parse().ok(), count.unwrap_or(1))
}
