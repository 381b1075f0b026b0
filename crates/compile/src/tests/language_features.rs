//! TypeScript features, run in Node and compared with documented results.

use serde_json::{Value, json};

use super::node_oracle::assert_values;
use crate::Compiler;

fn code(source: &str) -> String {
    Compiler::new().compile("t.ts", source).unwrap_or_else(|error| panic!("{error}")).code
}

#[test]
fn typescript_features_run() {
    let table = [
        ("enum E { A, B = 5, C } return [E.A, E.B, E.C, E[6]]", json!([0, 5, 6, "C"])),
        ("enum S { A = 'x', B = `y` } return Object.values(S)", json!(["x", "y"])),
        ("const enum K { A = 1 << 3, B } return [K.A, K.B]", json!([8, 9])),
        ("export enum E { A = 3 } export default () => E.A", json!(3)),
        ("enum E { A = 1 } enum E { B = 2 } return [E.A, E.B]", json!([1, 2])),
        ("declare enum D { A } return typeof D", json!("undefined")),
        (
            "namespace N { export const a = 1; export namespace M { export const b = a + 1 } } return [N.a, N.M.b]",
            json!([1, 2]),
        ),
        ("namespace A.B.C { export function f() { return 4 } } return A.B.C.f()", json!(4)),
        ("namespace T { export type X = 1 } return typeof T", json!("undefined")),
        ("namespace N { export const x = { y: 3 } } import y = N.x; return y.y", json!(3)),
        (
            "class P { constructor(public a: number, private readonly b = 2) {} sum() { return this.a + this.b } } return new P(1).sum()",
            json!(3),
        ),
        ("class A { x?: number; y = 1; declare z: string } return Object.keys(new A()).sort()", json!(["x", "y"])),
        (
            "abstract class A { abstract f(): number; g() { return this.f() } } class B extends A { override f() { return 9 } } return new B().g()",
            json!(9),
        ),
        (
            "class A { #p = 3; static s = 4; get p() { return this.#p } static { A.s++ } } return [new A().p, A.s]",
            json!([3, 5]),
        ),
        (
            "function f(a: string): string; function f(a: number): number; function f(a: any) { return a } return f(1)",
            json!(1),
        ),
        ("const o = { a: 1 } satisfies Record<string, number>; return o.a as unknown as string", json!(1)),
        ("const x = <number>(1 as any); return x!", json!(1)),
        ("const id = <T,>(x: T): T => x; return id<number>(5)", json!(5)),
        (
            "type A<T> = T extends infer U extends string ? U : never; interface I { a?: A<string> } let i: I = {}; return i",
            json!({}),
        ),
        ("function assert(x: unknown): asserts x is string {} assert('a'); return 1", json!(1)),
        ("let a: { b?: { c: number } } = {}; return a?.b?.c ?? 7", json!(7)),
        ("let a: number | undefined; a ??= 1; a ||= 2; a &&= 3; return a ** 2", json!(9)),
        ("label: for (const i of [1, 2]) { for (;;) { continue label } } return 1n.toString()", json!("1")),
        (
            "function f(this: { n: number }, ...rest: number[]) { return this.n + rest.length } return f.call({ n: 1 }, 1, 2)",
            json!(3),
        ),
        ("try { throw 1 } catch { return 2 } finally { }", json!(2)),
        ("return `a${1 + 1}b${`c${3}`}`", json!("a2bc3")),
        ("return /[/'\"`(]/.test('(') && 4 / 2 / 1", json!(2)),
        ("return String.raw`\\u{2028}\\n${1}`", json!("\\u{2028}\\n1")),
        ("return '\\ud83d'.length + '\\u2028'.length", json!(2)),
        (
            "class A { accessor x = 1; static accessor y = 2; accessor #z = 3; get z() { return this.#z } } const a = new A(); a.x++; return [a.x, A.y, a.z, Object.keys(a)]",
            json!([2, 2, 3, []]),
        ),
        ("#!/usr/bin/env node\nreturn 1", json!(1)),
        (
            "const f = async function* () { yield 1 }; const out = []; for await (const v of f()) out.push(v); return out",
            json!([1]),
        ),
    ];
    assert_values(&table, &[], &Value::Null);
}

#[test]
fn decorators_follow_the_standard() {
    let source = "
        const log: string[] = [];
        function cls(value: any, context: ClassDecoratorContext) { log.push(context.kind + ':' + context.name) }
        function twice(value: any, context: ClassMethodDecoratorContext) {
            log.push(context.kind + ':' + String(context.name));
            return function (this: any, ...args: any[]) { return 2 * value.call(this, ...args) };
        }
        function plus(_: undefined, context: ClassFieldDecoratorContext) { return (initial: number) => initial + 1 }
        @cls class A { @plus n = 1; @twice m() { return this.n } @twice static s() { return 5 } }
        return [new A().m(), A.s(), log.sort()];";
    let exported = "const d = (v: any) => v; @d class A { static n = 3 } export default () => A.n";
    let global = "const d = (v: any) => v; @d class A { ['n' + String(Symbol('x'))]() {} } return typeof Symbol + typeof new A()[`n${String(Symbol('x'))}`]";
    let at_sign = "class A { [String('m')]() { return '@' } } return String(new A().m())";
    let table = [
        (source, json!([4, 10, ["class:A", "method:m", "method:s"]])),
        (exported, json!(3)),
        (global, json!("functionfunction")),
        (at_sign, json!("@")),
    ];
    assert_values(&table, &[], &Value::Null);
}

#[test]
fn globals_keep_their_names_beside_decorators() {
    let table = [
        (
            "const named = (_: undefined, context: ClassFieldDecoratorContext) => (v: string) => `${String(context.name)}:${v}`; class A { @named n = 'x' } return new A().n",
            json!("n:x"),
        ),
        (
            "const logged = (f: Function, context: any) => { context.addInitializer(function (this: any) { this.log = Object.keys({ a: 1 }) }) }; class A { n = 1; @logged m() {} } return (new A() as any).log",
            json!(["a"]),
        ),
        (
            "class A { get [Symbol.toStringTag]() { return 'a@b.test' } } return [String(new A()), typeof Symbol.iterator]",
            json!(["[object a@b.test]", "symbol"]),
        ),
        (
            "class A { static at = '@'; *[Symbol.iterator]() { yield Math.max(1, 2) } } return [...new A(), Symbol('x').description]",
            json!([2, "x"]),
        ),
    ];
    assert_values(&table, &[], &Value::Null);
}

#[test]
fn syntax_that_v8_supports_is_not_lowered() {
    let emitted = code(
        "class A { #x = 1; static { } m() { return this.#x ?? 1 } } { using c = f(); } await using b = g(); a ||= 1;",
    );
    for kept in ["#x = 1", "static { }", "this.#x ?? 1", "using c = f()", "await using b = g()", "a ||= 1"] {
        assert!(emitted.contains(kept), "{kept}\n{emitted}");
    }
}

#[test]
fn types_are_removed() {
    let emitted = code(
        "interface A { b: string } type B = A; declare const c: B; declare module 'x' { } import type { T } from './t'; let d: T;",
    );
    assert_eq!(
        emitted.replace(['\n', ' '], ""),
        "\"usestrict\";Object.defineProperty(exports,\"__esModule\",{value:true});letd;"
    );
}

#[test]
fn long_flat_code_compiles() {
    let compiler = Compiler::new();
    let sum = format!("return {}", vec!["1"; 5_000].join(" + "));
    let array = format!("return [{}]", vec!["{ a: 1, b: 'x' }"; 10_000].join(",\n"));
    let chain = format!("return args{}", ".map(x => x + 1)".repeat(2_000));
    let branches =
        (0..3_000).map(|n| format!("if (args === {n}) {{ return {n} }} else ")).collect::<String>() + "{ return -1 }";
    let lines = (0..5_000).map(|n| format!("const v{n} = f({n}) / 2 // half\n")).collect::<String>();
    let nested = format!("return {}1{}", "[(".repeat(400), ")]".repeat(400));
    let blocks = format!("{}{}", "if (args) { ".repeat(300), "}".repeat(300));
    for source in [sum, array, chain, branches, lines, nested, blocks] {
        let compiled = compiler.compile("t.ts", &source);
        assert!(compiled.is_ok(), "{:?}\n{}", compiled.err(), source.chars().take(60).collect::<String>());
    }
    assert_values(&[(&format!("return {}", vec!["1"; 5_000].join("+")), json!(5_000))], &[], &Value::Null);
}
