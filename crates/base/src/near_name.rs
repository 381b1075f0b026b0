//! The name that somebody meant who wrote one that does not exist.

/// Longer names are not compared: nobody writes them by hand.
const MAX_CHARS: usize = 200;
/// About one slip for so many letters; with more it is another word.
const LETTERS_PER_SLIP: usize = 4;

/// The name nearest to `word`, if it is near enough for a slip. Upper and lower case do not differ.
#[must_use]
pub fn nearest<'n>(word: &str, names: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let word = letters(word);
    if word.is_empty() || word.len() > MAX_CHARS {
        return None;
    }
    let most = (word.len() / LETTERS_PER_SLIP).max(1);
    let near = names.into_iter().filter(|name| name.len() <= MAX_CHARS).filter_map(|name| {
        let other = letters(name);
        let slips = if other.len().abs_diff(word.len()) > most { most + 1 } else { distance(&word, &other) };
        (slips <= most).then_some((slips, name))
    });
    near.min_by_key(|(slips, _)| *slips).map(|(_, name)| name)
}

/// ` Did you mean 'name'?`, to be added to a message; nothing without a name.
#[must_use]
pub fn question(name: Option<&str>) -> String {
    name.map(|name| format!(" Did you mean '{name}'?")).unwrap_or_default()
}

fn letters(name: &str) -> Vec<char> {
    name.chars().flat_map(char::to_lowercase).collect()
}

/// How many letters must be added, left out, changed or swapped with their neighbour.
#[must_use]
pub fn slips(from: &str, to: &str) -> usize {
    distance(&letters(from), &letters(to))
}

fn distance(from: &[char], to: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (i, letter) in from.iter().enumerate() {
        let mut next = vec![i + 1];
        for (j, other) in to.iter().enumerate() {
            let at = |row: &[usize], column: usize| row.get(column).copied().unwrap_or(usize::MAX - 1);
            let mut cost = at(&row, j) + usize::from(letter != other);
            cost = cost.min(at(&row, j + 1) + 1).min(at(&next, j) + 1);
            let is_swap = i > 0 && j > 0 && from.get(i - 1) == Some(other) && to.get(j - 1) == Some(letter);
            if is_swap {
                cost = cost.min(at(&before, j - 1) + 1);
            }
            next.push(cost);
        }
        before = std::mem::replace(&mut row, next);
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{nearest, question};

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
        assert_eq!(question(Some("a")) + &question(None), " Did you mean 'a'?");
    }
}
