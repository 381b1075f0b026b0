/** Examples for the rule of guest scripts: what it refuses, and what it accepts. */

/** @typedef {import('./source_tree.js').SourceFile} SourceFile */

const LAZY = 'crates/sandbox/src/engine/lazy';
const BOOTSTRAP = 'crates/sandbox/src/engine/isolate/bootstrap';

/** @param {string} body @returns {SourceFile} */
const lazily = (body) => ({ path: `${LAZY}/blob.js`, text: `(function blobs(realm, native) { ${body} });` });

/** @param {string} file @param {string} text @returns {SourceFile} */
const bootstrap = (file, text) => ({ path: `${BOOTSTRAP}/${file}`, text });

export const BROKEN_SCRIPTS = [
  // Globals.
  'JSON.stringify(1);',
  'const text = JSON.parse(native.source(1));',
  'Object.keys(native);',
  'Reflect.apply(native.log, undefined, native.values);',
  'const { URL } = globalThis;',
  'realm.global = globalThis.Map;',
  'realm.text = (value) => String(value);',
  'const error = new TypeError("x");',
  'const { Map } = realm; realm.make = () => new Set();',
  'realm.wait = () => Promise.resolve(1);',
  'realm.size = Math.floor(1.5);',
  'class Mine extends Error {}',
  'typeof Symbol;',
  // Methods and accessors of prototypes.
  'const items = []; items.push(1);',
  'realm.first = (map) => map.get(1);',
  'realm.later = (promise) => promise.then(realm.done);',
  'realm.later = (promise) => promise.catch(realm.done);',
  'realm.text = (value) => value.toString();',
  'realm.text = (value) => value?.toString();',
  'realm.part = (text) => text.slice(1);',
  'realm.call = (task, self) => task.call(self);',
  'realm.call = (task, self) => task.bind(self);',
  'realm.all = (names) => names.map((name) => name);',
  'realm.own = (value, name) => value.hasOwnProperty(name);',
  'const state = { __proto__: null, items: [] }; realm.add = (other) => other.items.push(1);',
  'realm.length = (bytes) => bytes.byteLength;',
  'realm.memory = (bytes) => bytes.buffer;',
  'realm.text = (pattern) => pattern.source;',
  'realm.name = (symbol) => symbol.description;',
  'realm.read = (value) => realm.getOwnPropertyDescriptor(value, "a").value;',
  'const { getOwnPropertyDescriptor } = realm; realm.read = (value) => getOwnPropertyDescriptor(value, "a")?.value;',
  // Iteration.
  'realm.copy = (items) => [...items];',
  'realm.call = (task, values) => task(...values);',
  'realm.make = (Type, values) => new Type(...values);',
  'realm.first = (pair) => { const [name] = pair; return name; };',
  'realm.first = ([name]) => name;',
  'realm.swap = (a, b) => { [a, b] = realm.pair(b, a); };',
  'realm.each = (items) => { for (const item of items) realm.add(item); };',
  'realm.each = async (items) => { for await (const item of items) realm.add(item); };',
  'realm.each = (value) => { for (const name in value) realm.add(name); };',
  'realm.each = function* (items) { yield* items; };',
  'const seen = new realm.Map(native.pairs);',
  // Promises.
  'realm.use = async (promise) => { await promise; };',
  'realm.use = async () => await realm.ask("x");',
  'realm.use = () => realm.then(realm.ask("x"), realm.done);',
  'realm.use = (promise) => realm.then(realm.own(promise), realm.done);',
  'realm.use = async () => realm.ask("x");',
  'realm.use = () => new realm.Promise((resolve) => { resolve(realm.ask("x")); });',
  'realm.use = async function* () { yield realm.ask("x"); };',
  'realm.use = async () => new realm.Uint8Array(3);',
  'realm.use = async () => { return { value: 1, done: false }; };',
  'realm.use = (later, bytes) => { later.resolve(bytes); };',
  'realm.use = (text) => new realm.Promise((resolve) => { resolve(realm.JSONParse(text)); });',
  'realm.use = async (step) => { const bytes = realm.copyBytes(step, 0, 1); return bytes; };',
  'const { settled } = realm.promises; realm.use = () => settled([1]);',
  // Members that are taken apart, computed, or of another name of `this`.
  'realm.read = (bytes) => { const { byteLength, buffer } = bytes; return byteLength; };',
  'realm.read = (promise) => { const { then } = promise; return then; };',
  'realm.read = ({ byteLength }) => byteLength;',
  "realm.read = (text) => text['slice'](1);",
  "realm.read = (promise, done) => promise['then'](done);",
  "class Mine { text() { return this['toText'](); } }",
  'class Mine { text() { const self = this; return self.toText(); } }',
  'class Mine { text() { let name; ({ name } = this); return name; } }',
  'class Mine { helper() {} } realm.use = () => { const mine = new Mine(); return mine.helper(); };',
  // Members of classes that guests reach.
  'realm.read = (value) => realm.Object.keys(value);',
  'realm.read = () => realm.Promise.resolve(1);',
  'const { Uint8Array } = realm; realm.read = (value) => Uint8Array.from(value);',
  'const NativeDate = realm.Date; realm.read = () => NativeDate.now();',
  // Constructors that iterate.
  'const { Uint8Array } = realm; realm.read = (value) => new Uint8Array(value);',
  'realm.read = (pairs) => realm.ReflectConstruct(realm.Map, [pairs]);',
  // Members that may be missing.
  'realm.read = (text) => realm.JSONParse(text).base64;',
  'realm.read = (text) => { const answer = realm.JSONParse(text); return answer.base64; };',
  "realm.read = (value) => 'x' in value;",
  'realm.read = (text) => text[text.length];',
  'realm.read = (fn) => fn.prototype;',
  'realm.copy = (a, b) => realm.defineProperty(a, "x", realm.getOwnPropertyDescriptor(b, "x"));',
  'realm.read = (value) => { const found = realm.getOwnPropertyDescriptor(value, "a"); return found.value; };',
  'realm.read = (value) => { const { get } = realm.getOwnPropertyDescriptor(value, "a"); return get; };',
  'realm.fill = (list) => { const out = realm.toArray(list); out[9] = 1; return out; };',
  'realm.text = (list) => realm.JSONStringify(realm.toArray(list));',
  // Names of a block are not those of its function.
  'realm.read = (list) => { if (list) { const JSON = 1; } return JSON.parse(list); };',
  // Classes, objects.
  'realm.is = (value) => value instanceof realm.Error;',
  'class Mine { text() { return this.toText(); } }',
  'class Mine { text() { const { name } = this; return name; } }',
  'class Mine extends realm.Event { constructor() { super(); } text() { return super.type; } }',
  'const KEY = { __proto__: null }; class Mine extends realm.Event { constructor(name) { super(KEY, name); } }',
  'class Mine extends realm.Event { constructor(key, name) { super(key, name); } }',
  'class Mine extends realm.Event {} realm.make = () => new Mine(native);',
  'class Mine extends realm.Event { constructor(secret) { super(secret); } } realm.make = () => new Mine(native);',
  'const KEY = { __proto__: null }; class Mine extends realm.Event { constructor(a) { super(a); } } realm.make = () => new Mine(KEY);',
  'class Mine extends realm.Event { constructor(name) { super(realm.textOf(name)); } }',
  'realm.define = (value) => realm.defineProperty(value, "a", { value: 1 });',
  'const options = {};',
  'const out = []; out[0] = 1;',
  'realm.fill = (name) => { const out = []; out[name] = 1; return out; };',
]
  .map(lazily)
  .concat([
    // A function that the snapshot calls is not one that it only defines.
    bootstrap('host.js', '(function host(realm) { realm.askNow = () => JSON.parse("1"); });'),
    bootstrap('tgp.js', '(function bridge(realm) { const log = () => globalThis.console; });'),
    bootstrap(
      'clock.js',
      '(function clockAndChance(realm) { realm.startClock = () => { realm.x = () => Date.now(); }; });',
    ),
    // A lazy script of the snapshot runs after the guest has begun.
    bootstrap('timers.js', '(function timers(realm) { const { floor } = Math; });'),
    bootstrap('unheard_of.js', '(function unheardOf(realm) { const { floor } = Math; });'),
    // The guest has run when `load` returns.
    bootstrap(
      'start.js',
      '(function entry(realm) { async function start(entry) { const loaded = realm.load(entry); return JSON.stringify(loaded); } });',
    ),
    bootstrap(
      'start.js',
      '(function entry(realm) { async function start(entry) { return await realm.load(entry).completion; } });',
    ),
  ]);

export const UNREADABLE_SCRIPTS = [
  lazily('const digits = /[0-9]+/;'),
  bootstrap(
    'primordials.js',
    '(function primordials(realm) { const a = /[/*]x/; realm.guard(); const b = /[*/]y/; });',
  ),
  lazily('realm.a(); // b\r realm.c();'),
  lazily('realm.a(); // b\u2028 realm.c();'),
];

export const KEPT_SCRIPTS = [
  'const { JSONStringify, push } = realm; realm.text = (value) => JSONStringify(value);',
  'realm.list = () => { const items = realm.list(); realm.push(items, 1); return items; };',
  'realm.make = (message) => new realm.TypeError(message);',
  'const { Map } = realm; realm.make = () => new Map();',
  'const { own } = realm.promises; realm.use = async (promise) => { await own(promise); };',
  'realm.use = async () => { await undefined; };',
  'const queue = { __proto__: null, at: 0, delete: () => undefined }; realm.next = () => queue.delete();',
  'const { promises } = realm; realm.next = (queue) => promises.take(queue);',
  'native.log(1, "text");',
  'realm.copy = (state) => ({ __proto__: null, ...state });',
  'const { size } = { size: (chunk) => chunk.length };',
  'realm.each = (items) => { for (let i = 0; i < items.length; i++) realm.add(items[i]); };',
  'realm.keep = (...values) => values;',
  'class Mine { #name; get name() { return this.#name; } static { realm.isMine = (value) => #name in value; } }',
  'class Mine { #find() {} get() { return this.#find(); } }',
  'class Mine extends realm.Event { constructor(type, init) { super(type, init); } }',
  'realm.read = (value) => { const found = { __proto__: null, ...realm.getOwnPropertyDescriptor(value, "a") }; return found.get; };',
  'const boxed = (bytes) => ({ __proto__: null, bytes }); realm.use = async (bytes) => boxed(bytes);',
  'realm.use = async (promise) => { const { bytes } = await realm.own(promise); return bytes === undefined; };',
  'const { Uint8Array } = realm; realm.make = (text) => new Uint8Array(text.length / 2);',
  'realm.read = (list) => { if (list) { const JSON = 1; return JSON; } };',
  'function inner() { return arguments.length; }',
  'const Fixed = function ArrayBuffer() { return new.target; };',
  'realm.is = (value) => value !== value || value === Infinity;',
  'const out = []; out.length = 5; realm.put(out, 0, 1);',
  'const collect = (parts) => { for (const part of parts) realm.add(part); };',
]
  .map(lazily)
  .concat([
    bootstrap('host.js', '(function host(realm) { const { parse } = JSON; });'),
    bootstrap(
      'start.js',
      "(function entry(realm) { async function start(args) { realm.define(globalThis, 'args', args); } });",
    ),
    bootstrap(
      'clock.js',
      '(function clockAndChance(realm) { realm.startClock = () => { realm.x = Math.floor(1); }; });',
    ),
    { path: 'shims/util.cjs', text: 'JSON.stringify([...values]);' },
    { path: 'js/kernel/tgp.ts', text: 'JSON.stringify([...values]);' },
  ]);
