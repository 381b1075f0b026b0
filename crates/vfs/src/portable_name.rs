//! Validation of path segments.
//!
//! The same repository is opened on Linux, macOS and Windows, so a name is valid only if it is the same file on all of them.

use super::durable_file::TEMP_PREFIX;

const MAX_NAME_BYTES: usize = 255;

/// Why a segment is not a valid name; `None` if it is valid. The caller checks for `/`, `\`, NUL and `..`.
pub(super) fn invalid_reason(name: &str) -> Option<&'static str> {
    if name.len() > MAX_NAME_BYTES {
        Some("has a name longer than 255 bytes; shorten it")
    } else if name.chars().any(|c| c.is_control() || matches!(c, ':' | '*' | '?' | '"' | '<' | '>' | '|')) {
        Some("contains a control character or one of : * ? \" < > |; use letters, digits, '-', '_' and '.'")
    } else if name.contains(char::REPLACEMENT_CHARACTER) {
        Some("contains a character that is not valid Unicode; use letters, digits, '-', '_' and '.'")
    } else if name.ends_with(['.', ' ']) {
        Some("has a name that ends with a dot or a space; remove it")
    } else if is_device(name) {
        Some("has a name that Windows reserves for a device; choose another name")
    } else if name.starts_with(TEMP_PREFIX) {
        Some("has a name that is reserved for temporary files; choose another name")
    } else {
        None
    }
}

/// Whether any file system opens `.git` for this name: in another case, by its short name, as an alternate data stream, with
/// trailing dots and spaces, or with code points that HFS+ ignores.
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
    use super::{invalid_reason, is_git};

    #[test]
    fn ordinary_names_are_valid() {
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
            assert_eq!(invalid_reason(name), None, "{name}");
        }
    }

    #[test]
    fn names_that_differ_between_systems_are_refused() {
        let long = "x".repeat(256);
        for name in
            ["a.", "a ", "...", "a:b", "a*", "nul", "NUL.txt", "con", "Com1.ts", "lpt¹", "aux .ts", "a\nb", &long]
        {
            assert!(invalid_reason(name).is_some(), "{name}");
        }
        assert!(invalid_reason(".tgp-tmp-0").is_some());
    }

    #[test]
    fn every_spelling_of_git_is_detected() {
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
