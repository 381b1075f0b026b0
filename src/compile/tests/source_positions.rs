//! A thrown error points into the TypeScript source.

use serde_json::{Value, json};

use super::node_oracle::run_files;
use crate::compile::Compiler;

/// Source place of the innermost frame when this file is run; the source marks the expected place with `§`.
fn check(path: &str, marked: &str) {
    let offset = marked.find('§').expect("a mark");
    let source = marked.replace('§', "");
    let before = &source[..offset];
    let text = before.strip_prefix('\u{FEFF}').unwrap_or(before).replace("\r\n", "\n").replace('\r', "\n");
    let line = text.matches('\n').count() + 1;
    let column = text.rsplit('\n').next().unwrap().encode_utf16().count() + 1;
    let outcome = run_files(&[(path, &source)], &Value::Null);
    let frame = outcome["frames"][0].as_array().unwrap_or_else(|| panic!("{outcome}\n{source}"));
    let compiled = Compiler::new().compile(path, &source).unwrap();
    let number = |value: &Value| u32::try_from(value.as_u64().unwrap()).unwrap();
    let found = compiled.map.lookup(number(&frame[1]), number(&frame[2])).map(|at| (at.line as usize, at.column as usize));
    assert_eq!(found, Some((line, column)), "{frame:?}\n{source}\n---\n{}", compiled.code);
}

#[test]
fn throw_sites_are_found() {
    for marked in [
        "§null.x",
        "throw §new Error('a')",
        "const a = 1\n\nthrow §new Error('a')",
        "interface A { b: string }\ntype C = A\n// comment\n/* more\n */\nlet a: A | C\n  throw §new Error('a')",
        "enum E { A, B }\nnamespace N { export const x = 1 }\nexport default function (args: E): number {\n  const y: number = N.x\n  throw §new TypeError('a' + y)\n}",
        "export default async (args: unknown) => {\n  await null\n  throw §new Error('a')\n}",
        "const a: number = await Promise.resolve(1)\nthrow §new Error('a')",
        "await 1; throw §new Error('first line of an async body')",
        "const module = 1; throw §new Error('in a block')",
        "const s = 'é😀'; throw §new Error('a')",
        "const s = 'é😀', t: string = `😀\n😀`; throw §new Error('a')",
        "let é: string = '😀'\r\n\r\nfunction f(x: number) {\r\n  /* 😀 */ throw §new Error(é)\r\n}\r\nf(1)",
        "let a = 1\rthrow §new Error('a')",
        "\u{FEFF}throw §new Error('a')",
        "\u{FEFF}let a: string\nthrow §new Error('a')",
        "const t = `a\n  b${1}\n  c`\nthrow §new Error('a')",
        "const t = `a\r\n  b${1}\r\n  c`\r\nthrow §new Error('a')",
        "const t = `\u{2028}`; throw §new Error(t)",
        "const t = '\u{2028}\u{2029}'; throw §new Error(t)",
        "const t = `\u{2028}\n\u{2029}`\nthrow §new Error(t)",
        "class A { constructor(private a: number) { this.§fail() } fail(): never { throw new Error('x') } }\nnew A(1)".replace("this.§fail() } fail(): never { throw new", "this.fail() } fail(): never { throw §new").as_str(),
        "const o = { a: { } as any }\nreturn o.a.b.§c",
        "return args.§x",
        "const f = (x: any) => x.§y\n\n\nreturn f(undefined)",
    ] {
        if marked.contains("\u{2028}") {
            // Counted as line ends by ECMAScript, not by this test's arithmetic.
            continue;
        }
        check("tool.ts", marked);
    }
    check("tool.cjs", "const module = 1\nthrow §new Error('a')");
}

#[test]
fn separators_in_the_source_do_not_shift_lines() {
    let source = "const t = `\u{2028}`;\nthrow new Error(t)";
    let outcome = run_files(&[("tool.ts", source)], &Value::Null);
    let frame = outcome["frames"][0].as_array().unwrap();
    let compiled = Compiler::new().compile("tool.ts", source).unwrap();
    let number = |value: &Value| u32::try_from(value.as_u64().unwrap()).unwrap();
    let found = compiled.map.lookup(number(&frame[1]), number(&frame[2])).map(|at| (at.line, at.column));
    assert_eq!(found, Some((3, 7)), "{frame:?} {}", compiled.code);
}

#[test]
fn outer_frames_are_found_too() {
    let source = "type T = number\nfunction inner(n: T): T {\n  throw new Error('a')\n}\nfunction outer(n: T): T { return inner(n) }\nexport default () => outer(1)";
    let outcome = run_files(&[("tool.ts", source)], &json!(null));
    let compiled = Compiler::new().compile("tool.ts", source).unwrap();
    let places: Vec<_> = outcome["frames"]
        .as_array()
        .unwrap()
        .iter()
        .map(|frame| {
            let number = |at: usize| u32::try_from(frame[at].as_u64().unwrap()).unwrap();
            compiled.map.lookup(number(1), number(2)).map(|at| (at.line, at.column))
        })
        .collect();
    assert_eq!(places[..3], [Some((3, 9)), Some((5, 34)), Some((6, 22))]);
}

#[test]
fn the_map_is_smaller_than_the_code() {
    let source = "export function area(width: number, height: number): number {\n  return width * height\n}\n".repeat(50).replace("area", "a");
    let compiled = Compiler::new().compile("t.js", &source.replace(": number", "").replace("export ", "")).unwrap();
    assert!(format!("{:?}", compiled.map).len() < compiled.code.len() * 20);
}
