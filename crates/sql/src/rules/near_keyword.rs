//! The word that somebody meant who misspelt the first one of a statement.

use tgp_base::spelling::edit_distance;

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
        .filter(|keyword| keyword.len().abs_diff(word.len()) <= 2)
        .map(|keyword| (edit_distance(word, keyword), keyword))
        .filter(|(slips, keyword)| *slips <= if keyword.len() <= SHORT { 1 } else { 2 })
        .min_by_key(|(slips, _)| *slips)
        .map(|(_, keyword)| keyword)
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
