//! Very large sources made of one repeated statement.

use std::time::Instant;

use super::survival::TEST_TIMEOUT;
use crate::{CompileError, Compiler, LintOptions, MAX_SOURCE_BYTES};

#[test]
fn a_source_of_ten_megabytes_is_refused_at_once() {
    let compiler = Compiler::new();
    let start = Instant::now();
    let source = "a = 1;\n".repeat(10 << 20 >> 3);
    let error = compiler.compile("tools/big.ts", &source).unwrap_err();
    assert!(matches!(error, CompileError::TooLarge { .. }), "{error}");
    assert!(error.to_string().contains(&MAX_SOURCE_BYTES.to_string()), "{error}");
    assert_eq!(compiler.check("tools/big.ts", &source, &LintOptions::default()).diagnostics.len(), 1);
    assert!(start.elapsed() < TEST_TIMEOUT);
    let largest = format!("/*{}*/", "x".repeat(MAX_SOURCE_BYTES - 4));
    assert!(compiler.compile("a.ts", &largest).is_ok());
    assert!(compiler.compile("a.ts", &format!("{largest} ")).is_err());
}

#[test]
fn a_flood_of_one_statement_is_a_typed_error_or_compiles() {
    let compiler = Compiler::new();
    for unit in [
        "a;",
        "let a=1;",
        "{let a=1}",
        "x=>1;",
        "function f(){}",
        "class A{}",
        "return;",
        "import 'a';",
        "export default 1;",
        "import('a');",
        "const a;",
        "break;",
        "a b;",
        "@a class A{}",
        "enum E{A}",
        "(",
        "'",
        "`",
        "/",
        "\\",
        ";",
        "\n",
        "é",
        "😀;",
        "\u{2028}",
        "throw new Error(1);",
        "await 1;",
    ] {
        let start = Instant::now();
        let outcome = compiler.compile("a.ts", &unit.repeat((256 << 10) / unit.len()));
        assert!(start.elapsed() < TEST_TIMEOUT, "{unit:?}");
        assert!(!matches!(outcome, Err(CompileError::Internal { .. })), "{unit:?}: {outcome:?}");
    }
}
