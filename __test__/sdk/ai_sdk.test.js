import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { otherNodes } from '../../tools/other_nodes.mjs';
import { installedSdks, MATRIX } from '../helpers/ai_sdks.js';

const run = promisify(execFile);
const here = (/** @type {string} */ name) => fileURLToPath(new URL(name, import.meta.url));
const MINUTES = 60_000;

/** @type {Record<string, string>} */
let folders;
beforeAll(async () => {
  folders = await installedSdks();
}, 5 * MINUTES);

describe.each(MATRIX)('AI SDK $sdk with $zod', ({ sdk, zod }) => {
  /** @type {any} */
  let report;
  /** @type {string} */
  let root;

  beforeAll(async () => {
    // Version 7 requires Node 22.
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

  test.each(['generate', 'stream'])('%s: a long result is cut in the prompt', (mode) => {
    const { text, seen } = report[mode].LONG;
    expect(text).toBe('done');
    for (const { output } of seen.slice(1)) {
      expect(output).toMatchObject({ success: true, notice: expect.stringContaining('.results/') });
      expect(JSON.stringify(output).length).toBeLessThanOrEqual(16_000);
    }
  });

  test.each(['generate', 'stream'])('%s: the model receives complete schemas', (mode) => {
    const { write_file, exec_tool } = report[mode].FORGE.schemas;
    expect(write_file).toMatchObject({
      type: 'object',
      properties: { path: { type: 'string' }, content: { type: 'string' } },
      required: ['path', 'content'],
      additionalProperties: false,
    });
    expect(exec_tool).toMatchObject({ required: ['path'], properties: { args: { type: 'object' } } });
  });

  test.each(['generate', 'stream'])(
    '%s: wrong arguments and failures are reported with the field and the code',
    (mode) => {
      const { MISUSE, MISSING } = report[mode];
      // Version 4 ends the conversation with an error; later ones report it to the model, which continues.
      const [misuse, missing] = [MISUSE, MISSING].map(({ text, seen }) => (sdk === '4' ? text : JSON.stringify(seen)));
      expect(misuse).toContain('\\"content\\" is missing'.replaceAll('\\', sdk === '4' ? '' : '\\'));
      expect(missing).toContain('ERR_NOT_FOUND');
      if (sdk !== '4') expect([MISUSE.text, MISSING.text]).toEqual(['done', 'done']);
    },
  );
});
