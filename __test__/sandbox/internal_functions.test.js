import { describe, expect, it } from 'vitest';
import { createKernel } from '../helpers/create_kernel.js';
import { SPY } from '../helpers/frame_spy.js';

const LIMITS = { timeoutMs: 120_000, wallMs: 120_000, memoryMb: 512, workers: 1 };
/** Words of padding on the stack, varied between runs so that the stack ends at every position. */
const PADS = [0, 4, 8, 12];

async function sandbox() {
  /** @type {unknown[]} */
  const reported = [];
  const sandboxAPI = { tell: (/** @type {unknown} */ value) => void reported.push(value) };
  const { tools, kernel } = await createKernel({ sandbox: LIMITS }, { sandboxAPI });
  await tools.write_file.execute({ path: 'tools/data.json', content: '{"a":1}' });
  await tools.write_file.execute({ path: 'tools/lib.ts', content: 'export const one = 1' });
  await tools.write_file.execute({ path: 'tools/fails.ts', content: "throw new Error('nested')" });
  const guest = async (/** @type {string} */ body) => {
    // JavaScript without imports and exports is sloppy: its functions have `caller` and `arguments`.
    const content = `${SPY}module.exports = async function guest_main(args) { ${body} }`;
    await tools.write_file.execute({ path: 'tools/spy.js', content });
    return async (/** @type {object} */ args = {}, /** @type {import('../../index.js').ExecOptions} */ options = {}) =>
      (await kernel.exec('tools/spy.js', args, options)).result;
  };
  return { guest, reported };
}

/** First uses of a part of the realm, made at the end of the stack. */
const FIRST_USES = {
  URL: "guest_touch, globalThis, 'URL'",
  Response: "guest_touch, globalThis, 'Response'",
  ReadableStream: "guest_touch, globalThis, 'ReadableStream'",
  console: "guest_touch, globalThis, 'console'",
  'tgp.fetch': "guest_touch, tgp, 'fetch'",
  'tgp.log': "(guest_log) => guest_log({ a: new Error('x') }), tgp.log",
  'tgp.read_file': "(guest_read) => guest_read('nowhere/at/all'), tgp.read_file",
  require: '(guest_require) => guest_require(Symbol()), require',
  'require of a file': "(guest_require) => guest_require('./' + 'data.json'), require",
  'require of a module': "(guest_require) => guest_require('./' + 'lib'), require",
};

describe('THREAT: a tool that looks for internal functions in frames', () => {
  it('finds none when the stack overflows while a global is built; the next use builds it completely', async () => {
    const { guest } = await sandbox();
    const uses = Object.entries(FIRST_USES).map(([name, use]) => `${JSON.stringify(name)}: [${use}]`);
    const attempt = await guest(`
      const [guest_use, ...what] = { ${uses.join(', ')} }[args.use];
      guest_use(() => 'guest_', 'x');
      guest_deep(700, args.pad, guest_use, ...what);
      const thrown = guest_errors.length;
      guest_learn(require, module, exports);
      const found = await guest_report();
      console.log('a line', { with: new URL('http://a/b') });
      const works = [new URL('http://a/b?c=d').searchParams.get('c'), new TextDecoder().decode(new TextEncoder().encode('é')),
        structuredClone(new Map([[1, [2]]])).get(1)[0], atob(btoa('x')), new Headers({ a: 'b' }).get('A'), crypto.randomUUID().length,
        tgp.fetch === fetch, new DOMException('x') instanceof Error, AbortSignal.abort(1).reason, require('./data.json').a, require('./' + 'lib').one,
        await new Promise((guest_done) => setTimeout(guest_done, 1, 'timer')), String(tgp.log(new Error('told')))];
      return { thrown, found, works };`);
    for (const use of Object.keys(FIRST_USES)) {
      for (const pad of PADS) {
        const { thrown, found, works } = await attempt({ use, pad });
        expect({ use, pad, found }).toEqual({ use, pad, found: [] });
        expect(thrown, use).toBeGreaterThan(0);
        expect(works, use).toEqual(['d', 'é', 2, 'x', 'b', 36, true, true, 1, 1, 1, 'timer', 'undefined']);
      }
    }
  });

  it('finds none in any reachable function, at any stack depth, with any arguments', async () => {
    const { guest, reported } = await sandbox();
    const sweep = await guest(`
      guest_learn(require, module, exports);
      const guest_instances = () => [new URL('http://a/?b=c'), new URLSearchParams('a=b'), new Headers({ a: 'b' }), new TextDecoder(), new TextEncoder(), new AbortController(),
        new AbortController().signal, new Event('x'), new EventTarget(), new DOMException('x'), crypto, console, tgp,
        new CustomEvent('x'), performance, performance.mark('x'), crypto.subtle, new Blob(['x']), new File(['x'], 'y'), new FormData(), new Request('http://a'),
        new Response('x'), new ReadableStream(), new ReadableStream().getReader(), new WritableStream(), new WritableStream().getWriter(), new TransformStream(),
        new TextEncoderStream(), new TextDecoderStream(), new CompressionStream('gzip'), new DecompressionStream('gzip'), new CountQueuingStrategy({ highWaterMark: 1 }), new Date(0), new Intl.DateTimeFormat('en')];
      for (const value of [...guest_instances(), await fetch('http://127.0.0.1:1').catch((guest_e) => guest_e)]) guest_walk(value);
      const ours = [...known].filter((guest_f) => typeof guest_f === 'function' && !guest_own(guest_f) && !guest_text(guest_f).includes('[native code]'))
        .filter((guest_f) => args.only === undefined || args.only.includes(guest_f.name));
      const sloppy = ours.filter((guest_f) => Object.hasOwn(guest_f, 'caller') || Object.hasOwn(guest_f, 'arguments')).map((guest_f) => guest_f.name);
      let guest_self;
      let guest_pad = 0;
      const guest_attempt = (f, values) => { guest_call(f, guest_self, values); guest_construct(f, values) };
      for (const f of ours) {
        for (const values of guest_arguments()) {
          guest_self = guest_instances().find((guest_i) => guest_members(Object.getPrototypeOf(guest_i)).some(([guest_m]) => guest_m === f));
          guest_attempt(f, values);
          guest_deep(20, guest_pad++ % 19, guest_attempt, f, values);
          guest_readErrors();
        }
      }
      tgp.tell([guest_found(), sloppy, ours.length]);
      return guest_report();`);
    // If the stack overflows inside an async function, a promise that it created stays without a handler.
    const attempt = (/** @type {Parameters<typeof sweep>} */ ...options) =>
      sweep(...options).catch((error) => {
        expect(error.message).toBe('Maximum call stack size exceeded (in a promise that the tool did not await)');
        return [];
      });
    expect(await attempt()).toEqual([]);
    // A seed and a clock add a few functions.
    expect(await attempt({ only: ['random', 'Date', 'now', 'format', ''] }, { seed: 1, now: 0 })).toEqual([]);
    // The sweep calls the application's function too.
    const reports = /** @type {[string[], string[], number][]} */ (reported.filter(Array.isArray));
    expect(reports).toEqual(Array(2).fill([[], [], expect.any(Number)]));
    const [[, , swept], [, , seeded]] = reports;
    expect(swept).toBeGreaterThan(300);
    expect(seeded).toBeGreaterThan(4);
  });

  it('finds none in asynchronous frames, callbacks or host answers, or while its result is read', async () => {
    const { guest } = await sandbox();
    const look = await guest(`
      guest_learn(require, module, exports);
      const guest_note = (guest_e) => { guest_looks = 0; guest_look('a callback'); if (guest_e instanceof Error) guest_keep(guest_e) };
      const target = new EventTarget();
      target.addEventListener('x', guest_note);
      target.addEventListener('x', { get handleEvent() { guest_note(); return guest_note } });
      target.dispatchEvent(new Event('x'));
      const abort = new AbortController();
      abort.signal.onabort = guest_note;
      AbortSignal.any([abort.signal]).addEventListener('abort', guest_note);
      const fetched = fetch('http://127.0.0.1:1', { get signal() { guest_note(); return abort.signal } }).catch(guest_note);
      abort.abort();
      class Other extends Promise { static get [Symbol.species]() { guest_note(); return Other } then(...guest_values) { guest_note(); return super.then(...guest_values) } }
      const { then } = Promise.prototype;
      Object.defineProperty(Promise, Symbol.species, { configurable: true, get() { guest_note(); return Other } });
      Promise.prototype.then = function guest_then(...values) { guest_note(); return then.apply(this, values) };
      Object.defineProperty(Promise.prototype, 'constructor', { configurable: true, get() { guest_note(); return Other } });
      const waits = [fetched, tgp.exec_tool('tools/fails.ts').catch(guest_note), tgp.exec_tool({ get a() { guest_note() } }).catch(guest_note),
        new Promise((guest_done) => setTimeout((...guest_values) => { guest_note(); guest_values.forEach((guest_v) => guest_harvest(guest_v, 'timer')); guest_done() }, 1, 'x')),
        new Promise((guest_done) => queueMicrotask(() => { guest_note(); guest_done() }))];
      for (const wait of waits) await wait;
      Promise.prototype.then = then;
      for (const hostile of [guest_proxy({}), guest_getters()]) {
        for (const f of [structuredClone, tgp.log, console.log, tgp.read_file, atob, btoa]) { try { f(hostile) } catch (guest_e) { guest_keep(guest_e) } }
      }
      const early = await guest_report();
      return { early, toJSON() { guest_note(); guest_readErrors(); return { early, late: [...strangers].map(([guest_s, how]) => guest_s.name + ': ' + how) } } };`);
    expect(await look()).toEqual({ early: [], late: [] });
  });
});
