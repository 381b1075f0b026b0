//! What one segment of a path may be called.
//!
//! The same repository is opened on Linux, macOS and Windows, so a name is allowed only if it means the same file
//! everywhere.

use super::durable_file::TEMP_PREFIX;

const MAX_NAME_BYTES: usize = 255;

/// Why a segment is not a name, or `None` when it is one. `/`, `\`, NUL and `..` are the caller's business.
pub(super) fn fault(name: &str) -> Option<&'static str> {
    if name.len() > MAX_NAME_BYTES {
        Some("has a name longer than 255 bytes; shorten it")
    } else if name.chars().any(|c| c.is_control() || matches!(c, ':' | '*' | '?' | '"' | '<' | '>' | '|')) {
        Some("has a control character or one of : * ? \" < > | in it; use letters, digits, '-', '_' and '.'")
    } else if name.contains(char::REPLACEMENT_CHARACTER) {
        Some("has a character in it that is not valid text; use letters, digits, '-', '_' and '.'")
    } else if name.ends_with(['.', ' ']) {
        Some("has a name that ends with a dot or a space; remove it")
    } else if is_device(name) {
        Some("has a name that is a device on Windows; choose another name")
    } else if name.starts_with(TEMP_PREFIX) {
        Some("has a name that is reserved for files being written; choose another name")
    } else {
        None
    }
}

/// Whether some file system opens `.git` for this name: by case, by its short name, by a stream, by trailing dots and
/// spaces, or by code points that HFS+ ignores.
pub(super) fn is_git(name: &str) -> bool {
    let folded: String = name.chars().filter(|c| !is_ignored_by_hfs(*c)).flat_map(char::to_lowercase).collect();
    let stem = folded.split(':').next().unwrap_or_default().trim_end_matches(['.', ' ']);
    matches!(stem, ".git" | "git~1")
}

fn is_device(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or_default().trim_end_matches(' ').to_ascii_lowercase();
    match stem.as_str() {
        "con" | "prn" | "aux" | "nul" | "conin$" | "conout$" => true,
        port => port.strip_prefix("com").or_else(|| port.strip_prefix("lpt")).is_some_and(|number| {
            let mut digits = number.chars();
            matches!((digits.next(), digits.next()), (Some('0'..='9' | '¹' | '²' | '³'), None))
        }),
    }
}

fn is_ignored_by_hfs(c: char) -> bool {
    matches!(c, '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::{fault, is_git};

    #[test]
    fn ordinary_names_pass() {
        for name in [
            "a",
            "a.ts",
            ".env.example",
            "[id].ts",
            "späth-日本.ts",
            "❤\u{fe0f}.md",
            "می\u{200c}خواهم.md",
            "a b",
            "console.ts",
            "com.ts",
            "com10",
            "nulls",
        ] {
            assert_eq!(fault(name), None, "{name}");
        }
    }

    #[test]
    fn names_that_differ_between_systems_are_refused() {
        let long = "x".repeat(256);
        for name in
            ["a.", "a ", "...", "a:b", "a*", "nul", "NUL.txt", "con", "Com1.ts", "lpt¹", "aux .ts", "a\nb", &long]
        {
            assert!(fault(name).is_some(), "{name}");
        }
        assert!(fault(".tgp-tmp-0").is_some());
    }

    #[test]
    fn every_spelling_of_git_is_known() {
        for name in
            [".git", ".GIT", ".Git", "git~1", "GIT~1", ".git.", ".git ", ".git::$INDEX_ALLOCATION", ".g\u{200c}it"]
        {
            assert!(is_git(name), "{name}");
        }
        for name in [".gitignore", ".github", "git", "a.git", "git~2", ".gitkeep"] {
            assert!(!is_git(name), "{name}");
        }
    }
}
