//! Applies the automatic fixes of diagnostics.

use super::diagnostic::Diagnostic;

/// The fixed text, and the number of fixes applied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fixed {
    pub text: String,
    pub applied: usize,
}

/// Applies every fix to `source`. Of two overlapping fixes, the first is applied.
#[must_use]
pub fn apply_fixes(source: &str, diagnostics: &[Diagnostic]) -> Fixed {
    let mut fixes: Vec<_> = diagnostics.iter().filter_map(|found| found.fix.as_ref()).collect();
    fixes.sort_by_key(|fix| (fix.bytes.start, fix.bytes.end));
    // Offsets do not count a leading byte order mark.
    let bom = source.len() - source.trim_start_matches('\u{FEFF}').len();
    let mut text = String::with_capacity(source.len());
    let (mut done, mut applied) = (0, 0);
    for fix in fixes {
        let (start, end) = (fix.bytes.start + bom, fix.bytes.end + bom);
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
