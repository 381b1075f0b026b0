//! Guesses within guesses end soon, the same way each time, and say where.

use std::time::{Duration, Instant};

use crate::{CompileError, Compiler, LintOptions};

/// Each doubles the parser's work, or worse, when it is repeated within itself.
const GUESSES: &[(&str, &str, &str)] = &[
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

/// What the clock gives one parse.
const PARSE_TIME: Duration = Duration::from_secs(10);
/// Far above what any of these takes, but the machine may be busy.
const TEST_TIMEOUT: Duration = Duration::from_secs(60);

fn tangled((open, middle, close): (&str, &str, &str), count: usize) -> String {
    format!("export const before = 1;\nexport default\n  {}{middle}{};\n", open.repeat(count), close.repeat(count))
}

#[test]
fn nested_guesses_end_soon_whatever_hides_them() {
    let compiler = Compiler::new();
    for shape in GUESSES {
        for count in [20, 40, 200, 2_000, 20_000] {
            let source = tangled(*shape, count);
            let start = Instant::now();
            let compiled = compiler.compile("a.ts", &source).map(drop);
            let checked = compiler.check("a.ts", &source, &LintOptions::default());
            assert!(start.elapsed() < TEST_TIMEOUT, "{shape:?} {count} took {:?}", start.elapsed());
            // What is counted is the same both times. Only the clock of a busy machine may end one of the two.
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
fn a_tangle_is_named_by_its_line_and_the_same_every_time() {
    let compiler = Compiler::new();
    let source = tangled(GUESSES[0], 40);
    let error = compiler.compile("tools/t.ts", &source).map(drop).unwrap_err();
    assert_eq!(error.position(), Some((3, 3)), "{error}");
    assert!(error.to_string().starts_with("tools/t.ts:3:3: too many ways to read this; give nested"), "{error}");
    for _ in 0..3 {
        assert_eq!(compiler.compile("tools/t.ts", &source).map(drop).unwrap_err(), error);
    }
}

#[test]
fn what_people_write_is_read_to_its_end() {
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
