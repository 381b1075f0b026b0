//! The compiler cannot be crashed, hung or bloated by source text.
//!
//! Everything here runs in the test's own process: a stack overflow would end it.

use std::time::{Duration, Instant};

use crate::compile::parse::source_limits::stack_for;
use crate::compile::{CompileError, Compiler, LintOptions, MAX_SOURCE_BYTES};

/// Text before, what is repeated before the middle, the middle, what is repeated after it, text after.
type Shape = [&'static str; 5];

/// Nesting that compiles when there is little of it.
const SHAPES: &[Shape] = &[
    ["x=", "(", "1", ")", ";"],
    ["x=", "[", "", "]", ";"],
    ["x=", "[...", "a", "]", ";"],
    ["x=", "{a:", "1", "}", ";"],
    ["x=", "{[", "1", "]:1}", ";"],
    ["", "{", "", "}", ""],
    ["x=", "a=>", "1", "", ";"],
    ["x=", "(a)=>", "1", "", ";"],
    ["x=", "()=>{", "", "}", ";"],
    ["x=", "(a=", "1", ")=>1", ";"],
    ["x=", "async(a)=>", "1", "", ";"],
    ["x=", "(a):A=>", "1", "", ";"],
    ["x=", "!", "1", "", ";"],
    ["x=", "- ", "1", "", ";"],
    ["x=", "typeof ", "1", "", ";"],
    ["x=", "await ", "1", "", ";"],
    ["x=", "a?b:", "1", "", ";"],
    ["x=", "a?", "1", ":1", ";"],
    ["x=", "a?(", "1", "):1", ";"],
    ["", "a=", "1", "", ";"],
    ["x=a", "+a", "", "", ";"],
    ["x=", "a**", "1", "", ";"],
    ["x=a", "??a", "", "", ";"],
    ["x=a", ",a", "", "", ";"],
    ["x=", "`${", "1", "}`", ";"],
    ["x=a", "``", "", "", ";"],
    ["", "if(a)", ";", "", ""],
    ["", "if(a);else ", ";", "", ""],
    ["", "if(a){}else{", "", "}", ""],
    ["", "for(;;)", ";", "", ""],
    ["", "while(a)", ";", "", ""],
    ["", "do ", ";", " while(a)", ""],
    ["", "try{", "", "}catch{}", ""],
    ["", "switch(a){case 1:", "", "}", ""],
    ["", "function a(){", "", "}", ""],
    ["x=", "function(a=", "1", "){}", ";"],
    ["", "class A{a=", "1", "}", ""],
    ["x=", "class{a(){return ", "1", "}}", ""],
    ["x=", "{a(){return ", "1", "}}", ";"],
    ["let x:", "A<", "B", ">", ";"],
    ["x=", "a<", "B", ">", "();"],
    ["let x:", "[", "B", "]", ";"],
    ["let x:A", "[]", "", "", ";"],
    ["let x:", "(", "A", ")", ";"],
    ["let x:", "{a:", "A", "}", ";"],
    ["let x:", "()=>", "A", "", ";"],
    ["let x:", "(a:", "A", ")=>A", ";"],
    ["let x:", "`${", "A", "}`", ";"],
    ["type X=", "A extends B?C:", "A", "", ";"],
    ["let x:A", "|A", "", "", ";"],
    ["let x:", "keyof ", "A", "", ";"],
    ["let x:A", ".A", "", "", ";"],
    ["let x:A", "['a']", "", "", ";"],
    ["x=a", " as A", "", "", ";"],
    ["x=a", "!", "", "", ";"],
    ["x=a", "?.a", "", "", ";"],
    ["x=a", "?.()", "", "", ";"],
    ["x=a", ".a", "", "", ";"],
    ["x=a", ".a()", "", "", ";"],
    ["x=a", "()", "", "", ";"],
    ["x=", "a(", "1", ")", ";"],
    ["x=a", "[0]", "", "", ";"],
    ["x=", "a[", "0", "]", ";"],
    ["x=", "new ", "A", "", ";"],
    ["x=", "new (", "A", ")", ";"],
    ["x=", "import(", "1", ")", ";"],
    ["", "namespace A{", "", "}", ""],
    ["namespace A", ".A", "", "", "{}"],
    ["let ", "[", "a", "]", "=1;"],
    ["let ", "{a:", "b", "}", "=1;"],
    ["(", "[", "a", "]", "=1);"],
    ["(", "{a:", "b", "}", "=1);"],
    ["function*g(){x=", "yield ", "1", "", "}"],
];

/// Nesting that no one writes, or that is wrong, however little there is of it.
const BROKEN_SHAPES: &[Shape] = &[
    ["x=", "(", "", "", ""],
    ["x=", "a+(", "", "", ""],
    ["x=a", "+a", "+", "", ""],
    ["x=a", "!", " !", "", "("],
    ["let x:A", "[]", "[", "", ""],
    ["x=", "`${", "", "", ""],
    ["", ")", "", "", ""],
    ["", "a:", ";", "", ""],
    ["", "/(", "", "/;", ""],
    ["x=a", "<a", "", "", ";"],
    ["x=", "<A>", "a", "", ";"],
    ["x=", "<A>(", "a", ")", ";"],
    ["x=", "<a>", "", "</a>", ";"],
    ["x=", "<T>(a)=>", "1", "", ";"],
    ["x=", "a?(b):c=>", "1", "", ";"],
    ["x=", "a?({b}):c=>", "1", "", ";"],
    ["x=", "a?async(b):c=>", "1", "", ";"],
    ["x=", "a?<T>(b):c=>", "1", "", ";"],
    ["x=", "class extends f(", "1", "){}", ";"],
    ["class A extends ", "class extends ", "B", "{}", "{}"],
    ["", "@f(class{m(){", "a", "}})class A{}", ""],
    ["", "@(", "a", ")", " class A{}"],
    ["", "declare module 'a'{", "", "}", ""],
    ["type X=", "A extends infer B extends ", "C", "?D:E", ";"],
    // What deceives a reader of text: brackets behind what may be a string, a regular expression or a comment.
    ["let a /'/;x=", "(", "1", ")", ";"],
    ["let a /`/;x=", "[", "", "]", ";"],
    ["var b 1 /\"/,", "[", "", "]", ";"],
    ["x={}/'/;y=", "[", "", "]", ";//'"],
    ["if(a)/`/;x=", "{a:", "1", "}", ";`"],
    ["a++/'/1;x=", "[", "", "]", ";'"],
    ["<!--`\nx=", "[", "", "]", ";`"],
    ["x=", "[')'/*", "", "", ""],
    ["let x:A\n/'/;y=", "[", "", "]", ";'"],
];

const COUNTS: [usize; 4] = [100, 2_000, 20_000, 200_000];

/// Far above what any of these takes alone, but the machine may be busy.
const TEST_TIMEOUT: Duration = Duration::from_secs(30);

fn build([before, open, middle, close, after]: &Shape, count: usize) -> String {
    format!("{before}{}{middle}{}{after}", open.repeat(count), close.repeat(count))
}

/// Compiles and checks; whatever comes of it, the compiler must be as good as new.
fn survive(compiler: &Compiler, path: &str, source: &str) -> Result<(), CompileError> {
    let label: String = source.chars().take(40).collect();
    let start = Instant::now();
    let outcome = compiler.compile(path, source).map(|_| ());
    assert!(start.elapsed() < TEST_TIMEOUT, "{path} {label} took {:?}", start.elapsed());
    let start = Instant::now();
    let findings = compiler.check(path, source, &LintOptions::default()).diagnostics;
    assert!(start.elapsed() < TEST_TIMEOUT, "check of {path} {label} took {:?}", start.elapsed());
    assert!(findings.len() <= 100, "{label}");
    for reason in ["makes the compiler fail", "was not compiled"] {
        assert!(!findings.iter().any(|finding| finding.message.contains(reason)), "check of {path} {label}: {reason}");
    }
    assert!(
        !matches!(outcome, Err(CompileError::Internal { .. } | CompileError::NoThread { .. })),
        "{path} {label} ({} bytes): {outcome:?}",
        source.len()
    );
    let compiles = findings.iter().all(|finding| finding.rule != "syntax");
    assert_eq!(outcome.is_ok(), compiles, "{label}: {outcome:?} {findings:?}");
    outcome
}

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

/// The longest nesting that the stack is charged for and that deceives the early check.
#[test]
fn the_stack_holds_when_the_early_check_is_deceived() {
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
fn many_compiles_at_once_do_not_disturb_each_other() {
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
fn the_caller_may_have_a_small_stack() {
    let source = build(&SHAPES[0], 900);
    let outcome = std::thread::Builder::new()
        .stack_size(128 << 10)
        .spawn(move || Compiler::new().compile("a.ts", &source).is_ok())
        .unwrap()
        .join();
    assert!(outcome.unwrap());
}

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
