//! Deep nesting: of one kind, mixed, in parallel, and up to the size limit.

use super::shapes::{BROKEN_SHAPES, SHAPES, build};
use super::survival::survive;
use crate::parse::source_limits::stack_for;
use crate::{Compiler, MAX_SOURCE_BYTES};

const COUNTS: [usize; 4] = [100, 2_000, 20_000, 200_000];

#[test]
fn ordinary_nesting_compiles() {
    let compiler = Compiler::new();
    for shape in SHAPES {
        let outcome = survive(&compiler, "a.ts", &build(shape, 100));
        assert_eq!(outcome, Ok(()), "{shape:?}");
    }
}

#[test]
fn nesting_thousands_deep_is_a_typed_error_or_compiles() {
    let compiler = Compiler::new();
    for shape in SHAPES.iter().chain(BROKEN_SHAPES) {
        for count in COUNTS {
            let _ = survive(&compiler, "a.ts", &build(shape, count));
        }
        let _ = survive(&compiler, "a.js", &build(shape, 20_000));
    }
    assert!(compiler.compile("a.ts", "export default 1").is_ok());
}

#[test]
fn nesting_as_deep_as_the_size_allows_is_a_typed_error() {
    let compiler = Compiler::new();
    for shape in SHAPES.iter().chain(BROKEN_SHAPES) {
        let [before, open, middle, close, after] = shape;
        let fixed = before.len() + middle.len() + after.len();
        let count = (MAX_SOURCE_BYTES - fixed) / (open.len() + close.len());
        let source = build(shape, count);
        assert!(source.len() <= MAX_SOURCE_BYTES);
        let _ = survive(&compiler, "a.ts", &source);
    }
}

/// The deepest nesting that passes the stack estimate, with brackets that look like part of a string.
#[test]
fn the_stack_suffices_when_brackets_are_hidden_in_text() {
    let compiler = Compiler::new();
    for shape in BROKEN_SHAPES.iter().filter(|shape| shape[0].contains(['\'', '`', '"'])) {
        let largest =
            (1..18).map(|bit| 1 << bit).filter(|count| stack_for("a.ts", &build(shape, *count)).is_ok()).max();
        let _ = survive(&compiler, "a.ts", &build(shape, largest.unwrap()));
    }
}

#[test]
fn mixed_nesting_is_a_typed_error_or_compiles() {
    let compiler = Compiler::new();
    for (at, first) in SHAPES.iter().enumerate() {
        let second = &SHAPES[(at * 7 + 3) % SHAPES.len()];
        let open = format!("{}{}", first[1], second[1]);
        let close = format!("{}{}", second[3], first[3]);
        for count in [50, 5_000] {
            let source = format!("{}{}1{}", first[0], open.repeat(count), close.repeat(count));
            let _ = survive(&compiler, "a.ts", &source);
        }
    }
}

#[test]
fn concurrent_compiles_are_independent() {
    let compiler = Compiler::new();
    std::thread::scope(|scope| {
        for worker in 0..16 {
            let compiler = &compiler;
            scope.spawn(move || {
                for round in 0..20 {
                    let shape = &SHAPES[(worker * 20 + round) % SHAPES.len()];
                    let _ = compiler.compile("a.ts", &build(shape, 2_000));
                    let source = format!("export default {worker} + {round} as number");
                    let compiled = compiler.compile("a.ts", &source).unwrap();
                    assert!(compiled.code.contains(&format!("{worker} + {round}")), "{}", compiled.code);
                }
            });
        }
    });
}

#[test]
fn a_caller_with_a_small_stack_can_compile() {
    let source = build(&SHAPES[0], 900);
    let outcome = std::thread::Builder::new()
        .stack_size(128 << 10)
        .spawn(move || Compiler::new().compile("a.ts", &source).is_ok())
        .unwrap()
        .join();
    assert!(outcome.unwrap());
}
