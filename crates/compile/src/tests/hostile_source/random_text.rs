//! Random bytes, and characters that are unusual in programs.

use super::survival::survive;
use crate::Compiler;

#[test]
fn random_bytes_are_a_typed_error_or_compile() {
    let compiler = Compiler::new();
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut next = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let words = [
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        "<",
        ">",
        "=>",
        "?",
        ":",
        "`",
        "${",
        "'",
        "\"",
        "/",
        "//",
        "/*",
        "*/",
        "\\u{",
        "\\uD800",
        "#",
        "@",
        "class ",
        "function ",
        "async ",
        "await ",
        "import ",
        "export ",
        "default ",
        "return ",
        "enum ",
        "namespace ",
        "type ",
        "as ",
        "satisfies ",
        "extends ",
        "new ",
        "using ",
        "for ",
        "of ",
        "in ",
        "static ",
        "get ",
        "abstract ",
        "declare ",
        "a",
        "b",
        "1",
        "0x",
        ".",
        "?.",
        "...",
        ",",
        ";",
        "\n",
        "\r",
        "\u{2028}",
        "\u{feff}",
        "\0",
        "é",
        "😀",
        "=",
        "+",
        "!",
        "**",
        "??",
        "<!--",
        "-->",
        "1n",
        "super",
        "this",
    ];
    for round in 0..1_500 {
        let length = (next() % 200) as usize;
        let source = if round % 3 == 0 {
            let bytes: Vec<u8> = (0..length).map(|_| (next() >> 24) as u8).collect();
            String::from_utf8_lossy(&bytes).into_owned()
        } else {
            (0..length).map(|_| words[(next() as usize) % words.len()]).collect()
        };
        for path in ["a.ts", "a.js", "a.mjs"] {
            let _ = survive(&compiler, path, &source);
        }
    }
}

#[test]
fn odd_characters_are_a_typed_error_or_compile() {
    let compiler = Compiler::new();
    for source in [
        "\u{feff}",
        "\u{feff}\u{feff}return 1",
        "\0",
        "a\0b",
        "'\\ud800'",
        "'\\udc00\\ud800'",
        "`\\ud800`",
        "\\ud800",
        "'\\u{110000}'",
        "'\\u{d800}'",
        "/\\ud800/u",
        "var \\u{61} = 1",
        "var \\u0000",
        "\u{2028}\u{2029}",
        "'\u{2028}'",
        "\u{200b}",
        "\u{202e}",
        "import '\\ud800'",
        "import a from '\\ud800'; a; export * from '\\udfff'",
        "export { a as '\\ud800' }",
        "require('\\ud800')",
        "'\\x'",
        "`\\x`",
        "tag`\\x\\u`",
        "#!",
        "#!\r\n#!",
        "/",
        "/=",
        "//",
        "/*",
        "'",
        "`",
        "\\",
        "@",
        "#",
        "#a",
        "0_",
        "0b2",
        "1__0",
        "08",
        "1e",
        ".",
        "..",
        "...",
        "?.",
        "=>",
        "<!--",
        "-->",
        "\u{1F600}",
        "let \u{1F600}",
    ] {
        for path in ["a.ts", "a.js", "a.mjs", "a.cts"] {
            let _ = survive(&compiler, path, source);
        }
    }
    assert!(compiler.compile("a.ts", "return '\\ud800'").unwrap().code.contains("ud800"));
}
