/** The agent with version 7 of the AI SDK and its packages of providers; all other tests have version 6. */

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { installedPackages } from '../../tools/installed_packages.mjs';
import { TOOL_PATH } from '../../tools/model_scripts.mjs';
import { otherNodes } from '../../tools/other_nodes.mjs';
import { tempRoot } from '../helpers/temp_root.js';

const run = promisify(execFile);
const helper = (/** @type {string} */ name) => fileURLToPath(new URL(`../helpers/${name}`, import.meta.url));
const PACKAGES = {
  '@ai-sdk/anthropic': '4.0.102',
  '@ai-sdk/openai': '4.0.114',
  '@ai-sdk/openai-compatible': '3.0.90',
  ai: '7.0.169',
  zod: '4.6.7',
};

test('tools are forged, reused and replayed, and a thinking model is resumed', { timeout: 300_000 }, async () => {
  const PACKAGES_FROM = installedPackages('tgp-ai-7-agent', PACKAGES, '--loglevel=error');
  // The packages require Node 22.
  const [node = ''] = otherNodes();
  const program = ['--import', helper('other_packages.mjs'), helper('agent_program.mjs'), await tempRoot()];
  const { stdout, stderr } = await run(node, program, { env: { ...process.env, PACKAGES_FROM } });
  const { sdk, thinking, ...providers } = JSON.parse(stdout);
  expect(sdk).toContain('tgp-ai-7-agent');
  expect(stderr).not.toMatch(/warning/i);
  expect(Object.keys(providers)).toEqual(['openai', 'compatible', 'anthropic']);
  const again = { outcome: 'done', text: 'It weighs 37 pounds.', reused: [TOOL_PATH], forged: [] };
  for (const [name, report] of Object.entries(providers)) {
    expect(report, name).toMatchObject({
      forged: { outcome: 'done', text: 'It weighs 576 pounds.', forged: [TOOL_PATH] },
      reused: again,
      malformed: { outcome: 'done', text: 'Nothing.', calls: ['red write_file', 'green list_files'] },
      replayed: again,
      problems: [],
    });
    expect(report.forged.calls).toEqual([
      'green find_tool',
      'green write_file',
      'red test_tool',
      'green write_file',
      'green test_tool',
      'green exec_tool',
    ]);
    expect(report.forged.tokens).toBeGreaterThan(1_000);
  }
  expect(thinking).toMatchObject({ first: { outcome: 'interrupted' }, second: { outcome: 'done' }, problems: [] });
});
