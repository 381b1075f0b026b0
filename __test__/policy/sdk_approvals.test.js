/** The approvals of the AI SDK itself, with the real SDKs and a scripted model. */

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { requestPages } from '../../dist/kernel/approvals/request_text.js';
import { approvalText, tgpTools } from '../../index.js';
import { installedPackages } from '../../tools/installed_packages.mjs';
import { eventsOf, policyKernel } from '../helpers/policy_kernel.js';
import { scriptedModel } from '../sdk/scripted_models.js';

/** The same versions as in `__test__/sdk`, so that they are installed once. */
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
 * A conversation in which a model calls one tool, up to the approval request.
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
  const start = [{ role: 'user', content: 'Go.' }];
  const generate = (/** @type {any[]} */ messages) =>
    sdk.generateText({ model, tools, stopWhen, maxRetries: 0, messages });
  const first = await generate(start);
  const asked = first.content.filter((/** @type {any} */ part) => part.type === 'tool-approval-request');
  const history = first.responseMessages ?? first.response.messages;
  const answer = (/** @type {boolean} */ approved) =>
    generate([
      ...start,
      ...history,
      {
        role: 'tool',
        content: asked.map(({ approvalId }) => ({ type: 'tool-approval-response', approvalId, approved })),
      },
    ]);
  return { kernel, rootDir, asked, answer, seen: () => seen };
}

const RUN = { name: 'exec_tool', input: { path: 'tools/ok.ts', args: { n: 7 } } };

test.each(['6', '7'])('AI SDK %s: a call that needs approval waits, and runs when it is approved', async (version) => {
  const { kernel, asked, answer, seen } = await conversation(version, RUN);
  expect(asked).toHaveLength(1);
  expect(await eventsOf(kernel, 'CALL')).toEqual([]);
  await answer(true);
  expect(seen()).toMatchObject([{ name: 'exec_tool', output: { success: true, result: 7 } }]);
  expect(await eventsOf(kernel, 'APPROVAL')).toMatchObject([{ state: 'asked' }, { state: 'granted', by: 'ai-sdk' }]);
});

test.each(['6', '7'])('AI SDK %s: a forged tool asks under its own name', async (version) => {
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

test.each(['6', '7'])('AI SDK %s: allowed and denied calls need no approval', async (version) => {
  const allowed = await conversation(version, { name: 'read_file', input: { path: 'README.md' } });
  expect(allowed.asked).toEqual([]);
  expect(JSON.stringify(allowed.seen())).toContain('Workspace');
  const denied = await conversation(version, { name: 'write_file', input: { path: 'a.md', content: 'x' } });
  expect(denied.asked).toEqual([]);
  expect(JSON.stringify(denied.seen())).toContain('ERR_DENIED');
});

describe('an approval of the SDK', () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  /** The tools of one agent, called as the SDK calls them. @param {object} [agent] */
  const guarded = async (agent = {}) => {
    const { kernel } = await policyKernel(RULES, { config: { agent } });
    await kernel.boot();
    return /** @type {any} */ (tgpTools(kernel, { approval: 'sdk' }));
  };
  const assistant = {
    role: 'assistant',
    content: [{ type: 'tool-call', toolCallId: 'call_0', toolName: 'exec_tool' }],
  };
  const result = { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'call_0', toolName: 'exec_tool' }] };

  test('that has expired stays void when the system clock is set back', async () => {
    const { exec_tool } = await guarded({ approvalMs: 1_000 });
    expect(await exec_tool.needsApproval(RUN.input, { toolCallId: 'call_0', messages: [] })).toBe(true);
    const [steady, wall] = [performance.now(), Date.now()];
    vi.spyOn(performance, 'now').mockReturnValue(steady + 1_200);
    vi.spyOn(Date, 'now').mockReturnValue(wall - 3_600_000);
    const done = await exec_tool.execute(RUN.input, { toolCallId: 'call_0', messages: [assistant] });
    const error = expect.stringMatching(/expired .*: make the same call again/);
    expect(done).toMatchObject({ success: false, code: 'ERR_APPROVAL', error });
  });

  test('expires during a suspend, in which the monotonic clock stops', async () => {
    const { exec_tool } = await guarded({ approvalMs: 1_000 });
    expect(await exec_tool.needsApproval(RUN.input, { toolCallId: 'call_0', messages: [] })).toBe(true);
    const wall = Date.now();
    vi.spyOn(Date, 'now').mockReturnValue(wall + 3_600_000);
    const done = await exec_tool.execute(RUN.input, { toolCallId: 'call_0', messages: [assistant] });
    const error = expect.stringMatching(/expired .*: make the same call again/);
    expect(done).toMatchObject({ success: false, code: 'ERR_APPROVAL', error });
  });

  test('is requested if only an import needs it', async () => {
    const rules = [{ id: 'payments', ask: ['run'], paths: ['tools/payments/**'] }];
    const files = {
      'tools/uses.ts':
        '/** Uses. */\nimport charge from "./payments/charge.ts";\nexport default (args: object) => charge(args);\n',
    };
    const { kernel } = await policyKernel({ default: 'allow', rules }, { files });
    await kernel.boot();
    const { exec_tool } = /** @type {any} */ (tgpTools(kernel, { approval: 'sdk' }));
    const input = { path: 'tools/uses.ts', args: {} };
    expect(await exec_tool.needsApproval(input, { toolCallId: 'call_0', messages: [] })).toBe(true);
    const done = await exec_tool.execute(input, { toolCallId: 'call_0', messages: [assistant] });
    expect(done).toMatchObject({ success: true, result: 'charged' });
  });

  test('covers all test files of a call, but none that changed since', async () => {
    const rules = [{ id: 'tests', ask: ['test_tool'] }];
    const cases = (/** @type {number} */ n) =>
      `import { expect, test } from '@tgp/std/test';\nimport ok from './ok';\ntest('is ${n}', () => { expect(ok({ n: ${n} })).toBe(${n}); });\n`;
    const files = { 'tools/ok.test.ts': cases(1), 'tools/reports/sum.test.ts': cases(2).replace('./ok', '../ok') };
    const { kernel, rootDir } = await policyKernel({ default: 'allow', rules }, { files });
    await kernel.boot();
    const { test_tool } = /** @type {any} */ (tgpTools(kernel, { approval: 'sdk' }));
    const options = { toolCallId: 'call_0', messages: [] };
    expect(await test_tool.needsApproval({}, options)).toBe(true);
    expect(await test_tool.execute({}, { ...options, messages: [assistant] })).toMatchObject({ ok: true, passed: 2 });
    await test_tool.needsApproval({}, options);
    await writeFile(join(rootDir, 'tools/reports/sum.test.ts'), cases(3).replace('./ok', '../ok'));
    await expect(test_tool.execute({}, { ...options, messages: [assistant] })).rejects.toMatchObject({
      code: 'ERR_APPROVAL',
    });
  });

  test('counts for a call id that the provider has used before', async () => {
    const { exec_tool } = await guarded();
    // The id was used twice: by a call with a result, and by a call without an answer.
    const before = [assistant, result, { role: 'user', content: 'x' }, assistant, { role: 'user', content: 'Go on.' }];
    expect(await exec_tool.needsApproval(RUN.input, { toolCallId: 'call_0', messages: before })).toBe(true);
    const now = [...before, assistant];
    expect(await exec_tool.needsApproval(RUN.input, { toolCallId: 'call_0', messages: now })).toBe(true);
    const done = await exec_tool.execute(RUN.input, { toolCallId: 'call_0', messages: now });
    expect(done).toMatchObject({ success: true, result: 7 });
    const again = await exec_tool.execute(RUN.input, { toolCallId: 'call_0', messages: now });
    expect(again, 'once').toMatchObject({ success: false, code: 'ERR_APPROVAL' });
  });

  test('counts only for its own call if two conversations use the same call id', async () => {
    const { exec_tool } = await guarded();
    const other = { ...RUN.input, args: { n: 8 } };
    await exec_tool.needsApproval(RUN.input, { toolCallId: 'call_0', messages: [] });
    await exec_tool.needsApproval(other, { toolCallId: 'call_0', messages: [] });
    const options = { toolCallId: 'call_0', messages: [assistant] };
    expect(await exec_tool.execute(RUN.input, options)).toMatchObject({ success: true, result: 7 });
    const third = await exec_tool.execute({ ...RUN.input, args: { n: 9 } }, options);
    expect(third).toMatchObject({ success: false, code: 'ERR_APPROVAL' });
    expect(await exec_tool.execute(other, options)).toMatchObject({ success: true, result: 8 });
  });
});

test('the text of a long request is complete, and escapes hidden characters', () => {
  const words = Array.from({ length: 2_000 }, (_, at) => String(at).padStart(4, '0')).join(' ');
  const hidden = '\u202e\u200b\u001b[2J\u009b';
  const call = { tool: 'write_file', args: { path: 'notes/a.md', content: `${words}${hidden} drop everything` } };
  const text = approvalText(call);
  expect(text).toContain(`${words}\\u{202e}\\u{200b}\\u{1b}[2J\\u{9b} drop everything`);
  expect(text).toMatch(/^write_file \[sha256 [0-9a-f]{16}\]\n {2}path: "notes\/a\.md"\n {2}content:\n/);
  expect(
    approvalText({ ...call, args: { ...call.args, content: `${words} drop everything` } }).split('\n')[0],
  ).not.toBe(text.split('\n')[0]);
  expect(approvalText({ tool: 'write_file', hiddenBytes: 2_000_000 })).toContain(
    'The request is not shown in full, so it cannot be approved.',
  );
});

test('the text of a request escapes invisible characters, but no letters of other languages', () => {
  const shown = (/** @type {string} */ content) => approvalText({ tool: 'write_file', args: { content } });
  // Blanks, fillers, joiners of other scripts, the object replacement character.
  for (const hidden of ['\u{1d159}', '\u{16fe4}', '\u{13441}', '\u2800', '\u2d7f', '\u17d2', '\u{1107f}', '\ufffc']) {
    const spelt = `\\u{${hidden.codePointAt(0)?.toString(16)}}`;
    expect(shown(`a${hidden}b`), spelt).toContain(`a${spelt}b`);
  }
  for (const word of ['Zürich', 'e\u0301', 'ភាសាខ្មែរ', 'हिन्दी', 'สวัสดี', 'עִבְרִית', '日本語', '👍'])
    expect(shown(word)).toContain(word);
});

test('pages of a request split no character, and a tab inside a line is escaped', () => {
  const content = '\u{1f600}'.repeat(500);
  const pages = requestPages({ tool: 'write_file', args: { content } }, { pageChars: 101, mostPages: 50 });
  expect(pages?.join('').replaceAll('\n', '')).toContain(content);
  for (const page of pages ?? []) expect(page.isWellFormed()).toBe(true);
  expect(approvalText({ tool: 'write_file', args: { content: '\tif (a)\tb();\n' } })).toContain('if (a)\\u{9}b();');
});
