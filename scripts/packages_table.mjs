/**
 * Writes docs/packages.md: which popular packages work in the sandbox, and their cost.
 *
 *   node scripts/packages_table.mjs [--folder <dir>] [--only <name,name>]
 *
 * Installs the newest version of each package of `tools/package_jobs/` into a folder outside the project, runs a small job with it
 * in a kernel, and compares the result with Node's. With `--only` it only prints.
 */

import { execFile, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { parseArgs, promisify } from 'node:util';
import { TGP, tgpTools } from '../index.js';
import { FORMATS } from '../tools/package_jobs/formats.mjs';
import { OTHERS } from '../tools/package_jobs/others.mjs';
import { VALUES } from '../tools/package_jobs/values.mjs';
import { ROOT } from '../tools/process.mjs';
import { packagesPage } from './packages_page.mjs';

/**
 * @typedef {{ name: string, version: string, instead?: string, kilobytes?: number, firstMs?: number, cpuMs?: number, failure?: string }} Row
 */

/** @type {Record<string, import('../tools/package_jobs/values.mjs').Job>} */
const JOBS = { ...VALUES, ...FORMATS, ...OTHERS };
const TOOL = 'tools/job.ts';
/** The number of packages installed together; if that fails, they are installed one by one. */
const BATCH = 30;
/** A limit above the needs of all jobs, so that the table can show how much CPU time those above the default need. */
const LIMITS = { timeoutMs: 10_000, wallMs: 30_000, memoryMb: 512 };
const NODE_MS = 30_000;
const INSTALL = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--legacy-peer-deps', '--prefer-offline'];

const execute = promisify(execFile);
const { values: options } = parseArgs({ options: { folder: { type: 'string' }, only: { type: 'string' } } });
const folder = options.folder ?? join(tmpdir(), 'tgp-packages');
const names = options.only?.split(',') ?? Object.keys(JOBS);

mkdirSync(folder, { recursive: true });
if (!existsSync(join(folder, 'package.json')))
  writeFileSync(join(folder, 'package.json'), '{"private":true,"type":"module"}');
const absent = names.filter((name) => !existsSync(join(folder, 'node_modules', name)));
for (let first = 0; first < absent.length; first += BATCH) install(absent.slice(first, first + BATCH));

const server = createServer(echo).listen(0, '127.0.0.1');
await once(server, 'listening');
const origin = `http://127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (server.address()).port}`;

const rows = [];
for (const name of names.filter((name) => existsSync(join(folder, 'node_modules', name)))) {
  const row = await tried(name);
  process.stdout.write(`${row.failure === undefined ? 'works' : 'FAILS'} ${JSON.stringify(row)}\n`);
  rows.push(row);
}
const working = rows.filter(({ failure }) => failure === undefined).length;
server.close();
process.stdout.write(`${working} of ${rows.length} work\n`);
if (options.only === undefined) writeFileSync(join(ROOT, 'docs', 'packages.md'), packagesPage(rows));

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

/**
 * Installs packages; one that fails does not affect the others.
 * @param {string[]} wanted
 */
function install(wanted) {
  if (spawnSync('npm', [...INSTALL, ...wanted], { cwd: folder, stdio: 'ignore' }).status === 0) return;
  if (wanted.length === 1) {
    process.stderr.write(`${wanted[0]} cannot be installed here and is skipped.\n`);
    return;
  }
  const half = wanted.length >> 1;
  install(wanted.slice(0, half));
  install(wanted.slice(half));
}

/** @param {string} name @returns {Promise<Row>} */
async function tried(name) {
  const [imports, expression, instead] = JOBS[name] ?? ['', ''];
  const { version } = JSON.parse(readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8'));
  const content = `${imports};\nexport default async () => ${expression.replaceAll('ORIGIN', origin)};\n`;
  const expected = await inNode(content);
  if (expected === undefined && instead === undefined)
    return { name, version, failure: 'its job does not work in Node' };
  rmSync(join(folder, '.tgp'), { recursive: true, force: true });
  const row = { name, version, ...(instead && { instead }) };
  // Bundles the package first, to measure the run of later kernels.
  const first = await run(name, content);
  if (first.failure !== undefined) return { ...row, failure: first.failure };
  if (JSON.stringify(first.result) !== expected) {
    return { ...row, failure: `gives ${JSON.stringify(first.result)}, in Node ${expected}` };
  }
  const { firstMs, cpuMs } = await run(name, content);
  return { ...row, kilobytes: bundleKilobytes(), firstMs, cpuMs };
}

/** @param {string} content @returns {Promise<string | undefined>} the result as JSON */
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
  return /^result (.*)$/m.exec(stdout)?.[1];
}

/** @param {string} name @param {string} content */
async function run(name, content) {
  const configFile = join(folder, 'tgp.config.json');
  writeFileSync(configFile, JSON.stringify({ allowedImports: [name], allowedFetchUrls: [origin], sandbox: LIMITS }));
  const kernel = new TGP({ configFile });
  try {
    await kernel.boot();
    await tgpTools(kernel).write_file.execute({ path: TOOL, content });
    const begun = performance.now();
    const { result, stats } = await kernel.exec(TOOL);
    return { result, firstMs: Math.round(performance.now() - begun), cpuMs: Math.ceil(stats.cpuMs) };
  } catch (error) {
    const { code = '', message } = /** @type {Error & { code?: string }} */ (error);
    return { failure: `${code} ${message}`.trim() };
  } finally {
    await kernel.shutdown();
  }
}

function bundleKilobytes() {
  const kept = join(folder, '.tgp', '.git', 'tgp', 'bundles');
  const codes = readdirSync(kept).map((file) => JSON.parse(readFileSync(join(kept, file), 'utf8')).code);
  return Math.ceil(codes.join('').length / 1024);
}
