//! Runs compiled bodies in Node, the way the sandbox runs them in its own V8.

use std::io::Write;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::compile::{BodyKind, Compiled, Compiler, DefaultExport, ModuleKind};

const HARNESS: &str = r"
const vm = require('node:vm');
const input = JSON.parse(require('node:fs').readFileSync(0, 'utf8'));
const cache = new Map();
globalThis.args = input.args;
function load(name) {
  if (name.endsWith('.json')) return { exports: JSON.parse(input.files[name].code) };
  if (cache.has(name)) return cache.get(name);
  const file = input.files[name];
  const module = { exports: {} };
  cache.set(name, module);
  const require = (id) => load(Object.keys(input.files).find((key) => './' + key === id || './' + key.replace(/\.\w+$/, '') === id)).exports;
  const body = vm.compileFunction(file.code, ['exports', 'require', 'module', '__filename', '__dirname'], { filename: name });
  module.returned = body.call(module.exports, module.exports, require, module, name, '.');
  return module;
}
(async () => {
  const module = load(input.entry);
  let value = await module.returned;
  const kind = input.files[input.entry].kind;
  if (kind === 'module') value = module.exports.default;
  if (kind === 'commonjs') value = module.exports;
  return typeof value === 'function' ? await value(input.args) : value;
})().then(
  (value) => console.log(JSON.stringify({ value: value === undefined ? null : value })),
  (error) => {
    const frames = [...String(error.stack).matchAll(/([\w./]+\.\w+):(\d+):(\d+)\)?$/gm)]
      .filter((frame) => frame[1] in input.files).map((frame) => [frame[1], +frame[2], +frame[3]]);
    console.log(JSON.stringify({ error: String(error), frames }));
  },
);
";

fn kind(compiled: &Compiled) -> &'static str {
    match compiled.form.module {
        ModuleKind::Module(DefaultExport::Present | DefaultExport::Absent) => "module",
        ModuleKind::CommonJs => "commonjs",
        ModuleKind::Script => "script",
    }
}

/// What running the first of these files gives: `{value}`, or `{error, frames}` with frames in the *emitted* code.
pub(super) fn run_files(files: &[(&str, &str)], args: &Value) -> Value {
    let compiler = Compiler::new();
    let compiled: serde_json::Map<String, Value> = files
        .iter()
        .map(|(path, source)| {
            let file = if path.ends_with(".json") {
                json!({"code": source, "kind": "json"})
            } else {
                let compiled = compiler.compile(path, source).unwrap_or_else(|error| panic!("{error}\n{source}"));
                let is_async = compiled.form.body == BodyKind::Async;
                assert_eq!(compiled.code.starts_with("return(async()=>{"), is_async);
                json!({"code": compiled.code, "kind": kind(&compiled)})
            };
            ((*path).to_owned(), file)
        })
        .collect();
    let input = json!({"files": compiled, "entry": files[0].0, "args": args});
    let mut node = Command::new("node")
        .args(["-e", HARNESS])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("node is needed as the oracle");
    node.stdin.take().unwrap().write_all(input.to_string().as_bytes()).unwrap();
    let output = node.wait_with_output().unwrap();
    serde_json::from_slice(&output.stdout).expect("the harness prints JSON")
}

/// The value of running one TypeScript file with `args`.
pub(super) fn run(source: &str, args: &Value) -> Value {
    value_of(run_files(&[("tool.ts", source)], args), source)
}

pub(super) fn value_of(mut outcome: Value, source: &str) -> Value {
    assert!(outcome.get("value").is_some(), "{outcome}\n{source}");
    outcome["value"].take()
}
