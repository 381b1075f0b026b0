/**
 * Runs a small job with each popular package in a tool and in Node, and compares the results: under the default limits and
 * under raised ones, each in the first run of a root, in the second run, and after a restart.
 *
 *   npm run packages                              all of tools/package_jobs; writes docs/packages.md
 *   npm run packages -- --only mathjs,zod         these; only prints
 *   npm run packages -- --folder DIR              with the packages installed there, or to be installed there
 *   npm run packages -- --second-set              packages chosen without knowledge of this project; only prints
 *
 * Packages are installed into a folder outside the project: the newest version of each, or those of the second set.
 */

import { execFile, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { parseArgs, promisify } from 'node:util';
import { FORMATS } from '../tools/package_jobs/formats.mjs';
import { OTHERS } from '../tools/package_jobs/others.mjs';
import { VALUES } from '../tools/package_jobs/values.mjs';
import { ROOT } from '../tools/process.mjs';
import { tried } from './package_runs.mjs';
import { packagesPage } from './packages_page.mjs';

/** @typedef {import('./package_runs.mjs').PackageJob} PackageJob */

/** @type {Record<string, import('../tools/package_jobs/values.mjs').Job>} */
const JOBS = { ...VALUES, ...FORMATS, ...OTHERS };
/** The number of packages installed together; if that fails, they are installed one by one. */
const BATCH = 30;
const NODE_MS = 30_000;
/** The last version of a package with the API of its job, if that is not the newest. */
const VERSIONS = { typescript: '6' };
const QUIET = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline'];
const SECOND = join(ROOT, 'tools', 'package_jobs', 'second_set');

const execute = promisify(execFile);
const { values: options } = parseArgs({
  options: { folder: { type: 'string' }, only: { type: 'string' }, 'second-set': { type: 'boolean', default: false } },
});
const isSecond = options['second-set'];
const folder = options.folder ?? join(tmpdir(), isSecond ? 'tgp-second-set' : 'tgp-packages');
mkdirSync(folder, { recursive: true });

const server = createServer(echo).listen(0, '127.0.0.1');
await once(server, 'listening');
const origin = `http://127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (server.address()).port}`;

const wanted = options.only?.split(',');
const rows = [];
for await (const job of isSecond ? secondSet() : popular(wanted ?? Object.keys(JOBS))) {
  if (wanted !== undefined && !wanted.includes(job.name)) continue;
  const row = await tried(folder, origin, job);
  const verdict = row.failure === undefined ? 'works' : row.raised === undefined ? 'LIMITS' : 'FAILS';
  process.stdout.write(`${verdict} ${JSON.stringify(row)}\n`);
  rows.push(row);
}
server.close();
const working = rows.filter(({ failure }) => failure === undefined).length;
const raised = rows.filter(({ raised }) => raised === undefined).length;
process.stdout.write(`${working} of ${rows.length} work by default, ${raised} with raised limits\n`);
if (wanted === undefined && !isSecond) writeFileSync(join(ROOT, 'docs', 'packages.md'), packagesPage(rows));

/**
 * A server for jobs that send requests, available as `ORIGIN`.
 * @param {import('node:http').IncomingMessage} request
 * @param {import('node:http').ServerResponse} response
 */
async function echo(request, response) {
  const body = await text(request);
  const type = request.headers['content-type'] ?? '';
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ path: request.url, type, body: type.includes('json') ? JSON.parse(body) : body }));
}

/** @returns {AsyncGenerator<PackageJob>} */
async function* secondSet() {
  if (!existsSync(join(folder, 'node_modules'))) {
    for (const file of ['package.json', 'package-lock.json']) copyFileSync(join(SECOND, file), join(folder, file));
    spawnSync('npm', ['ci', ...QUIET], { cwd: folder, stdio: 'inherit' });
  }
  const read = (/** @type {string} */ file) => JSON.parse(readFileSync(join(SECOND, file), 'utf8'));
  const { companions, jobs, more } = read('jobs.json');
  const results = { ...read('expected.json'), ...read('expected_more.json') };
  for (const { name, version, job, args } of [...jobs, ...more]) {
    const imports = [name, ...Object.keys(companions)];
    yield { name, version, content: job, args, imports, expected: results[name] };
  }
}

/** @param {string[]} names @returns {AsyncGenerator<PackageJob>} */
async function* popular(names) {
  if (!existsSync(join(folder, 'package.json')))
    writeFileSync(join(folder, 'package.json'), '{"private":true,"type":"module"}');
  const absent = names.filter((name) => !existsSync(join(folder, 'node_modules', name)));
  for (let first = 0; first < absent.length; first += BATCH) install(absent.slice(first, first + BATCH));
  for (const name of names.filter((name) => existsSync(join(folder, 'node_modules', name)))) {
    const [imports, expression, instead] = JOBS[name] ?? ['', ''];
    const { version } = JSON.parse(readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8'));
    const content = `${imports};\nexport default async () => ${expression.replaceAll('ORIGIN', origin)};\n`;
    const expected = await inNode(content);
    if (expected === undefined && instead === undefined) process.stderr.write(`The job of ${name} fails in Node.\n`);
    yield { name, version, content, imports: [name], expected, ...(instead && { instead }) };
  }
}

/**
 * Installs packages; one that fails does not affect the others.
 * @param {string[]} names
 */
function install(names) {
  const versions = names.map((name) => `${name}@${/** @type {Record<string, string>} */ (VERSIONS)[name] ?? 'latest'}`);
  const flags = ['install', ...QUIET, '--legacy-peer-deps', ...versions];
  if (spawnSync('npm', flags, { cwd: folder, stdio: 'ignore' }).status === 0) return;
  if (names.length === 1) {
    process.stderr.write(`${names[0]} cannot be installed here and is skipped.\n`);
    return;
  }
  const half = names.length >> 1;
  install(names.slice(0, half));
  install(names.slice(half));
}

/**
 * The result of a job in Node; undefined if it fails.
 * @param {string} content
 * @returns {Promise<unknown>}
 */
async function inNode(content) {
  writeFileSync(join(folder, 'job.mjs'), content);
  const program =
    "console.log('\\nresult ' + JSON.stringify(await (await import('./job.mjs')).default())); process.exit()";
  const { stdout } = await execute(process.execPath, ['--input-type=module', '-e', program], {
    cwd: folder,
    timeout: NODE_MS,
  }).catch((error) => {
    process.stderr.write(String(error.stderr));
    return { stdout: '' };
  });
  const json = /^result (.*)$/m.exec(stdout)?.[1];
  return json === undefined || json === 'undefined' ? undefined : JSON.parse(json);
}
