/** Runs a checkout of test262, the ECMAScript conformance tests. */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';

/**
 * @typedef {{ write: (name: string, text: string) => string, exec: (path: string) => Promise<import('../outcome.mjs').Outcome> }} Sandbox
 * @typedef {{ flags: string[], includes: string[], features: string[], negative?: { phase: string, type: string } }} Facts
 */

/** Skipped features: those that guests deliberately lack (docs/sandbox.md), and those that need another engine or a browser. */
const WITHHELD =
  /^(Atomics.*|SharedArrayBuffer|resizable-arraybuffer|cross-realm|IsHTMLDDA|ShadowRealm|tail-call-optimization|host-gc-required|caller)$/;
const FROM_TEXT = /\beval\b|\bFunction\s*\(|GeneratorFunction\(|evalScript|createRealm|\$262\.agent/;

/** The host functions that every test may use. */
const HOST = `
globalThis.$262 = { global: globalThis, gc() {}, detachArrayBuffer: (buffer) => { buffer.transfer(); } };
`;
const DONE = `
let $settle;
const $finished = new Promise((resolve, reject) => { $settle = (error) => (error ? reject(error) : resolve()); });
globalThis.$DONE = $settle;
`;

/** @param {string} folder */
export const isAt = (folder) => existsSync(join(folder, 'harness/assert.js')) && existsSync(join(folder, 'test'));

/**
 * @param {string} folder
 * @param {Sandbox} sandbox
 * @param {string} only where under `test` to look
 */
export async function run(folder, sandbox, only) {
  const root = join(folder, 'test');
  /** @type {Map<string, { passed: number, failed: number, out: number }>} */
  const areas = new Map();
  const failures = [];
  for (const file of testsIn(join(root, only))) {
    const name = relative(root, file).split(sep).join('/');
    const area = name.split('/').slice(0, -1).slice(0, 2).join('/');
    const sums = areas.get(area) ?? { passed: 0, failed: 0, out: 0 };
    areas.set(area, sums);
    const text = readFileSync(file, 'utf8');
    const facts = factsOf(text);
    if (facts.features.some((feature) => WITHHELD.test(feature)) || FROM_TEXT.test(text)) {
      sums.out += 1;
      continue;
    }
    for (const variant of variantsOf(facts)) {
      const outcome = await runVariant(folder, sandbox, file, name, text, facts, variant);
      if (passes(outcome, facts)) {
        sums.passed += 1;
      } else {
        sums.failed += 1;
        const why = 'error' in outcome ? `${outcome.error}: ${outcome.message}` : 'no error';
        failures.push(`${name} (${variant}): ${why.split('\n')[0]}`);
      }
    }
  }
  const rows = [...areas].map(([area, { passed, failed, out }]) => [area, `${passed}`, `${failed}`, `${out}`]);
  return { rows, failures };
}

/**
 * @param {string} folder
 * @returns {Generator<string>}
 */
function* testsIn(folder) {
  if (folder.endsWith('.js')) {
    yield folder;
    return;
  }
  const entries = readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* testsIn(path);
    else if (entry.name.endsWith('.js') && !entry.name.includes('_FIXTURE')) yield path;
  }
}

/**
 * The metadata in the comment at the top of a test.
 * @param {string} text
 * @returns {Facts}
 */
function factsOf(text) {
  const [, head = ''] = /\/\*---([\s\S]*?)---\*\//.exec(text) ?? [];
  const list = (/** @type {string} */ key) => {
    const [, inline] = new RegExp(`^${key}:\\s*\\[([^\\]]*)\\]`, 'm').exec(head) ?? [];
    if (inline !== undefined)
      return inline
        .split(',')
        .map((item) => item.trim())
        .filter(Boolean);
    const [, block = ''] = new RegExp(`^${key}:\\s*\\n((?:\\s+-.*\\n?)+)`, 'm').exec(head) ?? [];
    return [...block.matchAll(/-\s*(\S+)/g)].map(([, item = '']) => item);
  };
  const [, negative] = /^negative:\s*\n((?:[ \t]+.*\n?)+)/m.exec(head) ?? [];
  const facts = { flags: list('flags'), includes: list('includes'), features: list('features') };
  if (negative === undefined) return facts;
  const [, phase = ''] = /phase:\s*(\S+)/.exec(negative) ?? [];
  const [, type = ''] = /type:\s*(\S+)/.exec(negative) ?? [];
  return { ...facts, negative: { phase, type } };
}

/** @param {Facts} facts */
function variantsOf({ flags }) {
  if (flags.includes('module')) return ['module'];
  if (flags.includes('onlyStrict')) return ['strict'];
  return flags.includes('noStrict') || flags.includes('raw') ? ['sloppy'] : ['sloppy', 'strict'];
}

/**
 * @param {string} folder
 * @param {Sandbox} sandbox
 * @param {string} file
 * @param {string} name
 * @param {string} text
 * @param {Facts} facts
 * @param {string} variant
 */
async function runVariant(folder, sandbox, file, name, text, facts, variant) {
  const isAsync = facts.flags.includes('async');
  const harness = facts.flags.includes('raw')
    ? ''
    : [
        HOST,
        ...['assert.js', 'sta.js', ...facts.includes].map((each) =>
          readFileSync(join(folder, 'harness', each), 'utf8'),
        ),
      ].join('\n');
  const directive = variant === 'strict' ? '"use strict";\n' : '';
  const done = isAsync ? DONE : '';
  const isModule = variant === 'module';
  const end = isAsync ? (isModule ? '\nexport default () => $finished;' : '\nreturn $finished;') : '';
  const tail = isModule && end === '' ? '\nexport default 0;' : end;
  if (isModule) copyFixtures(sandbox, dirname(file), dirname(name), text);
  const kind = isModule ? '.mjs' : '.js';
  const path = sandbox.write(
    `${name.replace(/\.js$/, '')}.${variant}${kind}`,
    `${directive}${harness}${done}\n${text}${tail}`,
  );
  return sandbox.exec(path);
}

/**
 * Modules import others in the same folder.
 * @param {Sandbox} sandbox
 * @param {string} from
 * @param {string} to
 * @param {string} text
 */
function copyFixtures(sandbox, from, to, text) {
  for (const [, wanted = ''] of text.matchAll(/['"](\.\/[^'"]+)['"]/g)) {
    const path = join(from, wanted);
    if (!existsSync(path) || !basename(path).includes('_FIXTURE')) continue;
    const fixture = readFileSync(path, 'utf8');
    sandbox.write(`${to}/${wanted.slice(2)}`, fixture);
    if (fixture !== text) copyFixtures(sandbox, from, to, fixture.replaceAll(wanted, ''));
  }
}

/**
 * @param {import('../outcome.mjs').Outcome} outcome
 * @param {Facts} facts
 */
function passes(outcome, { negative }) {
  if (negative === undefined) return !('error' in outcome) || outcome.error === 'ERR_RESULT';
  return 'error' in outcome && outcome.error === negative.type;
}
