/**
 * The beginning of a tool that looks for functions outside its authority: in the frames of every visible stack, in the
 * callers, receivers and arguments of frames, and in every error. Each function of the tool itself has `guest_` in its
 * text, to tell it from the others.
 */
export const SPY = `
const guest_isObject = (guest_v) => (typeof guest_v === 'object' && guest_v !== null) || typeof guest_v === 'function';
const guest_sourceOf = Function.prototype.toString;
const guest_text = (guest_f) => { try { return guest_sourceOf.call(guest_f) } catch { return '' } };
const guest_own = (guest_f) => guest_text(guest_f).includes('guest_');
/** What the tool reaches by properties and prototypes alone. */
const known = new Set();
/** Functions that it does not, and where they were seen. */
const strangers = new Map();

const guest_members = (guest_v) => {
  const found = [[Object.getPrototypeOf(guest_v), 'prototype']];
  for (const key of Reflect.ownKeys(guest_v)) {
    const { value, get, set } = Object.getOwnPropertyDescriptor(guest_v, key) ?? {};
    found.push([value, String(key)], [get, String(key)], [set, String(key)]);
  }
  return found.filter(([guest_member]) => guest_isObject(guest_member));
};
function guest_walk(root) {
  const open = [root];
  while (open.length > 0) {
    const value = open.pop();
    if (known.has(value)) continue;
    known.add(value);
    for (const [member] of guest_members(value)) open.push(member);
  }
}

/** Takes note of every function behind a value that came from a frame, as soon as it is known what may be there. */
const guest_early = [];
let guest_learned = false;
function guest_harvest(root, how) {
  if (!guest_learned) { guest_early.push([root, how]); return }
  const open = [[root, how]];
  const seen = new Set();
  while (open.length > 0) {
    const [value, place] = open.pop();
    if (!guest_isObject(value) || known.has(value) || seen.has(value) || guest_hostile.has(value)) continue;
    seen.add(value);
    if (typeof value === 'function' && guest_own(value)) continue;
    if (typeof value === 'function' && !strangers.has(value)) strangers.set(value, place);
    try { for (const [member, key] of guest_members(value)) open.push([member, key + ' of ' + how]) } catch {}
    if (typeof value === 'function') for (const key of ['caller', 'arguments']) { try { open.push([value[key], key + ' of ' + how]) } catch {} }
  }
}

const guest_sites = (guest_error, sites) => {
  for (const site of sites) {
    guest_harvest(site, 'a call site');
    guest_harvest(site.getFunction?.(), 'getFunction of ' + site.getFunctionName?.());
    guest_harvest(site.getThis?.(), 'getThis of ' + site.getFunctionName?.());
  }
  return 'prepared';
};
/** Looks at the stack as it is now. At the end of a long one V8 takes its time to find a caller. */
let guest_looks = 0;
let guest_left = 0;
function guest_look(how) {
  guest_looks += 1;
  if (guest_looks > 2) return;
  try { void new Error('look').stack } catch {}
  try { const o = {}; Error.captureStackTrace(o); void o.stack } catch {}
  if (guest_left > 0) return;
  for (const f of [guest_look, guest_trap, guest_callback]) for (const key of ['caller', 'arguments']) { try { guest_harvest(f[key], how) } catch {} }
}
/** Errors are read when there is room again: V8 keeps the frames that they were thrown in. */
const guest_errors = [];
function guest_readErrors() {
  for (const made of guest_promises.splice(0)) if (made instanceof Promise) made.catch(guest_keep);
  for (const error of guest_errors.splice(0)) {
    if (!guest_isObject(error)) continue;
    void error.stack;
    guest_harvest(error, 'an error');
    if (typeof error.name === 'string' && error.name !== 'AggregateError' && !(error instanceof Error)) strangers.set(error, 'an error of another realm');
  }
}

const guest_hostile = new WeakSet();
function guest_trap() { guest_look('a trap') }
function guest_callback(...values) {
  guest_look('a callback');
  for (const value of values) guest_harvest(value, 'an argument of a callback');
  return 'x';
}
/** An object, or a function, that looks at the stack whenever anybody touches it. */
function guest_proxy(target) {
  const traps = {};
  for (const name of Object.getOwnPropertyNames(Reflect)) {
    traps[name] = (...guest_args) => {
      guest_trap();
      if (name === 'get') {
        const key = guest_args[1];
        if (key === Symbol.toPrimitive || key === 'toString' || key === 'valueOf') return guest_callback;
        if (key === Symbol.iterator) return function* () { guest_callback(); yield ['a', 'b'] };
        if (key === 'then' || key === 'toJSON' || key === 'handleEvent') return guest_callback;
        if (key === 'length') return 1;
      }
      if (name === 'apply') return guest_callback(...guest_args[2]);
      if (name === 'construct') { guest_callback(...guest_args[1]); return {} }
      return Reflect[name](...guest_args);
    };
  }
  const proxy = new Proxy(target, traps);
  guest_hostile.add(proxy);
  return proxy;
}
function guest_getters() {
  const value = {};
  for (const key of ['name', 'message', 'stack', 'cause', 'type', 'once', 'signal', 'method', 'headers', 'body', 'stream', 'fatal', 'transfer', 'cancelable', 'maxByteLength', 'handleEvent'])
    Object.defineProperty(value, key, { enumerable: true, get: () => { guest_look('a getter of ' + key); return undefined } });
  guest_hostile.add(value);
  return value;
}
/** An argument that \`build\` and \`run\` of the lazy stages accept: they call its file with all natives. */
const guest_bait = { file: (i) => (i === 0 ? guest_callback : undefined), globals: undefined };

const guest_arguments = () => [
  [],
  [guest_proxy({}), guest_proxy({}), guest_proxy({})],
  ['x', guest_proxy({}), guest_getters()],
  [guest_callback, guest_proxy(function guest_target() {}), guest_getters()],
  ['http://a/b?c=d', undefined, guest_callback],
  [guest_bait, guest_bait, guest_bait],
];

function guest_keep(error) { guest_errors.push(error) }
const guest_promises = [];
function guest_call(f, self, values) {
  guest_looks = 0;
  try {
    const made = Reflect.apply(f, self, values);
    // At the end of the stack there is no room for a call.
    if (typeof made === 'object') guest_promises[guest_promises.length] = made;
    return made;
  } catch (error) { guest_keep(error) }
}
function guest_construct(f, values) {
  guest_looks = 0;
  try { return Reflect.construct(f, values) } catch (error) { guest_keep(error) }
}

/**
 * Goes to the end of the stack and, on the way back, does the attempt with a little more room each time. \`pad\` moves all
 * of it by that many words. Whatever is attempted has run before: to compile it takes more room than to run it.
 */
function guest_dive(attempt, a, b) {
  try { guest_dive(attempt, a, b) } catch {}
  if (guest_left > 0) {
    guest_left -= 1;
    try { attempt(a, b) } catch (error) { guest_errors[guest_errors.length] = error }
  }
}
function guest_padded(levels, attempt, a, b, ...guest_pad) {
  guest_left = levels;
  guest_dive(attempt, a, b);
}
function guest_deep(levels, pad, attempt, a, b) {
  guest_padded(levels, attempt, a, b, ...Array(pad).fill(0));
}
const guest_touch = (guest_owner, key) => guest_owner[key];
guest_deep(3, 0, guest_touch, {}, 'x');
guest_errors.length = 0;

/** Tries what strangers are good for: one that calls what it is given may hand over more. */
function guest_exploit() {
  for (const stranger of [...strangers.keys()]) {
    if (typeof stranger === 'function') guest_call(stranger, undefined, [guest_bait, {}]);
  }
  guest_readErrors();
}
/** Where there was no room to read a function's text, it may have been taken for a stranger. */
const guest_found = () => [...strangers].filter(([stranger]) => typeof stranger !== 'function' || !guest_own(stranger)).map(([stranger, how]) => (stranger.name || guest_text(stranger).slice(0, 40)) + ': ' + how).sort();
async function guest_report() {
  guest_readErrors();
  guest_exploit();
  await new Promise((guest_done) => setTimeout(guest_done, 5));
  guest_readErrors();
  return guest_found();
}
/** Everything that the tool may have: its globals, what a module is given, an error's members, and what a call site is. */
function guest_learn(...more) {
  const strict = (function guest_strict(...guest_rest) { return arguments })();
  for (const value of [globalThis, new Error('x'), strict, ...more]) guest_walk(value);
  const { prepareStackTrace } = Error;
  Error.prepareStackTrace = (guest_error, sites) => sites;
  for (const value of [].concat(new Error('x').stack)) if (guest_isObject(value)) guest_walk(value);
  Error.prepareStackTrace = prepareStackTrace;
  guest_learned = true;
  for (const [root, how] of guest_early.splice(0)) guest_harvest(root, how);
}
Error.stackTraceLimit = 8;
Error.prepareStackTrace = guest_sites;
`;
