/** A workspace, and a model provider for the command line. */

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { anthropicServer } from '../../../examples/demo/providers/anthropic_server.js';
import { openaiServer } from '../../../examples/demo/providers/openai_server.js';
import { TGP, tgpTools } from '../../../index.js';
import { byResults } from '../../../tools/model_scripts.mjs';
import { tempRoot } from '../temp_root.js';

/** @typedef {import('../../../examples/demo/providers/scripted_server.js').Script} Script */

export const KEY = 'sk-test-0123456789abcdef';
export const NOTE = { name: 'write_file', input: { path: 'notes/a.md', content: 'one\ntwo\n' } };
export const NOTES = byResults([{ say: 'I note it.', calls: [NOTE] }, { say: 'Noted.' }]);

/**
 * A workspace, and a model provider with its environment variables.
 * @param {Script} script
 * @param {{ config?: object, provider?: 'openai' | 'anthropic' }} [options]
 */
export async function agentWorkspace(script, { config = {}, provider = 'openai' } = {}) {
  const folder = await tempRoot();
  await writeFile(join(folder, 'tgp.config.json'), '{}');
  const kernel = new TGP({ configFile: join(folder, 'tgp.config.json') });
  await tgpTools(kernel).write_file.execute({
    path: 'tools/one.ts',
    content: '/** Gives one. */\nexport default (): number => 1;\n',
  });
  await kernel.shutdown();
  await writeFile(join(folder, 'tgp.config.json'), JSON.stringify(config));
  const server = await (provider === 'openai' ? openaiServer : anthropicServer)(script, { key: KEY });
  onTestFinished(async () => {
    await server.close();
  });
  const env =
    provider === 'openai'
      ? { OPENAI_BASE_URL: `${server.url}/v1`, OPENAI_API_KEY: KEY, TGP_MODEL: 'openai/gpt-5.4' }
      : { ANTHROPIC_BASE_URL: `${server.url}/v1`, ANTHROPIC_API_KEY: KEY, TGP_MODEL: 'anthropic/claude-sonnet-5' };
  return { folder, root: join(folder, '.tgp'), server, env };
}
