/** Runs a checkout of web-platform-tests: its tests without a document (`*.any.js`), as in a shell. */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

/**
 * @typedef {{ write: (name: string, text: string) => string, exec: (path: string) => Promise<import('../outcome.mjs').Outcome> }} Sandbox
 * @typedef {{ scripts: string[], variants: string[] }} Facts
 * @typedef {{ status: number, message: string | null, tests: [name: string, status: number, message: string | null][] }} Report
 */

/** What guests have of the web platform. */
const OFFERED = [
  'FileAPI/blob',
  'FileAPI/file',
  'WebCryptoAPI',
  'compression',
  'console',
  'dom/abort',
  'dom/events',
  'encoding',
  'hr-time',
  'html/webappapis/atob',
  'html/webappapis/microtask-queuing',
  'html/webappapis/structured-clone',
  'html/webappapis/timers',
  'streams',
  'url',
  'urlpattern',
  'user-timing',
];
/** Of these folders: tests of interface definitions, of features that guests deliberately lack (docs/sandbox.md), and with a server. */
const LEFT_OUT = /idlharness|\/transferable\/|curve448|X448|Ed448|crashtests|send-file-formdata/i;
/** A file of the root must not be larger than a mebibyte. */
const PIECE = 1 << 19;
/** Until a file whose tests do not end is left. */
const FILE_MS = 4_000;

const BEFORE = `
// Libraries of tests are scripts here, not modules.
exports = module = undefined;
globalThis.self = globalThis;
globalThis.GLOBAL = { isWindow: () => false, isWorker: () => false, isShadowRealm: () => false };
`;
/** @param {string} variant @param {string} data the folder of the files that tests fetch */
const SETUP = (variant, data) => `
globalThis.location = { search: ${JSON.stringify(variant)}, href: 'https://web-platform.test/', pathname: '/' };
globalThis.fetch = async (path) => {
  let text = '';
  const name = ${JSON.stringify(data)} + path.replaceAll('/', '~');
  const count = Number(tgp.read_file(name));
  for (let i = 0; i < count; i += 1) text += tgp.read_file(name + '.' + i);
  return { ok: true, status: 200, text: async () => text, json: async () => JSON.parse(text) };
};
const $tests = [];
add_result_callback(({ name, status, message }) => $tests.push([name, status, message]));
const $finished = new Promise((resolve) => {
  add_completion_callback((_, { status, message }) => resolve({ status, message, tests: $tests }));
  setTimeout(() => resolve({ status: 2, message: 'not all tests ended', tests: $tests }), ${FILE_MS});
});
`;

/** @param {string} folder */
export const isAt = (folder) => existsSync(join(folder, 'resources/testharness.js'));

/**
 * @param {string} folder
 * @param {Sandbox} sandbox
 * @param {string} only the beginning of paths
 */
export async function run(folder, sandbox, only) {
  const harness = readFileSync(join(folder, 'resources/testharness.js'), 'utf8');
  const rows = [];
  const failures = [];
  for (const area of OFFERED.filter((name) => existsSync(join(folder, name)))) {
    const sums = { passed: 0, failed: 0, out: 0 };
    for (const file of testsIn(folder, area)) {
      if (!file.startsWith(only)) continue;
      if (LEFT_OUT.test(file)) {
        sums.out += 1;
        continue;
      }
      const text = readFileSync(join(folder, file), 'utf8');
      const { scripts, variants } = factsOf(text);
      const sources = [...scripts.map((script) => readFileSync(inCheckout(folder, file, script), 'utf8')), text];
      for (const [number, variant] of variants.entries()) {
        const path = `${file.replace(/\.any\.js$/, '')}.${number}`;
        const data = copyData(folder, sandbox, file, sources.join('\n'), `wpt/${path}.data/`);
        const setup = SETUP(variant, data);
        const program = [BEFORE, harness, setup, ...sources, 'return $finished;'].join('\n');
        const outcome = await sandbox.exec(sandbox.write(`wpt/${path}.js`, program));
        const failed = failuresOf(outcome);
        sums.failed += failed.length;
        sums.passed += testsOf(outcome).filter(([, status]) => status === 0).length;
        failures.push(...failed.map((why) => `${file}${variant}: ${why}`));
      }
    }
    rows.push([area, `${sums.passed}`, `${sums.failed}`, `${sums.out}`]);
  }
  return { rows, failures };
}

/**
 * @param {string} folder
 * @param {string} area
 * @returns {Generator<string>}
 */
function* testsIn(folder, area) {
  const entries = readdirSync(join(folder, area), { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    const path = `${area}/${entry.name}`;
    if (entry.isDirectory()) yield* testsIn(folder, path);
    else if (entry.name.endsWith('.any.js')) yield path;
  }
}

/**
 * @param {string} text
 * @returns {Facts}
 */
function factsOf(text) {
  const of = (/** @type {string} */ key) =>
    [...text.matchAll(new RegExp(`^// META: ${key}=(.*)$`, 'gm'))].map(([, value = '']) => value.trim());
  const variants = of('variant');
  return { scripts: of('script'), variants: variants.length === 0 ? [''] : variants };
}

/**
 * @param {string} folder
 * @param {string} file the test
 * @param {string} path
 */
function inCheckout(folder, file, path) {
  return join(folder, path.startsWith('/') ? path : posix.join(posix.dirname(file), path));
}

/**
 * Copies the files that a test fetches, in pieces; returns their folder.
 * @param {string} folder
 * @param {Sandbox} sandbox
 * @param {string} file
 * @param {string} text
 * @param {string} to
 */
function copyData(folder, sandbox, file, text, to) {
  for (const [, wanted = ''] of text.matchAll(/\bfetch\(['"]([^'"]+)['"]/g)) {
    const path = inCheckout(folder, file, wanted);
    if (!existsSync(path)) continue;
    const content = readFileSync(path, 'utf8');
    const pieces = content.match(new RegExp(`[^]{1,${PIECE}}`, 'g')) ?? [];
    const name = `${to}${wanted.replaceAll('/', '~')}`;
    sandbox.write(name, `${pieces.length}`);
    for (const [index, piece] of pieces.entries()) sandbox.write(`${name}.${index}`, piece);
  }
  return `tools/${to}`;
}

/** @param {import('../outcome.mjs').Outcome} outcome */
const testsOf = (outcome) => ('error' in outcome ? [] : /** @type {Report} */ (outcome.value).tests);

/**
 * One text for each failed test, and one if the file itself failed.
 * @param {import('../outcome.mjs').Outcome} outcome
 */
function failuresOf(outcome) {
  if ('error' in outcome) return [`${outcome.error}: ${outcome.message}`.split('\n')[0] ?? ''];
  const { status, message } = /** @type {Report} */ (outcome.value);
  const failed = testsOf(outcome)
    .filter(([, result]) => result !== 0)
    .map(([name, , why]) => `${name}: ${why}`);
  return status === 0 ? failed : [...failed, `the file: ${message}`];
}
