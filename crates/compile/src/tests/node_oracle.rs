//! Runs compiled bodies in Node, as the sandbox runs them in its own V8.

use std::io::Write;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::{BodyKind, Compiled, Compiler, DefaultExport, ModuleKind};

const HARNESS: &str = r"
const vm = require('node:vm');
async function run({ files, entry, args }) {
  const cache = new Map();
  globalThis.args = args;
  function load(name) {
    if (name.endsWith('.json')) return { exports: JSON.parse(files[name].code) };
    if (cache.has(name)) return cache.get(name);
    const module = { exports: {} };
    cache.set(name, module);
    const require = (id) => load(Object.keys(files).find((key) => './' + key === id || './' + key.replace(/\.\w+$/, '') === id)).exports;
    const body = vm.compileFunction(files[name].code, ['exports', 'require', 'module', '__filename', '__dirname'], { filename: name });
    module.returned = body.call(module.exports, module.exports, require, module, name, '.');
    return module;
  }
  try {
    const module = load(entry);
    let value = await module.returned;
    if (files[entry].kind === 'module') value = module.exports.default;
    if (files[entry].kind === 'commonjs') value = module.exports;
    if (typeof value === 'function') value = await value(args);
    return { value: value === undefined ? null : value };
  } catch (error) {
    const frames = [...String(error.stack).matchAll(/([\w./]+\.\w+):(\d+):(\d+)\)?$/gm)]
      .filter((frame) => frame[1] in files).map((frame) => [frame[1], +frame[2], +frame[3]]);
    return { error: String(error), frames };
  }
}
(async () => {
  const outcomes = [];
  for (const one of JSON.parse(require('node:fs').readFileSync(0, 'utf8'))) outcomes.push(await run(one));
  console.log(JSON.stringify(outcomes));
})();
";

fn kind(compiled: &Compiled) -> &'static str {
    match compiled.form.module {
        ModuleKind::Module(DefaultExport::Present | DefaultExport::Absent) => "module",
        ModuleKind::CommonJs => "commonjs",
        ModuleKind::Script => "script",
    }
}

type Files<'a> = Vec<(&'a str, &'a str)>;

fn prepare(compiler: &Compiler, files: &Files<'_>, args: &Value) -> Value {
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
    json!({"files": compiled, "entry": files[0].0, "args": args})
}

/// Runs the first file of each set. Returns `{value}`, or `{error, frames}` with frames in the emitted code.
pub(super) fn run_all(sets: &[Files<'_>], args: &Value) -> Vec<Value> {
    let compiler = Compiler::new();
    let input: Vec<Value> = sets.iter().map(|files| prepare(&compiler, files, args)).collect();
    let mut node = Command::new("node")
        .args(["-e", HARNESS])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("node is needed as the oracle");
    node.stdin.take().unwrap().write_all(Value::from(input).to_string().as_bytes()).unwrap();
    let output = node.wait_with_output().unwrap();
    let outcomes: Vec<Value> = serde_json::from_slice(&output.stdout).expect("the harness prints JSON");
    assert_eq!(outcomes.len(), sets.len());
    outcomes
}

/// Runs each TypeScript source, with `others` as further files, and compares its result.
pub(super) fn assert_values(table: &[(&str, Value)], others: &[(&str, &str)], args: &Value) {
    let sets: Vec<Files<'_>> = table.iter().map(|(source, _)| [&[("tool.ts", *source)], others].concat()).collect();
    for ((source, expected), outcome) in table.iter().zip(run_all(&sets, args)) {
        assert_eq!(outcome.get("value"), Some(expected), "{outcome}\n{source}");
    }
}
