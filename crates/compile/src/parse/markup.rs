//! Explains the faults of a source with JSX: the parser reports many, of which none names the cause.

use swc_core::common::{BytePos, Span};

use super::fault::Fault;
use crate::positions::source_index::FIRST_POS;

const MESSAGE: &str = "JSX is not supported: a tool returns data, not markup";
const HELP: &str = "Return an object with the data, or write the markup as a string: `<p>${text}</p>`.";
/// For a source with other faults as well.
const HINT: &str = "JSX is not supported: a tool returns data, not markup.";

/// Whether a source may contain JSX.
pub(super) fn may_have_markup(source: &str) -> bool {
    source.contains("</") || source.contains("/>")
}

/// The fault of a source that is valid with JSX, at the last tag that opens before the first fault.
pub(super) fn markup_fault(source: &str, first: Span) -> Option<Fault> {
    let before = source.as_bytes().get(..=offset(first, source).min(source.len().checked_sub(1)?))?;
    let at = before.windows(2).rposition(|pair| matches!(pair, [b'<', b'a'..=b'z' | b'A'..=b'Z' | b'>']))?;
    let lo = FIRST_POS + BytePos(u32::try_from(at).ok()?);
    Some(Fault { span: Span::new(lo, lo + BytePos(1)), message: MESSAGE.to_owned(), help: Some(HELP) })
}

/// Adds a hint to the faults on a line with a tag.
pub(super) fn explain_markup(source: &str, faults: &mut [Fault]) {
    for fault in faults {
        if fault.help.is_none() && has_tag_on_its_line(source, fault.span) {
            fault.help = Some(HINT);
        }
    }
}

fn offset(span: Span, source: &str) -> usize {
    (span.lo.0.saturating_sub(FIRST_POS.0) as usize).min(source.len())
}

fn has_tag_on_its_line(source: &str, span: Span) -> bool {
    let at = offset(span, source);
    let start = source.get(..at).and_then(|before| before.rfind('\n')).map_or(0, |newline| newline + 1);
    let line = source.get(start..).and_then(|rest| rest.lines().next()).unwrap_or_default();
    line.as_bytes().windows(2).any(|pair| matches!(pair, [b'<', b'a'..=b'z' | b'A'..=b'Z' | b'/' | b'>']))
}
