import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { installedPackages } from '../../tools/installed_packages.mjs';
import { otherNodes } from '../../tools/other_nodes.mjs';
import { CLI, runCli } from '../../tools/run_cli.mjs';
import { tempRoot } from '../helpers/temp_root.js';

const run = promisify(execFile);
const MINUTES = 60_000;

/** The inspector has a hundred megabytes: the test needs TGP_TEST_INSPECTOR=1. */
test.skipIf(process.env.TGP_TEST_INSPECTOR === undefined)(
  'the MCP inspector lists and calls the tools, and reads their sources',
  async () => {
    const packages = installedPackages('tgp-inspector', { '@modelcontextprotocol/inspector': '2.12.0' });
    const cwd = await tempRoot();
    await runCli(cwd, ['init']);
    const inspect = async (/** @type {string[]} */ ...args) => {
      const program = join(packages, 'node_modules', '.bin', 'mcp-inspector');
      const words = [program, '--cli', process.execPath, CLI, 'mcp', '--yes', '--method', ...args];
      // The inspector requires Node 22.
      return JSON.parse((await run(String(otherNodes()[0]), words, { cwd })).stdout);
    };
    const { tools } = await inspect('tools/list');
    expect(tools.at(-1)).toMatchObject({ name: 'examples_greet', inputSchema: { required: ['names', 'greeting'] } });
    const args = ['--tool-arg', 'names=["Ada"]', '--tool-arg', 'greeting=Hello'];
    const { content, isError } = await inspect('tools/call', '--tool-name', 'examples_greet', ...args);
    expect(isError).toBe(false);
    expect(JSON.parse(content[0].text)).toMatchObject({ success: true, result: ['Hello, Ada!'] });
    const { contents } = await inspect('resources/read', '--uri', 'tgp://tools/examples/greet.ts');
    expect(contents[0].text).toContain('Greets everyone by name.');
  },
  5 * MINUTES,
);
