//! Spelling suggestions: the nearest known name by edit distance, and the text `Did you mean '…'?`.

/// Longer names are not compared.
const MAX_CHARS: usize = 200;
/// The most bytes of a character in UTF-8.
const CHAR_BYTES: usize = 4;
/// One edit is allowed per this many letters. A word with more edits is a different word.
const LETTERS_PER_EDIT: usize = 4;

/// The most letter comparisons for one word, over all names. Names beyond that are not compared.
const MAX_STEPS: usize = 2_000_000;

/// The name nearest to `word` by edit distance, if it is near enough for a misspelling. Ignores case.
#[must_use]
pub fn nearest<'n>(word: &str, names: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let word = if is_short(word) { letters(word) } else { return None };
    if word.is_empty() || word.len() > MAX_CHARS {
        return None;
    }
    let mut most = (word.len() / LETTERS_PER_EDIT).max(1);
    let mut best = None;
    let mut left = MAX_STEPS;
    for name in names.into_iter().filter(|name| is_short(name)) {
        // A name whose letters differ too much is rejected by letter counts alone, which costs one step per letter.
        let other = letters(name);
        let is_near = other.len() <= MAX_CHARS && least_distance(&word, &other) <= most;
        let steps = other.len() + if is_near { word.len() * (2 * most + 1) } else { 0 };
        left = match left.checked_sub(steps) {
            Some(left) => left,
            None => break,
        };
        let edits = if is_near { bounded_distance(&word, &other, most) } else { most + 1 };
        if edits <= most {
            best = Some(name);
            match edits.checked_sub(1) {
                // From now on only a nearer name is accepted.
                Some(fewer) => most = fewer,
                None => break,
            }
        }
    }
    best
}

/// ` Did you mean 'name'?`, to append to a message; empty without a name.
#[must_use]
pub fn did_you_mean(name: Option<&str>) -> String {
    name.map(|name| format!(" Did you mean '{name}'?")).unwrap_or_default()
}

/// Whether a name can be short enough to compare, judged by its bytes.
fn is_short(name: &str) -> bool {
    name.len() <= MAX_CHARS * CHAR_BYTES
}

fn letters(name: &str) -> Vec<char> {
    name.chars().flat_map(char::to_lowercase).collect()
}

/// The Damerau-Levenshtein distance: letters added, removed, changed or swapped with their neighbour. For short words.
#[must_use]
pub fn edit_distance(from: &str, to: &str) -> usize {
    let (from, to) = (letters(from), letters(to));
    bounded_distance(&from, &to, from.len().max(to.len()))
}

/// A lower bound of the distance of two words: the difference of their letter counts.
fn least_distance(one: &[char], other: &[char]) -> usize {
    // Letters of the first word count up, those of the other count down.
    let mut counts = [0_i32; 64];
    let mut count = |letters: &[char], by: i32| {
        for letter in letters {
            if let Some(count) = counts.get_mut((u32::from(*letter) % 64) as usize) {
                *count += by;
            }
        }
    };
    count(one, 1);
    count(other, -1);
    let sum = |sign: i32| counts.iter().map(|count| (count * sign).max(0)).sum::<i32>();
    usize::try_from(sum(1).max(sum(-1))).unwrap_or_default()
}

/// The distance, or `most + 1` when it is larger: only cells within `most` of the diagonal are computed.
fn bounded_distance(from: &[char], to: &[char], most: usize) -> usize {
    let over = most + 1;
    let mut before: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=to.len()).map(|column| column.min(over)).collect();
    for (i, letter) in from.iter().enumerate() {
        let mut next = vec![over; to.len() + 1];
        if let Some(first) = next.first_mut() {
            *first = (i + 1).min(over);
        }
        let start = i.saturating_sub(most);
        for (j, other) in to.iter().enumerate().take(i + most + 1).skip(start) {
            let at = |row: &[usize], column: usize| row.get(column).copied().unwrap_or(over);
            let mut cost = at(&row, j) + usize::from(letter != other);
            cost = cost.min(at(&row, j + 1) + 1).min(at(&next, j) + 1);
            let is_swap = i > 0 && j > 0 && from.get(i - 1) == Some(other) && to.get(j - 1) == Some(letter);
            if is_swap {
                cost = cost.min(at(&before, j - 1) + 1);
            }
            if let Some(cell) = next.get_mut(j + 1) {
                *cell = cost.min(over);
            }
        }
        before = std::mem::replace(&mut row, next);
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{did_you_mean, edit_distance, nearest};
    use std::cell::Cell;

    #[test]
    fn nearest_finds_misspellings_and_rejects_other_words() {
        let names = ["send_mail", "read_file", "zod", "date-fns", "tools/shipping/dim_weight.ts"];
        for (word, name) in [
            ("send_mial", "send_mail"),
            ("sendMail", "send_mail"),
            ("Send_Mail", "send_mail"),
            ("date-fn", "date-fns"),
            ("zd", "zod"),
            ("tools/shiping/dim_weigth.ts", "tools/shipping/dim_weight.ts"),
        ] {
            assert_eq!(nearest(word, names), Some(name), "{word}");
        }
        for word in ["", "lodash", "query", "send_sms", &"x".repeat(10_000)] {
            assert_eq!(nearest(word, names), None, "{word}");
        }
        assert_eq!(nearest("ab", ["ba", "ab"]), Some("ab"), "the nearest, not the first");
        let long = "имя".repeat(60);
        assert_eq!(nearest(&long, [format!("{long}а").as_str()]).map(str::len), Some(long.len() + 2), "180 letters");
        assert_eq!(nearest(&"я".repeat(201), [format!("{}ю", "я".repeat(200)).as_str()]), None, "201 letters");
        assert_eq!(did_you_mean(Some("a")) + &did_you_mean(None), " Did you mean 'a'?");
    }
    #[test]
    fn edit_distance_counts_edits_and_swaps() {
        for (from, to, expected) in
            [("", "", 0), ("", "abc", 3), ("abc", "", 3), ("abc", "abc", 0), ("abcd", "acbd", 1), ("abc", "xyz", 3)]
        {
            assert_eq!(edit_distance(from, to), expected, "{from} {to}");
        }
        assert_eq!(nearest("abcdefgh", ["abcdefxyz", "hgfedcba", "abcdxfgx"]), Some("abcdxfgx"), "two edits, not more");
        assert_eq!(nearest("abcdefgh", ["hgfedcba"]), None, "the same letters in another order");
    }

    #[test]
    fn nearest_bounds_the_comparisons_with_many_long_names() {
        // The same letters in another order: only a full comparison distinguishes them.
        let word = "ab".repeat(100);
        let name = |at: usize| "b".repeat(at % 100) + &"a".repeat(100) + &"b".repeat(100 - at % 100);
        let names: Vec<String> = (0..30_000).map(name).collect();
        let looked_at = Cell::new(0);
        let counted = names.iter().map(String::as_str).inspect(|_| looked_at.set(looked_at.get() + 1));
        assert_eq!(nearest(&word, counted), None);
        assert!(looked_at.get() < 1000, "{}", looked_at.get());
    }
}
