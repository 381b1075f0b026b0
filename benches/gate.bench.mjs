/**
 * The cost of policy and ledger: a call allowed by no rules, by 50 and by 5 000, and one that is denied; `kernel.policy.explain`,
 * which parses the rules each time; a warm run with ledger and 50 rules compared with one without either; and the time until a
 * changed policy file takes effect.
 */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TGP, tgpTools } from '../index.js';
import { inTurns, percentile } from './measure.mjs';
import { QUICK, record } from './record.mjs';

const SIZES = [50, 5000];
const CALLS = Number(process.env.ROUNDS ?? (QUICK ? 200 : 3000));
/** Warm runs per batch, as in an application. */
const TURN = 25;
const TURNS = QUICK ? 20 : 120;
const RELOADS = QUICK ? 3 : 15;
const TOOL = 'tools/twice.ts';
const silent = { debug() {}, info() {}, warn() {}, error() {} };

/** @param {string} text */
const print = (text) => process.stdout.write(`${text}\n`);

/**
 * Rules of all kinds for other files, hosts and tables; the last three apply to the calls of this benchmark.
 * @param {number} count
 */
function rules(count) {
  const kinds = [
    (/** @type {number} */ n) => `{ id: r${n}, allow: [read, write], paths: ["lib/part${n}/**"] }`,
    (/** @type {number} */ n) =>
      `{ id: r${n}, deny: [run], paths: ["tools/secret${n}/**"], reason: "Not for agents." }`,
    (/** @type {number} */ n) => `{ id: r${n}, allow: [net], hosts: ["api${n}.example.com"], methods: [GET] }`,
    (/** @type {number} */ n) => `{ id: r${n}, ask: [sql], verbs: [update, delete], tables: ["orders${n}"] }`,
    (/** @type {number} */ n) => `{ id: r${n}, ask: [write_file], args: { /why: "reason ${n}" } }`,
  ];
  const others = Array.from({ length: count - 3 }, (_, n) => `  - ${kinds[n % kinds.length]?.(n)}\n`);
  const last = `  - { id: ours, allow: [run, write], paths: ["tools/**"] }\n  - { id: looking, allow: [list_files] }\n  - { id: never, deny: [read_file], paths: ["private/**"] }\n`;
  return `version: 1\ndefault: ask\nrules:\n${others.join('')}${last}`;
}

/**
 * A kernel with a tool and a given number of rules.
 * @param {{ size?: number, ledger: boolean }} options
 */
async function open({ size, ledger }) {
  const folder = mkdtempSync(join(tmpdir(), 'tgp-bench-'));
  const file = join(folder, 'tgp.policy.yaml');
  if (size !== undefined) writeFileSync(file, rules(size));
  const config = { rootDir: join(folder, 'root'), ledger, ...(size !== undefined && { policy: file }) };
  const kernel = new TGP({ config, logger: silent });
  const tools = tgpTools(kernel);
  await tools.write_file.execute({ path: TOOL, content: 'export default (args: { n: number }) => args.n * 2\n' });
  return {
    kernel,
    tools,
    file,
    run: async () => {
      const { result } = await kernel.exec(TOOL, { n: 21 });
      if (result !== 42) throw new Error(`twice 21 came back as ${result}`);
    },
    close: async () => {
      await kernel.shutdown();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** @typedef {Awaited<ReturnType<typeof open>>} Opened */

/** @param {string} name @param {number[]} values @param {string} group @param {number} [at] */
function report(name, values, group, at) {
  record(name, values, { group, ...(at !== undefined && { at }) });
  const [p50, p99] = [0.5, 0.99].map((share) => `${(1000 * percentile(values, share)).toFixed(1)} µs`.padStart(12));
  print(`  ${name.padEnd(44)} p50 ${p50}  p99 ${p99}`);
}

/** @param {Opened} opened */
async function explain({ kernel }) {
  const { verdict } = await kernel.policy.explain({ tool: 'read_file', args: { path: 'private/x.ts' } });
  if (verdict !== 'deny') throw new Error(`${verdict} instead of deny`);
}

/** The outcome of reading a file. @param {Opened} opened @param {string} path */
async function heard({ tools }, path) {
  return tools.read_file.execute({ path }).then(
    () => 'nothing',
    (/** @type {{ code?: string }} */ error) => error.code,
  );
}

/** A call that is not made. @param {Opened} opened */
async function denied(opened) {
  const code = await heard(opened, 'private/x.ts');
  if (code !== 'ERR_DENIED') throw new Error(`the call failed with ${code}`);
}

/** A call that does next to nothing once it is let in. @param {Opened} opened */
async function allowed({ tools }) {
  const found = await tools.list_files.execute({ dir: 'tools' });
  if (!JSON.stringify(found).includes('twice')) throw new Error('The list is not the right one.');
}

/** Kernels with increasing numbers of rules, in alternation: the difference is the cost of the decision. */
async function decisions() {
  const kernels = await Promise.all([open({ ledger: true }), ...SIZES.map((size) => open({ size, ledger: true }))]);
  const sizes = [0, ...SIZES];
  for (const [name, call] of Object.entries({ 'an allowed call': allowed, 'a denied call': denied })) {
    const judged = sizes.filter((size) => size > 0 || call !== denied);
    const candidates = judged.map((size) => {
      const opened = /** @type {Opened} */ (kernels[sizes.indexOf(size)]);
      return [String(size), () => call(opened)];
    });
    const times = await inTurns(Object.fromEntries(candidates), { rounds: CALLS, warmup: 50 });
    print(`\n${name}, from end to end, ${CALLS} in turns`);
    for (const [size, values] of Object.entries(times))
      report(`${name}, ${size} rules`, values, 'decisions', Number(size));
    const [none = [], ...others] = Object.values(times);
    if (call === allowed) {
      for (const [at, values] of others.entries()) {
        const added = 1000 * (percentile(values, 0.5) - percentile(none, 0.5));
        record(`added by ${SIZES[at]} rules`, [], { group: 'decisions', facts: { µs: added } });
        print(`  added by ${SIZES[at]} rules: ${added.toFixed(1)} µs (aim for 50: at most 20)`);
      }
    }
  }
  for (const [at, size] of SIZES.entries()) {
    const opened = /** @type {Opened} */ (kernels[at + 1]);
    const rounds = Math.max(5, Math.floor(CALLS / size));
    const { explained = [] } = await inTurns({ explained: () => explain(opened) }, { rounds, warmup: 2 });
    report(`kernel.policy.explain, ${size} rules`, explained, 'explain', size);
  }
  for (const opened of kernels) await opened.close();
}

/** Both kernels in this process, in alternation. */
async function warmRuns() {
  const kernels = {
    'neither ledger nor rules': await open({ ledger: false }),
    'ledger and 50 rules': await open({ size: 50, ledger: true }),
  };
  /** @type {Record<string, number[]>} */
  const times = Object.fromEntries(Object.keys(kernels).map((name) => [name, []]));
  for (let turn = -5; turn < TURNS; turn++) {
    for (const [name, opened] of Object.entries(kernels)) {
      for (let run = 0; run < TURN; run++) {
        const started = performance.now();
        await opened.run();
        // The first run of a batch follows a pause, in which a worker has prepared.
        if (turn >= 0 && run > 0) times[name]?.push(performance.now() - started);
      }
    }
  }
  print(`\nWarm run of a small tool, ${TURNS} turns of ${TURN}`);
  for (const [name, values] of Object.entries(times)) report(name, values, 'warm run');
  const [off = [], on = []] = Object.values(times);
  const more = 100 * (percentile(on, 0.5) / percentile(off, 0.5) - 1);
  record('added by ledger and 50 rules', [], { group: 'warm run', facts: { percent: more } });
  print(`  ${more.toFixed(1)} % more (aim: at most 5)`);
  for (const opened of Object.values(kernels)) await opened.close();
}

/** From the write of the file until a call is judged by it. @param {number} size */
async function reloads(size) {
  const opened = await open({ size, ledger: true });
  const { kernel, file } = opened;
  /** @type {{ read: number[], force: number[] }} */
  const times = { read: [], force: [] };
  for (let round = 0; round < RELOADS; round++) {
    const text = `${rules(size)}  - { id: now${round}, deny: [read_file], paths: ["round${round}/**"] }\n`;
    const begun = performance.now();
    writeFileSync(file, text);
    while ((await heard(opened, `round${round}/x.ts`)) !== 'ERR_DENIED') {
      if (performance.now() - begun > 20_000) throw new Error('The rules did not take effect.');
      await new Promise((done) => setTimeout(done, 5));
    }
    times.force.push(performance.now() - begun);
    const reading = performance.now();
    await kernel.policy.check(file);
    times.read.push(performance.now() - reading);
  }
  print(`\nA policy file of ${size} rules`);
  report('read, checked and understood', times.read, 'reload', size);
  report('in force, from the write on', times.force, 'reload', size);
  await opened.close();
}

await decisions();
await warmRuns();
for (const size of SIZES) await reloads(size);
