import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { placeTools } from '../../tools/retrieval_set.mjs';
import { IS_LONG } from '../helpers/how_often.js';
import { applicationWithMemory, hasWeights } from '../helpers/memory_model.js';
import { firstThreeTen } from '../helpers/retrieval_figures.js';

/**
 * A set whose author had not seen the search. Its figures are reported and not asserted, so that the search is not tuned to
 * them. The report is part of `npm run test:long`.
 */
const FOLDER = new URL('../fixtures/retrieval_unseen/', import.meta.url);
const SAME_JOB = 0.85;

const text = (/** @type {string} */ file) => readFileSync(new URL(file, FOLDER), 'utf8');
const rows = (/** @type {string} */ file) =>
  text(file)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

/** @param {{ when: boolean }} options whether tools have their @when lines */
function unseenTools({ when }) {
  const lines = new Map(rows('when.jsonl').map((row) => [row.path, row.when]));
  return text('tools.txt')
    .split(/^=== (?=tools\/)/m)
    .slice(1)
    .map((section) => {
      const [path = '', ...source] = section.split('\n');
      const whenLines = (when ? (lines.get(path) ?? []) : []).map((/** @type {string} */ line) => ` * @when ${line}\n`);
      return { path, source: source.join('\n').replace('*/', `*\n${whenLines.join('')} */`) };
    });
}

/**
 * The figures of one kind of search.
 * @param {{ when: boolean, memory: 'auto' | 'off' }} options
 */
async function figures({ when, memory }) {
  const { kernel, rootDir } = await applicationWithMemory({ memory });
  placeTools(rootDir, unseenTools({ when }));
  const { by } = await kernel.registry.remember();
  const all = rows('requests.jsonl');
  const kinds = new Set(all.map(({ kind }) => kind));
  /** @type {Record<string, unknown>} */
  const report = { by };
  for (const kind of kinds) {
    const requests = all.filter((request) => request.kind === kind);
    const answers = await Promise.all(
      requests.map(async ({ expect: path, query }) => ({ path, found: await kernel.find(query, { limit: 10 }) })),
    );
    const above = answers.filter(({ found }) => (found[0]?.score ?? 0) > SAME_JOB).length;
    report[kind] = kind === 'none' ? { above, of: answers.length } : { 'top-1/3/10': firstThreeTen(answers), above };
  }
  return report;
}

describe('the unseen retrieval set', () => {
  it('matches the recorded checksums', () => {
    const sums = text('SHA256SUMS').trim().split('\n');
    expect(sums.length).toBe(6);
    for (const sum of sums) {
      const [hash, file = ''] = sum.split(/\s+/);
      expect(createHash('sha256').update(text(file)).digest('hex'), file).toBe(hash);
    }
    expect(createHash('sha256').update(text('SHA256SUMS')).digest('hex')).toBe(
      '5ee9209fa0803ebb16abb3cdfdeb75d9ae292c0b549c7fdf84a736c9a93f9ed1',
    );
  });

  it.runIf(IS_LONG && hasWeights)(
    'is reported: search by words, by meaning, and with @when',
    async () => {
      const report = {
        words: await figures({ when: false, memory: 'off' }),
        meaning: await figures({ when: false, memory: 'auto' }),
        'meaning and @when': await figures({ when: true, memory: 'auto' }),
      };
      console.info('unseen set:', JSON.stringify(report, undefined, 1));
      expect(Object.keys(report.meaning).length).toBe(7);
    },
    300_000,
  );

  it.runIf(IS_LONG && hasWeights)(
    'is reported: duplicate tools, and tools that are only similar',
    async () => {
      const { kernel, tools, rootDir } = await applicationWithMemory();
      placeTools(rootDir, unseenTools({ when: false }));
      await kernel.registry.remember();
      for (const { path, calls } of rows('examples.jsonl')) {
        for (const { args } of calls) await tools.exec_tool.execute({ path, args });
      }
      const report = { duplicate: { above: 0, firstThree: 0 }, different: { above: 0, firstThree: 0 } };
      for (const { kind, of, path, source } of rows('candidates.jsonl')) {
        const description = /\/\*\*([\s\S]*?)(?:@|\*\/)/.exec(source)?.[1]?.replace(/\s*\*\s*/g, ' ') ?? '';
        const found = await kernel.find(description.trim().slice(0, 1000), { limit: 3 });
        const written = await tools.write_file.execute({ path, content: source });
        const tally = report[/** @type {'duplicate' | 'different'} */ (kind)];
        if (found.some((tool) => tool.path === of)) tally.firstThree += 1;
        if (written.similar?.some((tool) => tool.path === of)) tally.above += 1;
        await kernel.git.remove(path);
      }
      console.info('unseen candidates, of 40 each:', JSON.stringify(report));
      expect(rows('candidates.jsonl').length).toBe(80);
    },
    300_000,
  );
});
