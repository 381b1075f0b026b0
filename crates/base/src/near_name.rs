//! Spelling suggestions.

/// Longer names are not compared.
const MAX_CHARS: usize = 200;
/// A letter has at most so many bytes.
const CHAR_BYTES: usize = 4;
/// About one slip for so many letters; with more it is another word.
const LETTERS_PER_SLIP: usize = 4;

/// Letters that are held against letters for one word, in all names together. Names beyond that are not compared.
const MAX_STEPS: usize = 2_000_000;

/// The name nearest to `word`, if it is near enough for a slip. Upper and lower case do not differ.
#[must_use]
pub fn nearest<'n>(word: &str, names: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let word = if is_short(word) { letters(word) } else { return None };
    if word.is_empty() || word.len() > MAX_CHARS {
        return None;
    }
    let mut most = (word.len() / LETTERS_PER_SLIP).max(1);
    let mut best = None;
    let mut left = MAX_STEPS;
    for name in names.into_iter().filter(|name| is_short(name)) {
        // What is told apart by its letters alone costs a look at each.
        let other = letters(name);
        let is_near = other.len() <= MAX_CHARS && least_slips(&word, &other) <= most;
        let steps = other.len() + if is_near { word.len() * (2 * most + 1) } else { 0 };
        left = match left.checked_sub(steps) {
            Some(left) => left,
            None => break,
        };
        let slips = if is_near { distance(&word, &other, most) } else { most + 1 };
        if slips <= most {
            best = Some(name);
            match slips.checked_sub(1) {
                // Only a nearer one counts from now on.
                Some(fewer) => most = fewer,
                None => break,
            }
        }
    }
    best
}

/// ` Did you mean 'name'?`, to be added to a message; nothing without a name.
#[must_use]
pub fn question(name: Option<&str>) -> String {
    name.map(|name| format!(" Did you mean '{name}'?")).unwrap_or_default()
}

/// Whether a name may have few enough letters, by its bytes.
fn is_short(name: &str) -> bool {
    name.len() <= MAX_CHARS * CHAR_BYTES
}

fn letters(name: &str) -> Vec<char> {
    name.chars().flat_map(char::to_lowercase).collect()
}

/// How many letters must be added, left out, changed or swapped with their neighbour. For short words.
#[must_use]
pub fn slips(from: &str, to: &str) -> usize {
    let (from, to) = (letters(from), letters(to));
    distance(&from, &to, from.len().max(to.len()))
}

/// What two words differ by at least, whatever the order of their letters.
fn least_slips(one: &[char], other: &[char]) -> usize {
    // Letters of a kind, those of the first word above zero.
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

/// The distance, or `most + 1` when it is more than that: only what lies so near the diagonal is looked at.
fn distance(from: &[char], to: &[char], most: usize) -> usize {
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
    use super::{nearest, question, slips};
    use std::cell::Cell;

    #[test]
    fn a_slip_is_told_from_another_word() {
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
        assert_eq!(question(Some("a")) + &question(None), " Did you mean 'a'?");
    }
    #[test]
    fn as_many_slips_as_letters_differ() {
        for (from, to, expected) in
            [("", "", 0), ("", "abc", 3), ("abc", "", 3), ("abc", "abc", 0), ("abcd", "acbd", 1), ("abc", "xyz", 3)]
        {
            assert_eq!(slips(from, to), expected, "{from} {to}");
        }
        assert_eq!(nearest("abcdefgh", ["abcdefxyz", "hgfedcba", "abcdxfgx"]), Some("abcdxfgx"), "two slips, not more");
        assert_eq!(nearest("abcdefgh", ["hgfedcba"]), None, "the same letters in another order");
    }

    #[test]
    fn of_any_number_of_long_names_only_some_are_compared() {
        // The same letters in another order: nothing but a comparison tells them apart.
        let word = "ab".repeat(100);
        let name = |at: usize| "b".repeat(at % 100) + &"a".repeat(100) + &"b".repeat(100 - at % 100);
        let names: Vec<String> = (0..30_000).map(name).collect();
        let looked_at = Cell::new(0);
        let counted = names.iter().map(String::as_str).inspect(|_| looked_at.set(looked_at.get() + 1));
        assert_eq!(nearest(&word, counted), None);
        assert!(looked_at.get() < 1000, "{}", looked_at.get());
    }
}
