//! Exponential backtracking of the parser is stopped, deterministically and with a position.

use std::time::{Duration, Instant};

use crate::{CompileError, Compiler, LintOptions};

/// Constructs that at least double the parser's work with each level of nesting.
const AMBIGUOUS: &[(&str, &str, &str)] = &[
    ("a?(b):c=>", "1", ""),
    ("a?({b}):c=>", "1", ""),
    ("a?async(b):c=>", "1", ""),
    ("a?(b):c=>{return ", "1", "}"),
    ("a?/'/.c?(b):d=>", "1", ""),
    ("a?<T>(b):c=>", "1", ""),
    ("<A>(", "a", ")"),
    ("<A>(a)=>", "1", ""),
    ("async<A>(", "a", ")"),
    ("a<", "a", ""),
    ("a<b,", "c", ""),
    ("(a=", "1", "):b=>1"),
    ("a?(b=", "1", "):c=>1"),
    ("f(a<b,c>(", "1", "))"),
];

/// Maximum time of one parse.
const PARSE_TIME: Duration = Duration::from_secs(10);
/// Far more than any source needs, because the machine may be busy.
const TEST_TIMEOUT: Duration = Duration::from_secs(60);

fn ambiguous((open, middle, close): (&str, &str, &str), count: usize) -> String {
    format!("export const before = 1;\nexport default\n  {}{middle}{};\n", open.repeat(count), close.repeat(count))
}

#[test]
fn exponential_backtracking_is_stopped() {
    let compiler = Compiler::new();
    for shape in AMBIGUOUS {
        for count in [20, 40, 200, 2_000, 20_000] {
            let source = ambiguous(*shape, count);
            let start = Instant::now();
            let compiled = compiler.compile("a.ts", &source).map(drop);
            let checked = compiler.check("a.ts", &source, &LintOptions::default());
            assert!(start.elapsed() < TEST_TIMEOUT, "{shape:?} {count} took {:?}", start.elapsed());
            // The step count is the same both times. Only the time limit, on a busy machine, may end just one of the two.
            if start.elapsed() < PARSE_TIME {
                assert_eq!(
                    compiled.is_ok(),
                    checked.diagnostics.iter().all(|found| found.rule != "syntax"),
                    "{shape:?} {count}"
                );
            }
            assert!(!matches!(compiled, Err(CompileError::Internal { .. })), "{shape:?} {count}");
        }
    }
    assert!(compiler.compile("a.ts", "export default 1").is_ok());
}

#[test]
fn an_ambiguous_source_is_reported_with_its_line_every_time() {
    let compiler = Compiler::new();
    let source = ambiguous(AMBIGUOUS[0], 40);
    let error = compiler.compile("tools/t.ts", &source).map(drop).unwrap_err();
    assert_eq!(error.position(), Some((3, 3)), "{error}");
    assert!(
        error.to_string().starts_with("tools/t.ts:3:3: this syntax is too ambiguous to parse; move nested"),
        "{error}"
    );
    for _ in 0..3 {
        assert_eq!(compiler.compile("tools/t.ts", &source).map(drop).unwrap_err(), error);
    }
}

#[test]
fn ordinary_code_is_parsed_completely() {
    let compiler = Compiler::new();
    let line = "const f = <T,>(a: Map<string, Array<T>>, b = a.size > 1 ? (c: T): T => c : (d: T) => d) => a.get('x')?.map<T>((e) => (b(e) ? e : (a.size < 2 ? b : (g: T): T => g)(e)));\n";
    for size in [1, 100, 2_000] {
        let source = format!("export default 1;\n{}", line.replace("f =", "f$ =").repeat(size));
        let numbered: String = source
            .split("f$")
            .enumerate()
            .map(|(at, part)| if at == 0 { part.to_owned() } else { format!("f{at}{part}") })
            .collect();
        let outcome = compiler.references("a.ts", &numbered);
        assert!(outcome.is_ok(), "{size}: {:?}", outcome.unwrap_err());
    }
    let nested = format!("export default (a: boolean) => {}1{};", "a ? (".repeat(12), ") : 2".repeat(12));
    assert!(compiler.compile("a.ts", &nested).is_ok());
}
