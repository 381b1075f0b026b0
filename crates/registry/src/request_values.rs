//! The values in a request: "Fix typo in 'Ohiio'" and "fix typo" are requests for the same job. A value counts only for tools
//! that have it.

/// Names of points in time, which are arguments more often than jobs.
pub(super) const TIMES: [&str; 18] = [
    "january",
    "february",
    "march",
    "april",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
];
/// Verbs of a request that do not distinguish jobs.
pub(super) const VERBS: [&str; 5] = ["calculate", "compute", "determine", "display", "show"];
/// Opening and closing quotation marks.
const QUOTES: [(char, char); 6] = [('"', '"'), ('\'', '\''), ('`', '`'), ('“', '”'), ('‘', '’'), ('«', '»')];

/// A request without its quoted values, for a model of meanings.
#[must_use]
pub fn job_of(request: &str) -> String {
    let job = without_quotes(request);
    if job.chars().any(char::is_alphanumeric) { job } else { request.to_owned() }
}

/// A text without its quoted parts.
pub(super) fn without_quotes(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let (mut rest, mut before) = (text, ' ');
    while let Some(letter) = rest.chars().next() {
        let after = rest.get(letter.len_utf8()..).unwrap_or_default();
        (before, rest) = after_quote(letter, before, after).map_or((letter, after), |rest| (' ', rest));
        kept.push(before);
    }
    kept
}

/// What follows the quoted part that `letter` opens. An apostrophe within a word opens none.
fn after_quote(letter: char, before: char, after: &str) -> Option<&str> {
    let (_, end) = QUOTES.iter().find(|(begin, _)| *begin == letter)?;
    if before.is_alphanumeric() {
        return None;
    }
    let mut ends = after.match_indices(*end).map(|(at, _)| at);
    ends.find_map(|at| {
        let rest = after.get(at + end.len_utf8()..)?;
        (at > 0 && !rest.chars().next().is_some_and(char::is_alphanumeric)).then_some(rest)
    })
}

#[cfg(test)]
mod tests {
    use super::{job_of, without_quotes};

    #[test]
    fn quoted_parts_are_left_out() {
        for (text, job) in [
            ("Fix typo in 'Ohiio' for users", "Fix typo in   for users"),
            ("weight `(L*W*H)/139`.", "weight  ."),
            ("the user's orders and our customers' names", "the user's orders and our customers' names"),
            ("rename “a b” to \"c\"", "rename   to  "),
            ("an 'open quote", "an 'open quote"),
        ] {
            assert_eq!(without_quotes(text), job);
        }
        assert_eq!(job_of("\"fix typo\""), "\"fix typo\"");
    }
}
