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
  // Classes, regular expressions, objects.
  'realm.is = (value) => value instanceof realm.Error;',
  'const digits = /[0-9]+/;',
  'class Mine { text() { return this.toText(); } }',
  'class Mine { text() { const { name } = this; return name; } }',
  'class Mine extends realm.Event { text() { return super.type; } }',
  'const KEY = { __proto__: null }; class Mine extends realm.Event { constructor(name) { super(KEY, name); } }',
  'class Mine extends realm.Event { constructor(key, name) { super(key, name); } }',
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
  ]);

export const KEPT_SCRIPTS = [
  'const { JSONStringify, push } = realm; realm.text = (value) => JSONStringify(value);',
  'realm.list = () => { const items = realm.list(); realm.push(items, 1); return items; };',
  'realm.make = (message) => new realm.TypeError(message);',
  'const { Map } = realm; realm.make = () => new Map();',
  'const { own } = realm.promises; realm.use = async (promise) => { await own(promise); };',
  'realm.use = async () => { await undefined; };',
  'realm.use = (promise) => realm.then(realm.own(promise), realm.done);',
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
  'realm.read = (value) => { const { get } = realm.getOwnPropertyDescriptor(value, "a"); return get; };',
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
