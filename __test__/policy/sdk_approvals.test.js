/** The approvals of the AI SDK itself, with the real SDKs and a scripted model. */

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { tgpTools } from '../../index.js';
import { installedPackages } from '../helpers/installed_packages.js';
import { eventsOf, policyKernel } from '../helpers/policy_kernel.js';
import { scriptedModel } from '../sdk/scripted_models.js';

/** Those of the tests of the SDK, so that they are installed once. */
const SDKS = { 4: '4.3.19', 5: '5.0.277', 6: '6.0.326', 7: '7.0.169' };
const RULES = {
  default: /** @type {const} */ ('allow'),
  rules: [
    { id: 'runs', ask: ['exec_tool'] },
    { id: 'closed', deny: ['write'] },
  ],
};

/** @param {string} version */
async function loadSdk(version) {
  const sdks = Object.entries(SDKS).map(([sdk, exact]) => [`ai${sdk}`, `npm:ai@${exact}`]);
  const dependencies = { ...Object.fromEntries(sdks), zod: '4.6.7' };
  const folder = installedPackages('tgp-ai-zod4', dependencies, '--legacy-peer-deps');
  const entry = join(folder, `approvals${version}.mjs`);
  await writeFile(entry, `export * as sdk from 'ai${version}';\nexport * as test from 'ai${version}/test';\n`);
  return import(pathToFileURL(entry).href);
}

/**
 * A conversation in which a model calls one tool, up to where somebody is asked.
 * @param {string} version
 * @param {{ name: string, input: unknown }} call
 */
async function conversation(version, call) {
  const { sdk, test: mocks } = await loadSdk(version);
  const { kernel, rootDir } = await policyKernel(RULES);
  const tools = await kernel.liveTools(tgpTools(kernel, { approval: 'sdk' }));
  /** @type {any[]} */
  let seen = [];
  const { model } = scriptedModel(version, mocks, (results) => {
    seen = results;
    return results.length === 0 ? { call } : { say: 'done' };
  });
  const stopWhen = (sdk.stepCountIs ?? sdk.isStepCount)(5);
  const messages = [{ role: 'user', content: 'Go.' }];
  const talk = (/** @type {any[]} */ said) =>
    sdk.generateText({ model, tools, stopWhen, maxRetries: 0, messages: said });
  const first = await talk(messages);
  const asked = first.content.filter((/** @type {any} */ part) => part.type === 'tool-approval-request');
  const history = first.responseMessages ?? first.response.messages;
  const answer = (/** @type {boolean} */ approved) =>
    talk([
      ...messages,
      ...history,
      {
        role: 'tool',
        content: asked.map(({ approvalId }) => ({ type: 'tool-approval-response', approvalId, approved })),
      },
    ]);
  return { kernel, rootDir, asked, answer, seen: () => seen };
}

const RUN = { name: 'exec_tool', input: { path: 'tools/ok.ts', args: { n: 7 } } };

test.each(['6', '7'])('AI SDK %s: a call that asks waits, and is made once it was approved', async (version) => {
  const { kernel, asked, answer, seen } = await conversation(version, RUN);
  expect(asked).toHaveLength(1);
  expect(await eventsOf(kernel, 'CALL')).toEqual([]);
  await answer(true);
  expect(seen()).toMatchObject([{ name: 'exec_tool', output: { success: true, result: 7 } }]);
  expect(await eventsOf(kernel, 'APPROVAL')).toMatchObject([{ state: 'asked' }, { state: 'granted', by: 'ai-sdk' }]);
});

test.each(['6', '7'])('AI SDK %s: a forged tool asks by its own name', async (version) => {
  const { asked, answer, seen } = await conversation(version, { name: 'ok', input: { n: 3 } });
  expect(asked).toHaveLength(1);
  await answer(true);
  expect(seen()).toMatchObject([{ name: 'ok', output: { success: true, result: 3 } }]);
});

test.each(['6', '7'])('AI SDK %s: the approval is void when the tool has changed', async (version) => {
  const { rootDir, answer, seen } = await conversation(version, RUN);
  await writeFile(join(rootDir, 'tools/ok.ts'), '/** Answers. */\nexport default (_args: { n?: number }) => 666;\n');
  await answer(true);
  expect(seen()).toMatchObject([{ output: { success: false, code: 'ERR_APPROVAL' } }]);
});

test.each(['6', '7'])('AI SDK %s: what is allowed or denied asks nobody', async (version) => {
  const allowed = await conversation(version, { name: 'read_file', input: { path: 'README.md' } });
  expect(allowed.asked).toEqual([]);
  expect(JSON.stringify(allowed.seen())).toContain('Workspace');
  const denied = await conversation(version, { name: 'write_file', input: { path: 'a.md', content: 'x' } });
  expect(denied.asked).toEqual([]);
  expect(JSON.stringify(denied.seen())).toContain('ERR_DENIED');
});
