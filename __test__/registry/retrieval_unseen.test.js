import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { IS_LONG } from '../helpers/how_often.js';
import { applicationWithMemory, hasWeights } from '../helpers/memory_model.js';
import { firstThreeTen } from '../helpers/retrieval_figures.js';
import { placeTools } from '../helpers/retrieval_set.js';

/**
 * The set was written by somebody who had not seen the search. It is reported on and never tuned for: nothing here asserts a
 * figure, so that nobody is tempted to move a weight until a test passes. The report is part of `npm run test:long`.
 */
const FOLDER = new URL('../fixtures/retrieval_unseen/', import.meta.url);
const SAME_JOB = 0.85;

const text = (/** @type {string} */ file) => readFileSync(new URL(file, FOLDER), 'utf8');
const rows = (/** @type {string} */ file) =>
  text(file)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

/** @param {{ when: boolean }} options whether tools have the lines that say when one would want them */
function unseenTools({ when }) {
  const lines = new Map(rows('when.jsonl').map((row) => [row.path, row.when]));
  return text('tools.txt')
    .split(/^=== (?=tools\/)/m)
    .slice(1)
    .map((section) => {
      const [path = '', ...source] = section.split('\n');
      const said = (when ? (lines.get(path) ?? []) : []).map((/** @type {string} */ line) => ` * @when ${line}\n`);
      return { path, source: source.join('\n').replace('*/', `*\n${said.join('')} */`) };
    });
}

/**
 * The figures of one way of finding.
 * @param {{ when: boolean, memory: 'auto' | 'off' }} options
 */
async function figures({ when, memory }) {
  const { kernel, rootDir } = await applicationWithMemory({ memory });
  placeTools(rootDir, unseenTools({ when }));
  const { by } = await kernel.registry.remember();
  const all = rows('requests.jsonl');
  const kinds = new Set(all.map(({ kind }) => kind));
  /** @type {Record<string, unknown>} */
  const told = { by };
  for (const kind of kinds) {
    const requests = all.filter((request) => request.kind === kind);
    const answers = await Promise.all(
      requests.map(async ({ expect: path, query }) => ({ path, found: await kernel.find(query, { limit: 10 }) })),
    );
    const above = answers.filter(({ found }) => (found[0]?.score ?? 0) > SAME_JOB).length;
    told[kind] = kind === 'none' ? { above, of: answers.length } : { 'top-1/3/10': firstThreeTen(answers), above };
  }
  return told;
}

describe('the unseen retrieval set', () => {
  it('is the one that was frozen', () => {
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
    'is reported on: by words, by meaning, and with lines that say when',
    async () => {
      const told = {
        words: await figures({ when: false, memory: 'off' }),
        meaning: await figures({ when: false, memory: 'auto' }),
        'meaning and @when': await figures({ when: true, memory: 'auto' }),
      };
      console.info('unseen set:', JSON.stringify(told, undefined, 1));
      expect(Object.keys(told.meaning).length).toBe(7);
    },
    300_000,
  );

  it.runIf(IS_LONG && hasWeights)(
    'is reported on: tools that are forged twice, and those that only look like it',
    async () => {
      const { kernel, tools, rootDir } = await applicationWithMemory();
      placeTools(rootDir, unseenTools({ when: false }));
      await kernel.registry.remember();
      for (const { path, calls } of rows('examples.jsonl')) {
        for (const { args } of calls) await tools.exec_tool.execute({ path, args });
      }
      const told = { duplicate: { above: 0, firstThree: 0 }, different: { above: 0, firstThree: 0 } };
      for (const { kind, of, path, source } of rows('candidates.jsonl')) {
        const said = /\/\*\*([\s\S]*?)(?:@|\*\/)/.exec(source)?.[1]?.replace(/\s*\*\s*/g, ' ') ?? '';
        const found = await kernel.find(said.trim().slice(0, 1000), { limit: 3 });
        const written = await tools.write_file.execute({ path, content: source });
        const tally = told[/** @type {'duplicate' | 'different'} */ (kind)];
        if (found.some((tool) => tool.path === of)) tally.firstThree += 1;
        if (written.similar?.some((tool) => tool.path === of)) tally.above += 1;
        await kernel.git.remove(path);
      }
      console.info('unseen candidates, of 40 each:', JSON.stringify(told));
      expect(rows('candidates.jsonl').length).toBe(80);
    },
    300_000,
  );
});
