/**
 * Every bomb against every sandbox, each in a process of its own: was the outcome an error, within ten seconds, did the
 * process live, and did the next run work? `BOMBS=sort` takes only bombs with that in their name.
 */

import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { BOMBS } from '../__test__/helpers/bombs.js';
import { createKernel } from './kernel.mjs';
import { SANDBOXES } from './sandboxes.mjs';

const OURS = '@tgp/core';
const PATIENCE_MS = 10_000;
const [child, target = '', number = ''] = process.argv.slice(2);

/** @param {string} name */
async function open(name) {
  if (name !== OURS) return SANDBOXES[name]?.();
  const { kernel } = await createKernel({}, { workers: 1 });
  const { tgpTools } = await import('../index.js');
  const { write_file } = tgpTools(kernel);
  /** @param {string} body @param {string} args */
  const run = async (body, args) => {
    await write_file.execute({ path: 'tools/t.ts', content: body });
    return (await kernel.exec('tools/t.ts', JSON.parse(args))).result;
  };
  return { run };
}

/** One bomb in one sandbox, told to the parent by a line. */
async function attempt() {
  const bomb = BOMBS[Number(number)];
  const sandbox = await open(target);
  if (!bomb || !sandbox) return process.stdout.write('absent\n');
  // A body with await is no function body to the peers; a host function is no part of them.
  const body = target === OURS ? bomb.source : bomb.source.replaceAll('tgp.', 'undefined.');
  const bombed = await Promise.resolve()
    .then(() => sandbox.run(body, '{}'))
    .then(
      () => 'value',
      () => 'error',
    );
  const next = await Promise.resolve()
    .then(() => sandbox.run('return args.n + 1', '{"n":1}'))
    .then(String, () => 'error');
  return process.stdout.write(`${bombed} ${next}\n`);
}

/** @param {string} name @param {number} index */
function judge(name, index) {
  return new Promise((done) => {
    const started = performance.now();
    const file = fileURLToPath(import.meta.url);
    const attempted = spawn(process.execPath, ['--no-node-snapshot', file, '--child', name, String(index)], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    let text = '';
    attempted.stdout.on('data', (data) => {
      text += data;
      if (text.includes('\n')) attempted.kill('SIGKILL');
    });
    const timer = setTimeout(() => attempted.kill('SIGKILL'), PATIENCE_MS);
    attempted.on('exit', () => {
      clearTimeout(timer);
      const took = performance.now() - started;
      const [bombed, next] = text.trim().split(' ');
      if (bombed === 'absent') done('absent');
      else if (bombed === undefined || bombed === '') done(took >= PATIENCE_MS ? 'hung' : 'host died');
      else if (next !== '2') done('next run bad');
      else done(bombed === 'error' ? 'ok' : 'no limit');
    });
  });
}

async function matrix() {
  const names = [OURS, ...Object.keys(SANDBOXES)];
  const chosen = BOMBS.map((bomb, index) => ({ ...bomb, index })).filter(
    ({ name, source }) => name.includes(process.env.BOMBS ?? '') && !/\bawait\b/.test(source),
  );
  process.stdout.write(`\nKill matrix: ${chosen.length} bombs\n`);
  for (const name of names) {
    /** @type {Record<string, string[]>} */
    const tally = {};
    for (const { index, name: bomb } of chosen) {
      const verdict = await judge(name, index);
      tally[verdict] = [...(tally[verdict] ?? []), bomb];
    }
    if (tally.absent) continue;
    process.stdout.write(`  ${name}\n`);
    for (const [verdict, bombs] of Object.entries(tally)) {
      process.stdout.write(
        `    ${verdict.padEnd(13)} ${String(bombs.length).padStart(3)}${verdict === 'ok' ? '' : `  ${bombs.join(', ')}`}\n`,
      );
    }
  }
}

await (child === '--child' ? attempt() : matrix());
process.exit(0);
