//! Spelling suggestions for the first keyword of a statement.

use tgp_base::spelling::edit_distance;

/// The first keywords of statements.
const LEADING: [&str; 16] = [
    "SELECT", "WITH", "INSERT", "UPDATE", "DELETE", "REPLACE", "MERGE", "VALUES", "EXPLAIN", "CREATE", "ALTER", "DROP",
    "TRUNCATE", "SHOW", "DESCRIBE", "PRAGMA",
];

/// Keywords up to this length may have one typo, longer ones two.
const SHORT: usize = 5;

/// The keyword that an upper-case word is a misspelling of, if any.
pub fn suggest_keyword(word: &str) -> Option<&'static str> {
    LEADING
        .into_iter()
        .filter(|keyword| keyword.len().abs_diff(word.len()) <= 2)
        .map(|keyword| (edit_distance(word, keyword), keyword))
        .filter(|(slips, keyword)| *slips <= if keyword.len() <= SHORT { 1 } else { 2 })
        .min_by_key(|(slips, _)| *slips)
        .map(|(_, keyword)| keyword)
}

#[cfg(test)]
mod tests {
    use super::suggest_keyword;

    #[test]
    fn typos_have_a_suggestion_and_other_words_have_none() {
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
            assert_eq!(suggest_keyword(word), Some(keyword), "{word}");
        }
        for word in [
            "SET", "RESET", "GRANT", "CALL", "EXECUTE", "RENAME", "RELEASE", "PREPARE", "LOCK", "DO", "STOP", "PLEASE",
            "",
        ] {
            assert_eq!(suggest_keyword(word), None, "{word}");
        }
    }
}
