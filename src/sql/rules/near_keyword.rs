//! The word that somebody meant who misspelt the first one of a statement.

/// What statements of tools begin with.
const LEADING: [&str; 16] = [
    "SELECT", "WITH", "INSERT", "UPDATE", "DELETE", "REPLACE", "MERGE", "VALUES", "EXPLAIN", "CREATE", "ALTER", "DROP",
    "TRUNCATE", "SHOW", "DESCRIBE", "PRAGMA",
];

/// Keywords of up to this many letters may have one slip, longer ones two.
const SHORT: usize = 5;

/// The keyword that a word, in upper case, is a slip of; nothing when it is another word.
pub fn near_keyword(word: &str) -> Option<&'static str> {
    LEADING
        .into_iter()
        .map(|keyword| (slips(word, keyword), keyword))
        .filter(|(slips, keyword)| *slips <= if keyword.len() <= SHORT { 1 } else { 2 })
        .min_by_key(|(slips, _)| *slips)
        .map(|(_, keyword)| keyword)
}

/// How many letters were left out, added, changed or swapped with their neighbour.
fn slips(word: &str, keyword: &str) -> usize {
    if word.len().abs_diff(keyword.len()) > 2 {
        return usize::MAX;
    }
    let (word, keyword) = (word.as_bytes(), keyword.as_bytes());
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=keyword.len()).collect();
    for (row, letter) in word.iter().enumerate() {
        let mut current = vec![row + 1];
        for (column, other) in keyword.iter().enumerate() {
            let at = |line: &[usize], index: usize| line.get(index).copied().unwrap_or(usize::MAX - 1);
            let mut least = at(&above, column) + usize::from(letter != other);
            least = least.min(at(&above, column + 1) + 1).min(at(&current, column) + 1);
            let swapped =
                row > 0 && column > 0 && word.get(row - 1) == Some(other) && keyword.get(column - 1) == Some(letter);
            if swapped {
                least = least.min(at(&before, column - 1) + 1);
            }
            current.push(least);
        }
        before = std::mem::replace(&mut above, current);
    }
    above.last().copied().unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::near_keyword;

    #[test]
    fn slips_are_known_and_other_words_are_left_alone() {
        for (word, keyword) in [
            ("SELCT", "SELECT"),
            ("SELET", "SELECT"),
            ("SLEECT", "SELECT"),
            ("INSRET", "INSERT"),
            ("UDPATE", "UPDATE"),
            ("DELTE", "DELETE"),
            ("WIHT", "WITH"),
            ("DORP", "DROP"),
        ] {
            assert_eq!(near_keyword(word), Some(keyword), "{word}");
        }
        for word in [
            "SET", "RESET", "GRANT", "CALL", "EXECUTE", "RENAME", "RELEASE", "PREPARE", "LOCK", "DO", "STOP", "PLEASE",
            "",
        ] {
            assert_eq!(near_keyword(word), None, "{word}");
        }
    }
}
