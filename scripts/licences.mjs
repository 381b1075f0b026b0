/**
 * Writes THIRD_PARTY_LICENSES.txt: the licences of all code linked into the native packages, with their texts.
 * `npm run licences`; with `-- --check` it only reports whether the file is up to date.
 */

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ROOT, StepFailed } from '../tools/process.mjs';
import { KEPT } from './kept_scripts.mjs';
import { crateId, LIBRARIES, linkedCrates, OWN } from './linked_parts.mjs';

/** @typedef {import('./linked_parts.mjs').Crate} Crate */

const FILE = 'THIRD_PARTY_LICENSES.txt';
const LICENCE_FILE = /^(?:licen[cs]e|copying|notice|copyright|unlicense)/i;
const RULE = '='.repeat(100);
/** For crates without a licence file: the file of a crate with the same licence and without further notices. */
const STANDARD = { 'Apache-2.0': /^LICENSE-APACHE/i };

/** @returns {string} the page */
export function licencesPage() {
  const crates = linkedCrates().filter(({ name }) => name !== OWN);
  /** @type {Map<string, string[]>} from a text to those whose it is */
  const texts = new Map();
  const add = (/** @type {string} */ text, /** @type {string} */ whose) =>
    texts.set(text, [...(texts.get(text) ?? []), whose]);
  /** @type {string[]} */
  const textless = [];
  for (const crate of crates) {
    const own = licenceTexts(crate);
    for (const text of own) add(text, crateId(crate));
    if (own.length === 0) textless.push(`${crateId(crate)}: ${crate.license}`);
  }
  for (const { name, within, notices } of LIBRARIES) {
    const folder = crates.find((crate) => crate.name === within)?.folder;
    if (folder === undefined)
      throw new StepFailed(`${name} is listed as part of the crate ${within}, which is not linked.`);
    for (const notice of notices) {
      const path = notice.startsWith('vendor/') ? join(ROOT, notice) : join(folder, notice);
      add(plain(readFileSync(path, 'utf8')), name);
    }
  }
  const kept = keptPackages();
  for (const { name, text } of kept) add(plain(text), name);
  return [
    'Licences of what is linked into the native packages of @tgp/core',
    '',
    'Made by `npm run licences` from the sources of the crates. The packages that npm installs beside @tgp/core bring their own, and',
    'those of the small packages in dist/node_shims are beside them.',
    '',
    ...crates.map(({ name, version, license }) => `  ${name} ${version}: ${license}`),
    '',
    'Libraries in C and C++ that come with them:',
    '',
    ...LIBRARIES.map(
      ({ name, version, license, within }) => `  ${`${name} ${version}`.trim()}, in ${within}: ${license}`,
    ),
    '',
    'Packages of npm that are built into scripts of the sandbox:',
    '',
    ...kept.map(({ name }) => `  ${name}`),
    '',
    'These crates have no text of their own. The Apache License 2.0 is below; their authors are named on crates.io:',
    '',
    ...textless.map((line) => `  ${line}`),
    '',
    ...[...texts].flatMap(([text, whose]) => [RULE, wrapped([...new Set(whose)].join(', ')), RULE, '', text, '']),
  ].join('\n');
}

/** The packages in the packed scripts of the sandbox, with the texts of their licences. */
function keptPackages() {
  const [, ...parts] = readFileSync(join(KEPT, 'LICENSES.txt'), 'utf8').split(
    /\n\n(?:---\n\n)?(?=[@\w./-]+ \d+\.\d+\.\d+\n\n)/,
  );
  return parts.map((part) => {
    const end = part.indexOf('\n');
    return { name: part.slice(0, end), text: part.slice(end) };
  });
}

/** @param {Crate} crate */
function licenceTexts({ folder }) {
  const files = readdirSync(folder, { withFileTypes: true }).filter(
    (file) => file.isFile() && LICENCE_FILE.test(file.name),
  );
  const texts = files.map(({ name }) => ({ name, text: plain(readFileSync(join(folder, name), 'utf8')) }));
  // From alternative licences the shortest is used, with the notices; the long text of Apache 2.0 is included once.
  const mit = texts.some(({ name }) => /mit/i.test(name));
  return texts.filter(({ name }) => !(mit && STANDARD['Apache-2.0'].test(name))).map(({ text }) => text);
}

/** @param {string} text */
function plain(text) {
  return text
    .replaceAll('\r\n', '\n')
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
    .trim();
}

/** @param {string} text */
function wrapped(text) {
  return text.replace(/(.{1,98})(?: |$)/g, '$1\n').trimEnd();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const page = licencesPage();
  const file = join(ROOT, FILE);
  if (!process.argv.includes('--check')) writeFileSync(file, page);
  else if (readFileSync(file, 'utf8') !== page) {
    process.stderr.write(`${FILE} is out of date. Run "npm run licences" and commit it.\n`);
    process.exitCode = 1;
  }
}
