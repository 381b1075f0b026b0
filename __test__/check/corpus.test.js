import { describe, expect, it } from 'vitest';
import { createKernel } from '../helpers/create_kernel.js';
import { readCorpus } from '../helpers/tool_corpus.js';

const GOOD = readCorpus('good.md');
const BAD = readCorpus('bad.md');
const BAD_TYPES = readCorpus('bad_types.md');

/**
 * Checks tools one by one on one kernel.
 * @param {import('../helpers/tool_corpus.js').CorpusTool[]} corpus
 * @param {import('../../index.js').TGPConfigInput} config
 */
async function checkAll(corpus, config) {
  const { tools } = await createKernel({ check: 'off', ...config });
  const reports = [];
  for (const { name, source, expected } of corpus) {
    const path = `tools/${name}.ts`;
    await tools.write_file.execute({ path, content: source });
    reports.push({ name, expected, report: await tools.check_tool.execute({ path }) });
  }
  return reports;
}

describe('a corpus of tools as models write them', () => {
  it('is large enough', () => {
    expect(GOOD.length).toBeGreaterThanOrEqual(60);
    expect(BAD.length).toBeGreaterThanOrEqual(120);
  });

  it('accepts every good tool, with the expected advice', async () => {
    for (const { name, expected, report } of await checkAll(GOOD, {})) {
      expect(report, name).toMatchObject({ valid: true, errors: [], typesChecked: true });
      expect([...new Set(report.diagnostics.map((found) => found.rule))], name).toEqual(expected);
    }
  });

  it('refuses every bad tool for its actual error', async () => {
    for (const { name, expected, report } of await checkAll(BAD, { rules: { types: 'off' } })) {
      const errors = report.diagnostics.filter((found) => found.severity === 'error');
      expect(report.valid, name).toBe(false);
      expect(new Set(errors.map((found) => found.rule)), name).toEqual(new Set(expected));
      for (const found of errors) {
        if (found.rule !== 'syntax') expect(found.help, `${name}: ${found.message}`).toMatch(/\w{3}/);
      }
    }
  });

  it('refuses every tool with type errors, with positions', async () => {
    for (const { name, expected, report } of await checkAll(BAD_TYPES, {})) {
      expect(report, name).toMatchObject({ valid: false, typesChecked: true });
      expect([...new Set(report.diagnostics.map((found) => found.rule))], name).toEqual(expected);
      const [found] = report.diagnostics;
      expect(found?.message, name).toMatch(/\(TS\d+\)$/);
      expect(found?.line, name).toBeGreaterThan(1);
    }
  });
});
