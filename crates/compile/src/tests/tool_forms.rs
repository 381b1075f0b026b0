//! Tests of every accepted form of a tool file.

use serde_json::{Value, json};

use super::node_oracle::{assert_values, run_all};
use crate::{BodyKind, Compiler, DefaultExport, ModuleKind, ToolForm};

fn form(path: &str, source: &str) -> ToolForm {
    Compiler::new().compile(path, source).unwrap_or_else(|error| panic!("{error}")).form
}

const PRESENT: ModuleKind = ModuleKind::Module(DefaultExport::Present);

#[test]
fn each_form_is_recognised() {
    for (source, module, body) in [
        ("export default function (args) { return 1 }", PRESENT, BodyKind::Sync),
        ("export default async (args) => await 1", PRESENT, BodyKind::Sync),
        ("export default class {}", PRESENT, BodyKind::Sync),
        ("const f = () => 1; export { f as default }", PRESENT, BodyKind::Sync),
        ("export { default } from './x'", PRESENT, BodyKind::Sync),
        ("export default interface A {}", ModuleKind::Module(DefaultExport::Absent), BodyKind::Sync),
        ("export const a = 1", ModuleKind::Module(DefaultExport::Absent), BodyKind::Sync),
        ("import './x'", ModuleKind::Module(DefaultExport::Absent), BodyKind::Sync),
        ("const x = await 1; export default x", PRESENT, BodyKind::Async),
        ("module.exports = (args) => 1", ModuleKind::CommonJs, BodyKind::Sync),
        ("exports.run = () => 1", ModuleKind::CommonJs, BodyKind::Sync),
        ("export = (args: number) => 1", ModuleKind::CommonJs, BodyKind::Sync),
        ("const module = 1; return module", ModuleKind::Script, BodyKind::Sync),
        ("interface module { a: string }; return 1", ModuleKind::Script, BodyKind::Sync),
        ("return args.a", ModuleKind::Script, BodyKind::Sync),
        ("", ModuleKind::Script, BodyKind::Sync),
        ("const r = await fetch('x'); return r", ModuleKind::Script, BodyKind::Async),
        ("for await (const a of b()) {} return 1", ModuleKind::Script, BodyKind::Async),
        ("{ await using a = f(); } return 1", ModuleKind::Script, BodyKind::Async),
        ("class A extends (await f()) {} return 1", ModuleKind::Script, BodyKind::Async),
        ("const o = { [await k()]: 1 }; return o", ModuleKind::Script, BodyKind::Async),
        ("const f = async () => await 1; return f()", ModuleKind::Script, BodyKind::Sync),
        ("class A { async m() { await 1 } } return 1", ModuleKind::Script, BodyKind::Sync),
        ("const o = { async m() { await 1 } }; return 1", ModuleKind::Script, BodyKind::Sync),
        ("import x = require('./x'); return x", ModuleKind::Script, BodyKind::Sync),
    ] {
        assert_eq!(form("a.ts", source), ToolForm { module, body }, "{source}");
    }
}

#[test]
fn each_form_returns_its_result() {
    let table = [
        ("export default function (args: {a: number; b: number}) { return args.a + args.b }", json!(5)),
        ("export default (args: any) => args.a * args.b", json!(6)),
        ("export default async ({ a }: { a: number }) => { await null; return a }", json!(2)),
        ("export default async function run(args: any) { return [args.b] }", json!([3])),
        ("export default { answer: 42 }", json!({"answer": 42})),
        ("export default 7 as number", json!(7)),
        ("const base = await Promise.resolve(10); export default (args: any) => base + args.a", json!(12)),
        ("module.exports = (args: any) => args.a", json!(2)),
        ("module.exports = { fixed: true }", json!({"fixed": true})),
        ("const f = (x: any) => x.b;\nexport = f", json!(3)),
        ("const { a, b } = args; return a - b;", json!(-1)),
        ("if (args.a) { return 'yes' }\nreturn 'no'", json!("yes")),
        ("const x = await Promise.resolve(args.b); return x * 2", json!(6)),
        ("for await (const x of [Promise.resolve(1)]) { return x }", json!(1)),
        ("1 + 1", json!(2)),
        ("", Value::Null),
    ];
    assert_values(&table, &[], &json!({"a": 2, "b": 3}));
}

#[test]
fn a_script_returns_its_last_expression() {
    let table = [
        ("const n: number = args.a;\nn * 2 as number", json!(4)),
        (
            "main(args.b)\nfunction main(n: number) { return n + 1 }\ninterface Row { a: string }\ntype T = Row;",
            json!(4),
        ),
        ("await Promise.resolve(args.b)", json!(3)),
        ("Promise.resolve(args.b);", json!(3)),
        ("if (args.a > 1) { 'many' } else 'few'", json!("many")),
        ("if (args.a > 5) { 'many' } else if (args.a > 1) { const t = 'some'; t } else {}", json!("some")),
        ("if (args.a > 5) 'many'", Value::Null),
        ("if (args.a > 1) { return 'early' }\n'late'", json!("early")),
        ("if (args.a > 9) { return 'early' }\n'late'", json!("late")),
        ("{ let x = args.a; x++; x }", json!(3)),
        ("try { JSON.parse('{') } catch (error) { 'caught' } finally { 'never' }", json!("caught")),
        ("try { args.a } finally { 7 }", json!(2)),
        ("switch (args.a) { case 1: 'one'; break; case 2: { 'two'; break } default: 'more' }", json!("two")),
        ("switch (args.a) { case 1: 'one'; break; default: 'more' }", json!("more")),
        ("out: { args.a }", json!(2)),
        ("({ a: args.a, f: [args.b] })", json!({"a": 2, "f": [3]})),
        ("let x; x = args.a", json!(2)),
        ("args.a, args.b", json!(3)),
        ("'use strict'; args.a;;", json!(2)),
        ("enum E { A = 4 }", Value::Null),
        ("namespace N { export const a = 4 }", Value::Null),
        ("1; const x = 2;", Value::Null),
        ("1; class A {}", Value::Null),
        ("for (const n of [1, 2]) { n }", Value::Null),
        ("const f = () => { 5 }; f()", Value::Null),
        ("const module = { a: 1 }; module.a", json!(1)),
        ("import { zero } from './add'; zero + args.a", json!(2)),
    ];
    assert_values(&table, &[("add.ts", "export const zero = 0")], &json!({"a": 2, "b": 3}));
}

#[test]
fn modules_have_no_implicit_return() {
    for source in ["export const a = 1; a", "module.exports = 1", "exports.a = 1; exports.a", "export = 1"] {
        let compiled = Compiler::new().compile("a.ts", source).unwrap();
        // Only the getters of exports return.
        let returned = compiled.code.lines().map(str::trim).filter(|line| line.starts_with("return"));
        assert!(returned.eq(compiled.code.contains("get:").then_some("return a;")), "{}", compiled.code);
    }
    assert_eq!(form("a.ts", "import './x'; 1").module, ModuleKind::Script);
    assert_eq!(form("a.ts", "import './x'; let a = 1").module, ModuleKind::Module(DefaultExport::Absent));
}

#[test]
fn import_meta_has_the_address_of_the_file() {
    let source = "import x from './x';\nconst at = import.meta;\nexport default () => [import.meta.url, at.filename, import.meta['dirname'], import.meta?.url, x]";
    let compiled = Compiler::new().compile("tools/a/b.ts", source).unwrap();
    let imports: Vec<_> = compiled.imports.iter().map(|import| import.specifier.as_str()).collect();
    assert_eq!(imports, ["./x"]);
    assert!(!compiled.code.contains("require(\"url\")") && !compiled.code.contains("import.meta"), "{}", compiled.code);
    assert_eq!(compiled.code.matches("file:///lib/a/b.ts").count(), 4, "{}", compiled.code);
}

#[test]
fn javascript_files_work_too() {
    let table = [
        ("a.js", "module.exports = (args) => args.n", 1),
        ("a.js", "export default (args) => args.n", 1),
        ("a.js", "return args.n", 1),
        ("a.js", "const v = await args.n; return v", 1),
        (
            "a.cjs",
            "exports = module.exports = function () { return (function () { return this === undefined ? 0 : 1 })() }",
            1,
        ),
        ("a.cjs", "var octal = 010; return octal", 8),
        ("a.cjs", "with ({ n: 4 }) { return n }", 4),
        ("a.cjs", "'use strict'; return (function () { return this === undefined ? 1 : 0 })()", 1),
        ("a.mjs", "export default (args) => args.n", 1),
    ];
    let sets: Vec<_> = table.iter().map(|(path, source, _)| vec![(*path, *source)]).collect();
    for ((path, source, expected), outcome) in table.iter().zip(run_all(&sets, &json!({"n": 1}))) {
        assert_eq!(outcome.get("value"), Some(&json!(expected)), "{outcome}\n{path}: {source}");
    }
}

#[test]
fn typescript_and_modules_are_strict() {
    let table = [
        "return (function (this: unknown) { return this === undefined })()",
        "export default (function (this: unknown) { return this === undefined })()",
        "const module = 1; return module && (function (this: unknown) { return this === undefined })()",
        "await 1; return (function (this: unknown) { return this === undefined })()",
        "export default this === undefined",
    ];
    assert_values(&table.map(|source| (source, json!(true))), &[], &Value::Null);
}

#[test]
fn tools_import_each_other() {
    let add =
        ("add.ts", "export default (a: number, b: number): number => a + b; export const zero = 0; export type T = 1;");
    let old = ("old.cjs", "module.exports = { twice: (n) => n * 2 }");
    let data = ("data.json", "{\"n\": 5}");
    let table = [
        ("import add from './add'; export default () => add(1, 2)", json!(3)),
        ("import add, { zero, type T } from './add'; const t: T = 1; export default () => add(zero, t)", json!(1)),
        (
            "import * as all from './add'; export default () => [all.default(1, 1), all.zero, Object.keys(all).sort()]",
            json!([2, 0, ["default", "zero"]]),
        ),
        ("import { zero as nil } from './add'; export default { nil }", json!({"nil": 0})),
        ("export { default } from './add'", json!("1,2undefined")),
        ("export * from './add'; export default 1", json!(1)),
        ("import old from './old'; export default () => old.twice(2)", json!(4)),
        ("import { twice } from './old'; export default () => twice(3)", json!(6)),
        ("import * as old from './old'; export default () => old.twice(4)", json!(8)),
        ("import data from './data.json'; export default data.n", json!(5)),
        ("import data from './data.json' with { type: 'json' }; export default data.n", json!(5)),
        ("import { n } from './data.json'; export default n", json!(5)),
        ("const data = require('./data.json'); return data.n", json!(5)),
        ("const { default: add } = require('./add'); return add(2, 2)", json!(4)),
        ("import add = require('./add'); return add.default(2, 3)", json!(5)),
        ("const add = await import('./add'); return add.default(4, 4)", json!(8)),
        ("const old = await import('./old'); return [old.default.twice(1), old.twice(1)]", json!([2, 2])),
        ("export default async () => (await import(`./add`)).zero", json!(0)),
        (
            "export default async () => { try { await import('./' + 'none') } catch (e) { return 'rejected' } }",
            json!("rejected"),
        ),
    ];
    assert_values(&table, &[add, old, data], &json!([1, 2]));
}

#[test]
fn cycles_work_as_in_commonjs() {
    let even = "import { odd } from './b'; export function even(n: number): boolean { return n === 0 || odd(n - 1) } export default () => even(10)";
    let odd = (
        "b.ts",
        "import { even } from './tool'; export function odd(n: number): boolean { return n !== 0 && even(n - 1) }",
    );
    assert_values(&[(even, json!(true))], &[odd], &Value::Null);
}

#[test]
fn declarations_of_a_guest_do_not_clash_with_helpers() {
    let add = ("add.ts", "export default 1; export const zero = 0");
    let table = [
        "import add from './add'; const _interop_require_default = () => ({ default: 9 }); export default () => [add, _interop_require_default().default]",
        "import add from './add'; function _interop_require_default() { return { default: 9 } } export default () => [add, _interop_require_default().default]",
        "import add from './add'; const _add = 9; export default () => [add, _add]",
        "import add from './add'; const require = 9; export default () => [add, require]",
        "import add from './add'; let exports = 9; export default () => [add, exports]",
        "import add from './add'; const module = 9; export default () => [add, module]",
        "import add from './add'; const { Object, __filename } = { Object: 9, __filename: 1 }; export default () => [add, Object]",
        "import add from './add'; class __dirname {}; var _export = 9; export default () => [add, _export]",
        "import add from './add'; using: { } export default () => { const exports = 9; return [add, exports] }",
        "import add from './add'; const require = await 9; export default () => [add, require]",
        "import add from './add'; const obj = 9; export default () => [add, obj]",
        "import add from './add'; const Promise = 9; export default async () => [(await import('./add')).default, Promise]",
    ];
    assert_values(&table.map(|source| (source, json!([1, 9]))), &[add], &Value::Null);
}

#[test]
fn an_anonymous_default_export_is_named_default() {
    let name = "export const name = (value: unknown) => (value as { name: string }).name;";
    let table = [
        ("import self from './tool'; export default () => self.name", "default"),
        ("import self from './tool'; export default function () { return self.name }", "default"),
        ("import self from './tool'; export default (function () { return self.name }) as () => string", "default"),
        ("import self from './tool'; export default function own() { return self.name }", "own"),
        ("import self from './tool'; const own = () => self.name; export default own", "own"),
        ("import A from './class'; export default () => A.name", "default"),
        ("import A from './named'; export default () => A.name", "static"),
        ("const _default = () => 1; export default () => _default.name", "_default"),
        ("import { name } from './name'; import f from './hoisted'; export default () => name(f)", "default"),
    ];
    let others = [
        ("class.ts", "export default class { a = 1 as number }"),
        ("named.ts", "export default class { static name = 'static' as string }"),
        ("name.ts", name),
        ("hoisted.ts", "export default function (): number { return 1 }"),
    ];
    assert_values(&table.map(|(source, name)| (source, json!(name))), &others, &Value::Null);
}

#[test]
fn local_names_are_kept() {
    let table = [
        ("export default () => { const exports = () => 1; return exports.name }", "exports"),
        ("export default () => { class Object {} return Object.name }", "Object"),
        ("export default () => { const require = () => 1, module = 2; return require.name + module }", "require2"),
        (
            "import c from './c'; export default () => { const f = () => { class c {} return c.name }; return f() + c }",
            "c1",
        ),
        ("import add from './c'; const _c = () => add; export default () => _c.name", "_c"),
    ];
    assert_values(&table.map(|(source, name)| (source, json!(name))), &[("c.ts", "export default 1")], &Value::Null);
}

#[test]
fn no_helper_packages_are_imported() {
    let source =
        "import * as a from './a'; export * from './b'; @f class C { @f m() {} } export default C; import('./c')";
    let compiled = Compiler::new().compile("t.ts", source).unwrap();
    assert!(!compiled.code.contains("@swc"), "{}", compiled.code);
    assert!(!compiled.code.contains("tslib"), "{}", compiled.code);
}

#[test]
fn imports_are_listed_with_their_positions() {
    let source = "import a from './a';\nimport type { T } from './types';\nimport { U } from './only-types';\nimport './effect';\nexport { x } from './x';\nexport * from './y';\nconst b = require('b/sub');\nconst c = () => import('./c');\nlet u: U = a; function f(require: any) { return require('not') }\nimport d = require('d'); d;\nrequire(`./t`); require(b);\nexport default u;";
    let compiled = Compiler::new().compile("t.ts", source).unwrap();
    let found: Vec<_> =
        compiled.imports.iter().map(|import| (import.specifier.as_str(), import.line, import.column)).collect();
    assert_eq!(
        found,
        [
            ("./a", 1, 15),
            ("./effect", 4, 8),
            ("./x", 5, 19),
            ("./y", 6, 15),
            ("b/sub", 7, 19),
            ("./c", 8, 24),
            ("d", 10, 20),
            ("./t", 11, 9),
        ]
    );
}
