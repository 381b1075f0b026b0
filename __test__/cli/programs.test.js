/** `--programs`: the command line and the MCP server offer `run_program`, and each call is asked by default. */

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, onTestFinished, test } from 'vitest';
import { TGP } from '../../index.js';
import { byResults } from '../../tools/model_scripts.mjs';
import { CLI, runCli } from '../../tools/run_cli.mjs';
import { agentWorkspace } from '../helpers/providers/agent_workspace.js';
import { CAN_CONFINE } from '../helpers/shell_folder.js';
import { tempRoot } from '../helpers/temp_root.js';

const INPUT = { program: 'sh', args: ['-c', 'echo two > note.txt'] };
const RUNS = byResults([{ calls: [{ name: 'run_program', input: INPUT }] }, { say: 'Done.' }]);

describe.runIf(CAN_CONFINE)('tgp "<task>" --programs', () => {
  test('runs a program that was approved, applies its changes, and records both', async () => {
    const { folder, env } = await agentWorkspace(RUNS);
    await writeFile(join(folder, 'note.txt'), 'one\n');
    const { code, stderr } = await runCli(folder, ['Change the note.', '--programs', 'sh,cat', '--yes'], { env });
    expect(code, stderr).toBe(0);
    expect(await readFile(join(folder, 'note.txt'), 'utf8')).toBe('two\n');
    const { stdout } = await runCli(folder, ['ledger', 'tail', '--json', '-n', '50']);
    const calls = JSON.parse(stdout).filter(
      (/** @type {any} */ { type, effect }) => type === 'CALL' && effect === 'shell',
    );
    expect(calls.map((/** @type {any} */ { tool }) => tool)).toEqual(['run_program', 'apply_changes']);
  });

  test('without --yes and a terminal nothing runs; without --programs there is no such tool', async () => {
    const { folder, env } = await agentWorkspace(RUNS);
    const refused = await runCli(folder, ['Change the note.', '--programs', 'sh', '--json'], { env });
    expect(refused.stdout).toContain('ERR_APPROVAL');
    expect(refused.stdout).toContain('"effect":"shell"');
    const none = await runCli(folder, ['Change the note.', '--yes', '--json'], { env });
    expect(none.stdout).toMatch(/"type":"tool_result".*"tool":"run_program".*"code":"ERR_VALIDATION"/);
  });
});

test('names that are empty are refused', async () => {
  const { code, stderr } = await runCli(await tempRoot(), ['Do it.', '--programs', 'git,,node']);
  expect(code).toBe(2);
  expect(stderr).toContain('Use names separated by commas, such as git,node.');
});

describe.runIf(CAN_CONFINE)('tgp mcp --programs', () => {
  test('asks the person at the client about each run and about its changes', async () => {
    const cwd = await tempRoot();
    await writeFile(join(cwd, 'tgp.config.json'), '{}');
    await writeFile(join(cwd, 'note.txt'), 'one\n');
    const kernel = new TGP({ configFile: join(cwd, 'tgp.config.json') });
    await kernel.boot();
    await kernel.shutdown();
    const client = new Client({ name: 'desk', version: '1' }, { capabilities: { elicitation: {} } });
    /** @type {string[]} */
    const asked = [];
    client.setRequestHandler(ElicitRequestSchema, async ({ params }) => {
      asked.push(params.message);
      return { action: 'accept', content: { approve: true } };
    });
    const args = [CLI, 'mcp', '--programs', 'sh'];
    await client.connect(new StdioClientTransport({ command: process.execPath, args, cwd }));
    onTestFinished(() => client.close());
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain('run_program');
    const answer = await client.callTool({ name: 'run_program', arguments: INPUT });
    expect(answer.isError, JSON.stringify(answer)).toBe(false);
    expect(await readFile(join(cwd, 'note.txt'), 'utf8')).toBe('two\n');
    expect(asked.map((message) => /run_program|apply_changes/.exec(message)?.[0])).toEqual([
      'run_program',
      'apply_changes',
    ]);
  });
});
