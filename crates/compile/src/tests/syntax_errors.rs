//! Messages for source that does not parse.

use crate::{CompileError, Compiler, LintOptions, Severity};

fn error(path: &str, source: &str) -> CompileError {
    Compiler::new().compile(path, source).expect_err(source)
}

#[test]
fn an_error_names_file_line_and_column() {
    assert_eq!(
        error("tools/x.ts", "type A = string\nlet a: A\nconst x = ;").to_string(),
        "tools/x.ts:3:11: Expression expected"
    );
    for (source, place) in [
        ("const x = ;", (1, 11)),
        ("\u{FEFF}const x = ;", (1, 11)),
        ("let é = '😀'; const x = ;", (1, 25)),
        ("a\r\nb\r\n  const x = ;", (3, 13)),
        ("a\rb\rconst x = ;", (3, 11)),
        ("function f( {", (1, 14)),
        ("const s = 'abc\nconst t = 1", (1, 11)),
        ("export default function () {\n  const a = 1\n", (3, 1)),
        ("const a = { b: 1 ]", (1, 18)),
        ("if (a) { } else else", (1, 17)),
        ("`${", (1, 4)),
    ] {
        assert_eq!(error("a.ts", source).position(), Some(place), "{source:?}: {}", error("a.ts", source));
    }
}

#[test]
fn a_markdown_fence_is_reported() {
    for (source, place) in [("```ts\nreturn 1\n```", (1, 1)), ("\n ```\nexport default () => 1;\n```\n", (2, 2))] {
        let error = error("a.ts", source);
        assert!(error.to_string().contains("A Markdown fence is not code"), "{error}");
        assert!(error.to_string().contains("Send the code alone"), "{error}");
        assert_eq!(error.position(), Some(place));
    }
    assert!(Compiler::new().compile("a.ts", "return `a` + ```b`").is_ok(), "elsewhere backticks are template literals");
}

#[test]
fn a_return_in_a_module_has_help() {
    let message = error("a.ts", "import x from './x'\nconst y = x\nreturn y").to_string();
    assert!(
        message.starts_with("a.ts:3:1: A top-level `return` cannot be combined with `import` or `export`"),
        "{message}"
    );
    assert!(message.contains("export default async function (args)"), "{message}");
    for path in ["a.js", "a.mjs", "a.ts"] {
        assert_eq!(error(path, "export const a = 1\nif (a) { return 1 }").position(), Some((2, 10)), "{path}");
    }
    assert!(matches!(error("a.ts", "class A { static { return 1 } }"), CompileError::Syntax { .. }));
}

#[test]
fn jsx_is_refused_with_help() {
    assert!(error("a.tsx", "return 1").to_string().contains("JSX is not supported"));
    for source in [
        "export default () => <div>hello</div>",
        "export default () => (\n  <div className=\"a\">\n    {1}\n  </div>\n)",
        "const a = <Foo bar={1} />",
        "return <>a</>",
    ] {
        let message = error("a.ts", source).to_string();
        assert!(message.contains("JSX is not supported"), "{source}: {message}");
    }
    let source = "const a: number = 1;\nconst list = (\n  <ul>\n    {[a].map((n) => <li key={n}>{n}</li>)}\n  </ul>\n);\nexport default () => list;";
    let found = Compiler::new().check("a.ts", source, &LintOptions::default()).diagnostics;
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!((found[0].line, found[0].column), (3, 3), "{found:?}");
    assert!(found[0].help.as_deref().unwrap().contains("as a string"), "{found:?}");
    let unrelated = error("a.ts", "const html = '<b>x</b>'\nconst x = ;").to_string();
    assert!(!unrelated.contains("JSX"), "{unrelated}");
}

#[test]
fn a_dynamic_import_with_a_spread_argument_is_refused() {
    let source = "const list = ['./x'] as const;\nexport default () => import(...list)";
    let error = error("a.ts", source);
    assert_eq!(error.position(), Some((2, 29)));
    assert!(error.to_string().contains("does not take a spread argument. Write `import(path)`."), "{error}");
    let found = Compiler::new().check("a.ts", source, &LintOptions::default()).diagnostics;
    assert_eq!(found[0].rule, "syntax");
}

#[test]
fn check_reports_every_recoverable_error_in_order() {
    let source = "const enum A { a = 1 b }\nclass B { constructor(); constructor() {} }\nbreak;\ncontinue;\nvar let = 1;\nreturn 1";
    let found = Compiler::new().check("a.ts", source, &LintOptions::default()).diagnostics;
    assert!(found.len() >= 3, "{found:?}");
    assert!(found.is_sorted_by_key(|finding| (finding.line, finding.column)), "{found:?}");
    assert!(found.iter().all(|finding| finding.rule == "syntax" && finding.severity == Severity::Error));
    assert!(found.iter().any(|finding| finding.line == 3), "{found:?}");
    assert!(found.iter().any(|finding| finding.line == 4), "{found:?}");
    assert!(found.iter().all(|finding| (finding.end_line, finding.end_column) >= (finding.line, finding.column)));
}

#[test]
fn check_agrees_with_compile() {
    let compiler = Compiler::new();
    for source in [
        "",
        "return 1",
        "export default 1",
        "const x = ;",
        "import 'a'; return",
        "a b",
        "enum E { A }",
        "await 1",
        "let let = 1",
    ] {
        let found = compiler.check("a.ts", source, &LintOptions::default()).diagnostics;
        let is_sound = !found.iter().any(|finding| finding.rule == "syntax");
        assert_eq!(is_sound, compiler.compile("a.ts", source).is_ok(), "{source}");
    }
    assert_eq!(compiler.check("a.md", "x", &LintOptions::default()).diagnostics.len(), 1);
}
