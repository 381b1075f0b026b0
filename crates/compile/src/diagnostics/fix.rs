//! Findings that repair themselves.

use super::diagnostic::Diagnostic;

/// A text and how many repairs made it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fixed {
    pub text: String,
    pub applied: usize,
}

/// `source` with every repair that its findings offer; of two that overlap the first one counts.
#[must_use]
pub fn apply_fixes(source: &str, diagnostics: &[Diagnostic]) -> Fixed {
    let mut fixes: Vec<_> = diagnostics.iter().filter_map(|found| found.fix.as_ref()).collect();
    fixes.sort_by_key(|fix| (fix.bytes.start, fix.bytes.end));
    // Positions were taken without the mark that a file may begin with.
    let mark = source.len() - source.trim_start_matches('\u{FEFF}').len();
    let mut text = String::with_capacity(source.len());
    let (mut done, mut applied) = (0, 0);
    for fix in fixes {
        let (start, end) = (fix.bytes.start + mark, fix.bytes.end + mark);
        let (true, Some(kept), Some(_)) = (start >= done, source.get(done..start), source.get(start..end)) else {
            continue;
        };
        text.push_str(kept);
        text.push_str(&fix.text);
        done = end;
        applied += 1;
    }
    text.push_str(source.get(done..).unwrap_or_default());
    Fixed { text, applied }
}
