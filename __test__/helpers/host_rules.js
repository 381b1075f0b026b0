/**
 * Rules that protect the application's process: data from outside is read up to a limit, walked to a depth and handled
 * behind a boundary, each in one place.
 */

import { callsOf, codeOfJs, isMadeGuarded } from './js_source.js';
import { codeOf, isRustSource, isTestFile, withoutTests } from './rust_source.js';

/** @typedef {import('./architecture_rules.js').Rule} Rule */

/** Files that these rules do not cover yet. */
const NOT_YET_JS = /^js\/sql\//;
const NOT_YET_RUST = /^crates\/(?:git|sandbox)\//;

/** Callbacks that cannot fail: they settle a promise, end the process, or do nothing. */
const HARMLESS = /^(?:resolve|reject|ignored|leave|\(\) => \{\})$/;
/** Which argument of each call is the callback; the others are the last one. */
const CALLBACK_FIRST = new Set(['setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask']);
const LISTENING =
  /\??\.(?:on|once|addListener|prependListener|addEventListener)|(?<![\w$.])(?:setTimeout|setInterval|setImmediate|queueMicrotask|createServer)/;

/** The files that may call JavaScript, and the functions whose texts are always short. */
const CROSSING_CALLBACKS = ['src/binding/js_callback.rs', 'src/binding/run_ends.rs'];
const SHORT_TEXTS = ['call_name', 'default_config', 'engine_version', 'error_codes', 'kernel_tools', 'masked'];

/** @param {string} path */
const isJs = (path) => /^js\/(?!types\/).*\.ts$/.test(path) && !NOT_YET_JS.test(path);

/** @param {string} path */
const isRust = (path) => isRustSource(path) && !isTestFile(path) && !NOT_YET_RUST.test(path);

/**
 * @param {string} code
 * @param {{ name: string, args: string[] }} call
 */
function isBounded(code, { name, args }) {
  if (name === 'createServer') return !args.some((argument) => /=>|\bfunction\b/.test(argument));
  const callback = CALLBACK_FIRST.has(name) ? args[0] : args[1];
  if (callback === undefined) return true;
  return HARMLESS.test(callback) || callback.startsWith('guarded(') || isMadeGuarded(code, callback);
}

/** @type {Rule[]} */
export const HOST_RULES = [
  {
    name: 'callbacks of foreign code have a boundary',
    check: ({ path, text }) => {
      if (!isJs(path)) return [];
      const code = codeOfJs(text);
      return callsOf(code, LISTENING)
        .filter((call) => !isBounded(code, call))
        .map(({ name, args }) => `${name}(${args.join(', ').slice(0, 60)}): hand it a callback from guarded(…)`);
    },
    broken: [
      { path: 'js/a.ts', text: "socket.on('data', (chunk) => read(chunk));" },
      { path: 'js/a.ts', text: "socket.once('end', done);" },
      { path: 'js/a.ts', text: "signal?.addEventListener('abort', cancel, { once: true });" },
      { path: 'js/a.ts', text: 'const timer = setTimeout(() => stop(), 10);' },
      { path: 'js/a.ts', text: 'setInterval(look, 10).unref();' },
      { path: 'js/a.ts', text: 'queueMicrotask(() => {\n  go();\n});' },
      { path: 'js/a.ts', text: 'createServer((request, response) => serve(request, response));' },
      { path: 'js/mcp/a.ts', text: "class A { #onData = (x) => x; start() { this.input.on('data', this.#onData); } }" },
    ],
    kept: [
      { path: 'js/a.ts', text: "socket.on('data', guarded(fail, (chunk) => read(chunk)));" },
      { path: 'js/a.ts', text: "const end = guarded(fail, () => stop());\nsocket.on('end', end);" },
      {
        path: 'js/a.ts',
        text: "class A {\n  #onData = guarded(fail, read);\n  start() { this.input.on('data', this.#onData); }\n}",
      },
      { path: 'js/a.ts', text: "new Promise((resolve) => stream.once('end', resolve));" },
      { path: 'js/a.ts', text: '// socket.on(\'data\', read)\nconst text = "setTimeout(x)";' },
      { path: 'js/a.ts', text: "await once(server, 'listening');" },
      { path: 'js/a.ts', text: 'const server = createServer({ maxHeaderSize: 1 });' },
      { path: 'js/sql/run/transaction.ts', text: "client.on('error', () => {});" },
    ],
  },
  {
    name: 'foreign files, streams, JSON and URLs are read in one place each',
    check: ({ path, text }) => {
      if (!isJs(path)) return [];
      const code = codeOfJs(text);
      const found = [];
      if (path !== 'js/boundary/bounded_read.ts') {
        if (/(?<![.\w#])readFile(?:Sync)?\((?!\w+(?:: string)?\)\s*\{)|\bfs\.readFile/.test(code))
          found.push('readFile');
        if (/node:stream\/consumers/.test(text)) found.push('stream/consumers');
        if (/Buffer\.concat\(/.test(code)) found.push('Buffer.concat');
      }
      if (!['js/boundary/foreign_json.ts', 'js/boundary/unwrap.ts'].includes(path) && /\bJSON\.parse\(/.test(code))
        found.push('JSON.parse');
      if (path !== 'js/boundary/foreign_url.ts' && /\bnew URL\((?!'',\s*import\.meta\.url\))/.test(code))
        found.push('new URL');
      return found.map(
        (what) => `uses ${what}: there is a helper in js/boundary/bounded_read.ts, foreign_json.js or foreign_url.js`,
      );
    },
    broken: [
      { path: 'js/a.ts', text: "const text = await readFile(path, 'utf8');" },
      { path: 'js/a.ts', text: "import { text } from 'node:stream/consumers';" },
      { path: 'js/a.ts', text: 'this.received = Buffer.concat([this.received, chunk]);' },
      { path: 'js/a.ts', text: 'const { url } = JSON.parse(body);' },
      { path: 'js/a.ts', text: "const { pathname } = new URL(request.url, 'http://localhost');" },
    ],
    kept: [
      { path: 'js/a.ts', text: "const here = new URL('../package.json', import.meta.url);" },
      { path: 'js/a.ts', text: 'const text = await vfs.readFile(path);' },
      { path: 'js/a.ts', text: 'const value = parseForeignJson(await readTextAtMost(path));' },
      { path: 'js/boundary/bounded_read.ts', text: 'return Buffer.concat(chunks);' },
    ],
  },
  {
    name: 'data from outside is read up to a limit',
    check: ({ path, text }) => {
      if (!isRust(path) || path === 'crates/base/src/bounded_read.rs') return [];
      const code = codeOf(withoutTests(text));
      const unbounded =
        /\.read_to_end\(|\.read_to_string\(|\bfs::read(?:_to_string)?\(|\bfrom_reader\(|\bio::copy\(|disable_recursion_limit/;
      const found = unbounded.exec(code);
      return found ? [`uses ${found[0]}: read with tgp_base::bounded_read`] : [];
    },
    broken: [
      { path: 'crates/net/src/fetcher.rs', text: 'fn f() { body.read_to_end(&mut bytes)?; }' },
      { path: 'crates/vfs/src/disk_vfs.rs', text: 'fn f() { std::fs::read_to_string(path)?; }' },
      { path: 'src/kernel/config/config.rs', text: 'fn f() { serde_json::from_reader(file)?; }' },
    ],
    kept: [
      { path: 'crates/base/src/bounded_read.rs', text: 'fn f() { reader.take(9).read_to_end(&mut bytes)?; }' },
      {
        path: 'crates/vfs/src/disk_vfs.rs',
        text: 'fn f() {}\n#[cfg(test)]\nmod tests { fn g() { file.read_to_end(&mut b); } }',
      },
    ],
  },
  {
    name: 'texts are passed to JavaScript as an outcome, which bounds them',
    check: ({ path, text }) => {
      if (!path.startsWith('src/binding/') || !isRust(path)) return [];
      const code = codeOf(withoutTests(text));
      const found = [];
      if (!CROSSING_CALLBACKS.includes(path) && /\bThreadsafeFunction\b/.test(code)) found.push('a callback');
      if (path !== 'src/binding/binding_outcome.rs' && /\bBindingOutcome \{ \w+(?::(?!:)|,)/.test(code))
        found.push('an outcome that is made by hand');
      for (const [, name] of code.matchAll(
        /#\[napi[^\]]*\]\s*(?:#\[[^\]]*\]\s*)*pub fn (\w+)[^{;]*->[^{;]*\bString\b/g,
      )) {
        if (name !== undefined && !SHORT_TEXTS.includes(name)) found.push(`a text from ${name}`);
      }
      return found.map(
        (what) => `hands JavaScript ${what}: a text that it cannot hold ends the process; use BindingOutcome`,
      );
    },
    broken: [
      { path: 'src/binding/log.rs', text: 'type Callback = ThreadsafeFunction<String, ()>;' },
      { path: 'src/binding/log.rs', text: '#[napi]\npub fn text(&self, path: String) -> String { self.text(path) }' },
      { path: 'src/binding/log.rs', text: '#[napi]\n#[must_use]\npub fn text() -> Option<String> { None }' },
      { path: 'src/binding/log.rs', text: 'fn f() -> X { BindingOutcome { value: Some(text), error: None } }' },
    ],
    kept: [
      {
        path: 'src/binding/log.rs',
        text: '#[napi]\npub fn text(&self, path: String) -> BindingOutcome { outcome(path) }',
      },
      {
        path: 'src/binding/binding_ledger.rs',
        text: '#[napi]\npub fn call_name(&self, number: u32) -> String { name(number) }',
      },
      { path: 'src/binding/run_ends.rs', text: 'type Callback = ThreadsafeFunction<Arguments, ()>;' },
      { path: 'src/kernel/a.rs', text: 'pub fn text() -> String { String::new() }' },
    ],
  },
];
