import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { howOften } from '../helpers/how_often.js';
import { installedPackages } from '../helpers/installed_packages.js';
import { otherNodes } from '../helpers/other_nodes.js';
import { strictTypeScript } from '../helpers/strict_typescript.js';

const run = promisify(execFile);
const here = (/** @type {string} */ name) => fileURLToPath(new URL(name, import.meta.url));
const MINUTES = 60_000;

const SDKS = { 4: '4.3.19', 5: '5.0.277', 6: '6.0.326', 7: '7.0.169' };
const ZODS = { zod3: '3.25.76', zod4: '4.6.7' };
const MATRIX = Object.keys(SDKS).flatMap((sdk) => Object.keys(ZODS).map((zod) => ({ sdk, zod })));
/** What is compiled: all of them, or the oldest and the newest. */
const COMPILED = MATRIX.filter((_, index) => index % howOften({ usual: MATRIX.length - 1, long: 1 }) === 0);

/** @type {Record<string, string>} */
const folders = {};

beforeAll(async () => {
  const sdks = Object.entries(SDKS).map(([sdk, version]) => [`ai${sdk}`, `npm:ai@${version}`]);
  for (const [zod, version] of Object.entries(ZODS)) {
    // Every SDK meets every zod, also the one that it does not declare: applications do that.
    const dependencies = { ...Object.fromEntries(sdks), zod: version };
    const folder = installedPackages(`tgp-ai-${zod}`, dependencies, '--legacy-peer-deps');
    for (const sdk of Object.keys(SDKS)) {
      const lines = [`export * as sdk from 'ai${sdk}';`, `export * as test from 'ai${sdk}/test';`];
      await writeFile(join(folder, `ai${sdk}.mjs`), [...lines, `export { z } from 'zod';`, ''].join('\n'));
    }
    folders[zod] = folder;
  }
}, 5 * MINUTES);

describe.each(MATRIX)('AI SDK $sdk with $zod', ({ sdk, zod }) => {
  /** @type {any} */
  let report;
  /** @type {string} */
  let root;

  beforeAll(async () => {
    // Version 7 says that it wants Node 22.
    const node = sdk === '7' ? String(otherNodes()[0]) : process.execPath;
    const entry = pathToFileURL(join(String(folders[zod]), `ai${sdk}.mjs`)).href;
    root = await mkdtemp(join(tmpdir(), 'tgp-test-'));
    const { stdout } = await run(node, [here('application.js'), entry, sdk, root]);
    report = JSON.parse(stdout);
  }, MINUTES);
  afterAll(() => rm(root, { recursive: true, force: true }));

  test.each(['generate', 'stream'])('%s: a model forges, checks, repairs and runs a tool', (mode) => {
    const { text, seen } = report[mode].FORGE;
    expect(text).toBe('done');
    expect(seen.map(({ name }) => name)).toEqual([
      'write_file',
      'check_tool',
      'patch_file',
      'exec_tool',
      'exec_tool',
      'add',
    ]);
    const [written, checked, patched, ran, threw, added] = seen.map(({ output }) => output);
    expect(written).toMatchObject({ success: true, persisted: true, commit: expect.stringMatching(/^[0-9a-f]{40}$/) });
    expect(checked).toMatchObject({ valid: false, diagnostics: [{ line: 1 }] });
    expect(patched).toMatchObject({ success: true, persisted: true });
    expect(ran).toMatchObject({ success: true, result: 42 });
    expect(threw).toMatchObject({ success: false, code: 'ERR_TOOL_THROWN', line: 1 });
    expect(added).toBe(3);
  });

  test.each(['generate', 'stream'])('%s: a tool forged in one step is called by its own name in the next', (mode) => {
    const { text, seen, schemas } = report[mode].DIRECT;
    expect(text).toBe('done');
    const [, ran, , , patched, threw] = seen.map(({ output }) => output);
    expect(ran).toMatchObject({ success: true, result: 42 });
    expect(patched).toMatchObject({ success: true, result: 3 });
    expect(threw).toMatchObject({ success: false, code: 'ERR_TOOL_THROWN', line: 2 });
    expect(schemas.reports_total).toEqual({
      type: 'object',
      properties: { prices: { type: 'array', items: { type: 'number' } } },
      required: ['prices'],
    });
    const misfit = sdk === '4' ? report[mode].MISFIT.text : JSON.stringify(report[mode].MISFIT.seen);
    expect(misfit).toMatch(/reports_total: \\?"prices\\?" is not valid/);
  });

  test.each(['generate', 'stream'])('%s: a long result reaches the prompt in part', (mode) => {
    const { text, seen } = report[mode].LONG;
    expect(text).toBe('done');
    for (const { output } of seen.slice(1)) {
      expect(output).toMatchObject({ success: true, notice: expect.stringContaining('.results/') });
      expect(JSON.stringify(output).length).toBeLessThanOrEqual(16_000);
    }
  });

  test.each(['generate', 'stream'])('%s: the model is sent whole schemas', (mode) => {
    const { write_file, exec_tool } = report[mode].FORGE.schemas;
    expect(write_file).toMatchObject({
      type: 'object',
      properties: { path: { type: 'string' }, content: { type: 'string' } },
      required: ['path', 'content'],
      additionalProperties: false,
    });
    expect(exec_tool).toMatchObject({ required: ['path'], properties: { args: { type: 'object' } } });
  });

  test.each(['generate', 'stream'])('%s: wrong arguments and failures come with the field and the code', (mode) => {
    const { MISUSE, MISSING } = report[mode];
    // Version 4 ends the conversation with an error; later ones tell the model, which goes on.
    const [misuse, missing] = [MISUSE, MISSING].map(({ text, seen }) => (sdk === '4' ? text : JSON.stringify(seen)));
    expect(misuse).toContain('\\"content\\" is missing'.replaceAll('\\', sdk === '4' ? '' : '\\'));
    expect(missing).toContain('ERR_NOT_FOUND');
    if (sdk !== '4') expect([MISUSE.text, MISSING.text]).toEqual(['done', 'done']);
  });
});

/**
 * A strict application on one SDK, with a tool of its own beside the kernel's.
 * @param {string} sdk
 */
const typedApplication = (sdk) => `
import { TGP, tgpTools } from '@tgp/core';
import { generateText, ${sdk === '4' ? '' : 'stepCountIs, '}streamText, tool, type LanguageModel } from 'ai${sdk}';
import { z } from 'zod';

const kernel = new TGP({ config: { rootDir: './.tgp' } });
const clock = tool({
  description: 'The time in a zone.',
  ${sdk === '4' ? 'parameters' : 'inputSchema'}: z.object({ zone: z.string() }),
  execute: async ({ zone }): Promise<string> => zone.toUpperCase(),
});
const tools = { ...tgpTools(kernel), clock };
const severalSteps = ${sdk === '4' ? '{ maxSteps: 20 }' : '{ stopWhen: stepCountIs(20) }'};

export async function answer(model: LanguageModel, prompt: string, abortSignal: AbortSignal): Promise<string[]> {
  const { text, steps } = await generateText({
    model,
    tools,
    ...severalSteps,
    system: kernel.getSystemPrompt(),
    prompt,
    abortSignal,
  });
  const commits = steps
    .flatMap((step) => step.toolResults)
    .flatMap((found) => {
      if (found.toolName !== 'write_file'${sdk === '4' ? '' : ' || found.dynamic'}) return [];
      const { commit } = found.${sdk === '4' ? 'result' : 'output'};
      // @ts-expect-error results are typed: there is no such member
      found.${sdk === '4' ? 'result' : 'output'}.comit;
      return commit === undefined ? [] : [commit];
    });
  return [text, ...commits];
}

export async function forged(model: LanguageModel, prompt: string): Promise<string> {
  const all = { ...tgpTools(kernel), ...(await kernel.tools({ query: prompt, limit: 20 })), clock };
  const stop = kernel.onToolsChanged(({ added }) => added.map(({ name, path }) => name + path));
  const first = await generateText({ model, tools: all, ...severalSteps, prompt });
  const live = await kernel.liveTools({ ...tgpTools(kernel), clock });
  const { text } = await generateText({ model, tools: live, ...severalSteps, prompt });
  stop();
  return first.text + text;
}

export function stream(model: LanguageModel, prompt: string): AsyncIterable<string> {
  return streamText({ model, tools: tgpTools(kernel), ...severalSteps, prompt }).textStream;
}
`;

test.each(COMPILED)(
  'an application on AI SDK $sdk with $zod compiles in strict TypeScript',
  async ({ sdk, zod }) => {
    expect(await strictTypeScript(String(folders[zod]), `app${sdk}`, typedApplication(sdk))).toBe('');
  },
  2 * MINUTES,
);
