/** Missing last events of the ledger: after a power cut, and after a removal. */

import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { TGP } from '../../index.js';
import { runCli } from '../../tools/run_cli.mjs';
import { editLedger, ledgerFolder } from '../helpers/ledger.js';
import { startProgram } from '../helpers/run_program.js';
import { tempRoot } from '../helpers/temp_root.js';

const LAST_KEPT = 4;

/** Writes two tools and is killed, so only the commits sign the size of the ledger. @param {object} ledger */
const worker = (ledger) => `
const quiet = { debug() {}, info() {}, warn() {}, error() {} };
const kernel = new TGP({ config: { rootDir: '.tgp', sandbox: { warm: 0 }, ledger: ${JSON.stringify(ledger)} }, logger: quiet });
const tools = tgpTools(kernel);
for (const n of [1, 2]) await tools.write_file.execute({ path: 'tools/t' + n + '.ts', content: 'return ' + n });
await kernel.ledger.tail();
console.log('written');
setInterval(() => {}, 1000);
`;

/**
 * A workspace whose ledger lacks the events before its last commit, as on a disk that was not synced.
 * @param {object} ledger
 */
async function cutWorkspace(ledger) {
  const folder = await tempRoot();
  const { child, ended } = startProgram(folder, worker(ledger));
  await once(child.stdout, 'data');
  child.kill('SIGKILL');
  await ended;
  const root = join(folder, '.tgp');
  rmSync(join(ledgerFolder(root), 'spool'), { recursive: true });
  editLedger(root, (database) => database.prepare('DELETE FROM events WHERE seq > ?').run(LAST_KEPT));
  return folder;
}

/** @param {string} folder */
async function inspect(folder) {
  /** @type {string[]} */
  const warnings = [];
  const logger = { debug() {}, info() {}, error() {}, warn: (/** @type {string} */ text) => warnings.push(text) };
  const kernel = new TGP({ config: { rootDir: join(folder, '.tgp'), sandbox: { warm: 0 } }, logger });
  try {
    const found = await kernel.ledger.verify();
    const events = await kernel.ledger.query({ type: 'SESSION' });
    return { found, cuts: events.filter(({ state }) => state === 'cut'), warnings };
  } finally {
    await kernel.shutdown();
  }
}

test('after a power cut verify reports an unknown cause, and the cut is recorded once', async () => {
  const folder = await cutWorkspace({});
  const problem = { kind: 'truncated', seq: LAST_KEPT + 1, cause: 'unknown' };
  const first = await inspect(folder);
  expect(first.found).toMatchObject({ ok: false, problem });
  expect(first.cuts).toEqual([expect.objectContaining({ seq: LAST_KEPT + 1, after: LAST_KEPT })]);
  expect(first.warnings).toEqual([expect.stringMatching(/Events 5 to \d+ of the ledger are missing/)]);
  // New events have the numbers of the lost ones: that is still a cut, not a change.
  const { kernel, close } = await withMoreEvents(folder);
  expect(await kernel.ledger.verify()).toMatchObject({ ok: false, problem });
  await kernel.ledger.checkpoint();
  await close();
  const again = await inspect(folder);
  expect(again).toMatchObject({ found: { ok: false, problem }, cuts: first.cuts, warnings: [] });
  const { code, stdout } = await runCli(folder, ['ledger', 'verify']);
  expect({ code, stdout }).toEqual({
    code: 4,
    stdout: expect.stringMatching(/^truncated at #5: .* Cause: unknown\.$/m),
  });
});

test('a power cut is recorded also if the newest commit has no ledger trailer', async () => {
  const folder = await cutWorkspace({});
  const author = ['-c', 'user.name=a', '-c', 'user.email=a@b', '-c', 'commit.gpgsign=false'];
  execFileSync('git', ['-C', join(folder, '.tgp'), ...author, 'commit', '-q', '--allow-empty', '-m', 'by hand']);
  const { found, cuts, warnings } = await inspect(folder);
  expect(found).toMatchObject({ problem: { kind: 'truncated', seq: LAST_KEPT + 1, cause: 'unknown' } });
  expect(cuts).toHaveLength(1);
  expect(warnings).toEqual([expect.stringMatching(/Events 5 to \d+ of the ledger are missing/)]);
});

/** The ledger with more events than were lost. @param {string} folder */
async function withMoreEvents(folder) {
  const kernel = new TGP({ config: { rootDir: join(folder, '.tgp'), sandbox: { warm: 0 } } });
  for (let n = 0; n < 40; n++) await kernel.ledger.append({ n });
  return { kernel, close: () => kernel.shutdown() };
}

test('missing events that were synced, or signed by a checkpoint, are reported as removed', async () => {
  const synced = await inspect(await cutWorkspace({ fsync: true }));
  expect(synced.found).toMatchObject({
    ok: false,
    problem: { kind: 'truncated', seq: LAST_KEPT + 1, cause: 'removed' },
  });
  const signed = await inspect(await cutWorkspace({ checkpointEvents: 5 }));
  expect(signed.found).toMatchObject({
    ok: false,
    problem: { kind: 'truncated', seq: LAST_KEPT + 1, cause: 'removed' },
  });
});
