import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, onTestFinished, test } from 'vitest';
import { TGP, tgpTools } from '../../index.js';
import { CLI, runCli } from '../../tools/run_cli.mjs';
import { editLedger } from '../helpers/ledger.js';
import { tempRoot } from '../helpers/temp_root.js';

const OUTER = "export default async () => { await tgp.exec_tool('tools/inner.ts', {}); tgp.read_file('none.md'); }";

/**
 * A folder whose workspace has a ledger.
 * @param {object} [config]
 */
async function workspace(config = {}) {
  const folder = await tempRoot();
  const configFile = join(folder, 'tgp.config.json');
  await writeFile(configFile, '{}');
  const kernel = new TGP({ configFile });
  const tools = tgpTools(kernel, { session: 'order-77' });
  await tools.write_file.execute({ path: 'tools/inner.ts', content: 'return 1' });
  await tools.write_file.execute({ path: 'tools/outer.ts', content: OUTER });
  await kernel.exec('tools/outer.ts').catch(() => {});
  await kernel.ledger.append({ note: 'red \u001b[31m text\u202e\n2026 forged line' });
  await kernel.shutdown();
  await writeFile(configFile, JSON.stringify(config));
  return folder;
}

describe('tgp ledger tail', () => {
  test('prints the last matching events, one per line', async () => {
    const folder = await workspace();
    const { code, stdout } = await runCli(folder, ['ledger', 'tail']);
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^ +\d+ {2}\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} {2}CALL +write_file tools\/inner\.ts {2}write/m,
    );
    expect(stdout).toMatch(/RESULT +exec_tool tools\/outer\.ts {2}ERR_\w+ {2}[\d.]+ ms/);
    const tail = async (/** @type {string[]} */ ...args) =>
      (await runCli(folder, ['ledger', 'tail', '--json', ...args])).json();
    expect(await tail('-n', '1')).toHaveLength(1);
    expect(await tail('--type', 'commit', '--path', 'tools/inner.ts')).toMatchObject([{ type: 'COMMIT' }]);
    expect(await tail('--type', 'commit', '--path', 'inner')).toMatchObject([{ type: 'COMMIT' }]);
    expect(await tail('--session', 'order-77', '--tool', 'write_file', '--type', 'CALL')).toHaveLength(2);
    expect(await runCli(folder, ['ledger', 'tail', '--type', 'nothing'])).toMatchObject({ code: 2 });
    expect(await runCli(folder, ['ledger', 'tail', '-n', '0'])).toMatchObject({ code: 2 });
  });

  test('prints a readable line for every type, without JSON', async () => {
    const folder = await workspace();
    const { code } = await runCli(folder, ['exec', 'inner']);
    expect(code).toBe(1);
    await writeFile(
      join(folder, 'tgp.policy.yaml'),
      'rules:\n  - { id: none, deny: [run], reason: "Not now, please." }\n',
    );
    expect((await runCli(folder, ['exec', 'inner', '--yes'])).code).toBe(1);
    const kernel = new TGP({ configFile: join(folder, 'tgp.config.json') });
    await kernel.ledger.append({ order: { id: 77, lines: ['a', 'b'] }, note: 'by hand', at: null });
    await kernel.shutdown();
    const { stdout } = await runCli(folder, ['ledger', 'tail', '-n', '100']);
    expect(stdout).not.toMatch(/\{"|"[:,]/);
    expect(stdout).toMatch(/APPLICATION +note="by hand" order\.id=77 order\.lines=a, b {2}/);
    expect(stdout).toMatch(
      /DENIED +exec_tool tools\/inner\.ts {2}at=tgp\.policy\.yaml:2 policy=[0-9a-f]{12} reason="Not now, please\." rule=none/,
    );
    expect(stdout).toMatch(/APPROVAL .* rule=default state=asked/);
  });

  test('escapes control characters and line breaks in texts of events', async () => {
    const folder = await workspace();
    const { stdout } = await runCli(folder, ['ledger', 'tail', '--type', 'APPLICATION']);
    expect(stdout.trim().split('\n')).toHaveLength(1);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: expects none
    expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/);
    expect(stdout).toContain('\\u001b[31m text\\u{202e}');
  });

  test('follows new events, and a signal ends it with code 0', async () => {
    const folder = await workspace();
    const child = spawn(process.execPath, [CLI, 'ledger', 'tail', '-n', '1', '--follow', '--json'], { cwd: folder });
    onTestFinished(() => {
      child.kill('SIGKILL');
    });
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    expect(JSON.parse((await lines.next()).value)).toMatchObject({ seq: expect.any(Number) });
    const kernel = new TGP({ configFile: join(folder, 'tgp.config.json') });
    await kernel.ledger.append({ note: 'seen' });
    await kernel.shutdown();
    for (let found = false; !found; ) {
      const { value, done } = await lines.next();
      expect(done).toBe(false);
      found = JSON.parse(value).note === 'seen';
    }
    child.kill('SIGINT');
    const [code] = await once(child, 'close');
    expect(code).toBe(0);
  });
});

describe('tgp ledger show', () => {
  test('prints a run as a tree, for its call or any of its events', async () => {
    const folder = await workspace();
    const events = (await runCli(folder, ['ledger', 'tail', '--path', 'tools/outer.ts', '--json', '-n', '100'])).json();
    const run = events.find((/** @type {any} */ { type, effect }) => type === 'CALL' && effect === 'run');
    const { code, stdout } = await runCli(folder, ['ledger', 'show', run.call]);
    expect(code).toBe(0);
    expect(stdout.split('\n')).toMatchObject([
      expect.stringMatching(new RegExp(`^Call ${run.call} by application, \\d{4}-`)),
      expect.stringMatching(/^ +\+0 ms {2}exec_tool tools\/outer\.ts {2}run {2}ERR_\w+ {2}[\d.]+ ms {2}#\d+$/),
      expect.stringMatching(/^ +\S/),
      expect.stringMatching(/^ +\+\d+ ms {4}exec_tool tools\/inner\.ts {2}run {2}ok {2}[\d.]+ ms {2}#\d+$/),
      expect.stringMatching(/^ +\+\d+ ms {4}read_file none\.md {2}read {2}ERR_\w+ {2}[\d.]+ ms {2}#\d+$/),
      expect.stringMatching(/^ +\S/),
      '',
    ]);
    expect(await runCli(folder, ['ledger', 'show', String(run.seq)])).toMatchObject({ code: 0, stdout });
    const tree = (await runCli(folder, ['ledger', 'show', run.call, '--json'])).json();
    expect(tree).toMatchObject({ call: run.call, state: 'failed', calls: [{ state: 'ok' }, { state: 'failed' }] });
    expect(await runCli(folder, ['ledger', 'show', 'none-1'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('ERR_NOT_FOUND'),
    });
  });
});

describe('tgp ledger verify and export', () => {
  test('exit with 0 for a valid ledger, 3 for a changed and 4 for a truncated one', async () => {
    const folder = await workspace();
    const root = join(folder, '.tgp');
    const whole = await runCli(folder, ['ledger', 'verify']);
    expect(whole).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^verified {2}\d+ events, head [0-9a-f]{12}\n$/),
    });
    editLedger(root, (database) => database.prepare('UPDATE events SET content = content || ? WHERE seq = 3').run(' '));
    const changed = await runCli(folder, ['ledger', 'verify']);
    expect(changed).toMatchObject({ code: 3, stdout: expect.stringMatching(/^changed at #3: /) });
    expect((await runCli(folder, ['ledger', 'verify', '--json'])).json()).toMatchObject({
      ok: false,
      problem: { kind: 'changed', seq: 3 },
    });

    const other = await workspace();
    editLedger(join(other, '.tgp'), (database) => {
      database.exec('DELETE FROM events WHERE seq > 4; DELETE FROM checkpoints WHERE size > 4');
    });
    expect(await runCli(other, ['ledger', 'verify'])).toMatchObject({
      code: 4,
      stdout: expect.stringMatching(/^truncated at #\d+: /),
    });
  });

  test('verify an export without a workspace', async () => {
    const folder = await workspace();
    const file = join(folder, 'ledger.ndjson');
    const { code, stdout } = await runCli(folder, ['ledger', 'export', '-o', file]);
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringMatching(/^exported {2}\d+ lines to /) });
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
    expect(JSON.parse(String(lines[0]))).toMatchObject({ seq: 1, prev: '0'.repeat(64) });
    const piped = await runCli(folder, ['ledger', 'export']);
    expect(piped.stdout.startsWith(`${lines.slice(0, -1).join('\n')}\n`)).toBe(true);

    const elsewhere = await tempRoot();
    expect(await runCli(elsewhere, ['ledger', 'verify', '--file', file])).toMatchObject({ code: 0 });
    const cut = join(elsewhere, 'cut.ndjson');
    await writeFile(cut, `${lines.slice(0, 5).join('\n')}\n`);
    expect(await runCli(elsewhere, ['ledger', 'verify', '--file', cut])).toMatchObject({ code: 4 });
    await writeFile(cut, readFileSync(file, 'utf8').replace('tools/inner.ts', 'tools/other.ts'));
    expect(await runCli(elsewhere, ['ledger', 'verify', '--file', cut])).toMatchObject({ code: 3 });
    expect(await runCli(elsewhere, ['ledger', 'verify', '--file', 'none'])).toMatchObject({ code: 1 });
    expect(existsSync(join(elsewhere, '.tgp'))).toBe(false);
  });
});

test('the ledger commands do not contact the remote', async () => {
  const folder = await workspace({ git: { repo: 'http://127.0.0.1:9/none.git' } });
  const { code, stderr } = await runCli(folder, ['ledger', 'tail']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
});

test('the ledger commands create no workspace', async () => {
  const folder = await tempRoot();
  for (const command of [['tail'], ['show', '1'], ['verify'], ['export']]) {
    expect(await runCli(folder, ['ledger', ...command])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('There is no workspace'),
    });
  }
  expect(existsSync(join(folder, '.tgp'))).toBe(false);
});
