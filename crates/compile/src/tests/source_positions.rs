//! Positions of thrown errors in the TypeScript source.

use serde_json::Value;

use super::node_oracle::run_all;
use crate::{Compiled, Compiler};

/// Runs each source and compares the mapped position of its innermost frame with the mark `§`.
fn assert_found(path: &str, table: &[&str]) {
    let sources: Vec<String> = table.iter().map(|marked| marked.replace('§', "")).collect();
    let sets: Vec<_> = sources.iter().map(|source| vec![(path, source.as_str())]).collect();
    for ((marked, source), outcome) in table.iter().zip(&sources).zip(run_all(&sets, &Value::Null)) {
        let frame = outcome["frames"].get(0).unwrap_or_else(|| panic!("{outcome}\n{source}"));
        let compiled = Compiler::new().compile(path, source).unwrap();
        assert_eq!(place(&compiled, frame), Some(marked_place(marked)), "{frame}\n{source}\n---\n{}", compiled.code);
    }
}

fn marked_place(marked: &str) -> (u32, u32) {
    let (before, _) = marked.trim_start_matches('\u{FEFF}').split_once('§').expect("a mark");
    let text = before.replace("\r\n", "\n").replace(['\r', '\u{2028}', '\u{2029}'], "\n");
    let column = text.rsplit('\n').next().unwrap().encode_utf16().count() + 1;
    (text.matches('\n').count() as u32 + 1, column as u32)
}

fn place(compiled: &Compiled, frame: &Value) -> Option<(u32, u32)> {
    let number = |at: usize| u32::try_from(frame[at].as_u64().unwrap()).unwrap();
    compiled.map.lookup(number(1), number(2)).map(|at| (at.line, at.column))
}

#[test]
fn the_innermost_frame_maps_to_the_throw() {
    let table = [
        "null.§x",
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
        "const t = '\u{2028}é\u{2029}'; throw §new Error(t)",
        "const t = `😀\u{2028}😀\n\u{2029}`\nthrow §new Error(t)",
        "const t = `😀\u{2028}😀${1}😀`, u = '😀', v = `\u{2029}`; throw §new Error(t)",
        "await 1; const t = `\u{2028}`; throw §new Error(t)",
        "class A { constructor(private a: number) { this.fail() } fail(): never { throw §new Error('x') } }\nnew A(1)",
        "const o = { a: { } as any }\nreturn o.a.b.§c",
        "return args.§x",
        "const f = (x: any) => x.§y\n\n\nreturn f(undefined)",
    ];
    assert_found("tool.ts", &table);
    assert_found("tool.cjs", &["const module = 1\nthrow §new Error('a')"]);
}

#[test]
fn outer_frames_map_to_their_calls() {
    let source = "type T = number\nfunction inner(n: T): T {\n  throw new Error('a')\n}\nfunction outer(n: T): T { return inner(n) }\nexport default () => outer(1)";
    let outcome = run_all(&[vec![("tool.ts", source)]], &Value::Null).remove(0);
    let compiled = Compiler::new().compile("tool.ts", source).unwrap();
    let places: Vec<_> = outcome["frames"].as_array().unwrap().iter().map(|frame| place(&compiled, frame)).collect();
    assert_eq!(places[..3], [Some((3, 9)), Some((5, 34)), Some((6, 22))]);
}

#[test]
fn positions_outside_the_code_have_no_source() {
    let compiled = Compiler::new().compile("t.ts", "export default 1").unwrap();
    assert_eq!(compiled.map.lookup(1, 1), None, "{}", compiled.code);
    assert_eq!(compiled.map.lookup(9_999, 1), None);
}
