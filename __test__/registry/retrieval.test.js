import { describe, expect, it } from 'vitest';
import { placeTools, retrievalQueries, retrievalTools, wordsOf } from '../../tools/retrieval_set.mjs';
import { createKernel } from '../helpers/create_kernel.js';
import { applicationWithMemory, hasWeights } from '../helpers/memory_model.js';
import { firstThreeTen, share } from '../helpers/retrieval_figures.js';
import { tempRoot } from '../helpers/temp_root.js';

/** The weights of the ranking are tuned on this set, and on the default one. */
const DEVELOPMENT_SET = new URL('../fixtures/retrieval_dev/', import.meta.url);
const SAME_JOB = 0.85;
const LITTLE_WORDS = new Set(
  'a an the of to in on for i it my do we our us what how when who which with by from at out and or be are that this those you me one than if will can should up all each doe without have ha wa i is thi not it one'.split(
    ' ',
  ),
);

/**
 * A kernel with all tools of the set, and a function that runs a file of queries.
 * @param {'words' | 'meaning'} by
 */
async function scene(by) {
  const { kernel, rootDir } = by === 'meaning' ? await applicationWithMemory() : await byWords();
  placeTools(rootDir, retrievalTools());
  expect(await kernel.registry.remember()).toMatchObject({ by, waiting: 0 });
  /** @param {Parameters<typeof retrievalQueries>[0]} file */
  const ask = (file) =>
    Promise.all(
      retrievalQueries(file).map(async ({ path, query }) => ({
        path,
        query,
        found: await kernel.find(query, { limit: 20 }),
      })),
    );
  return { kernel, ask };
}

async function byWords() {
  return createKernel({ rootDir: await tempRoot(), memory: 'off' });
}

/** @param {Awaited<ReturnType<typeof scene>>['ask']} ask */
async function askAll(ask) {
  const [same, some, other, elsewhere] = await Promise.all([
    ask('queries_same_words'),
    ask('queries_some_words'),
    ask('queries_other_words'),
    ask('other_jobs'),
  ]);
  const promised = [...same, ...some, ...other].flatMap(({ path, found }) =>
    found.filter((tool) => tool.score > SAME_JOB).map((tool) => tool.path === path),
  );
  const broken = elsewhere.flatMap(({ path, found }) =>
    found.filter((tool) => tool.path === path && tool.score > SAME_JOB),
  );
  const kept = promised.filter(Boolean).length;
  const figures = { same: firstThreeTen(same), some: firstThreeTen(some), other: firstThreeTen(other) };
  const certain = same.filter(({ path, found }) => found[0]?.path === path && found[0].score > SAME_JOB);
  console.info('top-1, top-3 and top-10:', figures, `above ${SAME_JOB}: ${kept} of ${promised.length + broken.length}`);
  return {
    shared: share([...same, ...some], 1),
    same: share(same, 1),
    some: share(some, 1),
    other: [share(other, 1), share(other, 3), share(other, 10)],
    precision: kept / (promised.length + broken.length),
    certain: certain.length / same.length,
  };
}

describe('the retrieval set', () => {
  it('has at least 300 tools and 200 queries, and its thirds match their names', () => {
    const tools = new Map(retrievalTools().map((tool) => [tool.path, tool.words]));
    expect(tools.size).toBeGreaterThanOrEqual(300);
    const files = /** @type {const} */ (['queries_same_words', 'queries_some_words', 'queries_other_words']);
    const queries = files.map((file) => retrievalQueries(file));
    expect(queries.flat().length).toBeGreaterThanOrEqual(200);
    for (const list of queries) expect(list.length).toBeGreaterThanOrEqual(200 / 3);
    for (const { path } of [...queries.flat(), ...retrievalQueries('other_jobs')])
      expect(tools.has(path), path).toBe(true);
    for (const { path, query } of queries[2] ?? []) {
      const shared = [...wordsOf(query)].filter((word) => tools.get(path)?.has(word) && !LITTLE_WORDS.has(word));
      expect(shared, `${path}: ${query}`).toEqual([]);
    }
  });
});

describe('find_tool', () => {
  it('ranks the tool first if words are shared, and a score above 0.85 is reliable', async () => {
    const { ask } = await scene('words');
    const { shared, same, some, precision, certain } = await askAll(ask);
    expect(shared).toBeGreaterThanOrEqual(0.95);
    expect(same).toBeGreaterThanOrEqual(0.97);
    expect(some).toBeGreaterThanOrEqual(0.95);
    expect(precision).toBeGreaterThanOrEqual(0.95);
    expect(certain).toBeGreaterThanOrEqual(0.85);
  });

  // Texts are embedded by threads of low priority, which are much slower beside other work.
  const SLOW = { timeout: 600_000 };

  it.skipIf(!hasWeights)(
    'finds tools by meaning without shared words, and is as good with shared words',
    SLOW,
    async () => {
      const { ask } = await scene('meaning');
      const { same, some, other, precision, certain } = await askAll(ask);
      expect(same).toBeGreaterThanOrEqual(0.97);
      expect(some).toBeGreaterThanOrEqual(0.97);
      expect(other[0]).toBeGreaterThanOrEqual(0.42);
      expect(other[1]).toBeGreaterThanOrEqual(0.68);
      expect(other[2]).toBeGreaterThanOrEqual(0.8);
      expect(precision).toBeGreaterThanOrEqual(0.95);
      expect(certain).toBeGreaterThanOrEqual(0.85);
    },
  );

  it.skipIf(!hasWeights)('distinguishes similar tools by outputs and inputs', SLOW, async () => {
    const { kernel, rootDir } = await applicationWithMemory();
    placeTools(rootDir, retrievalTools(DEVELOPMENT_SET));
    await kernel.registry.remember();
    /** @param {'paraphrases' | 'neighbours'} file */
    const ask = (file) =>
      Promise.all(
        retrievalQueries(file, DEVELOPMENT_SET).map(async ({ path, query }) => ({
          path,
          found: await kernel.find(query, { limit: 10 }),
        })),
      );
    const [paraphrases, neighbours] = [await ask('paraphrases'), await ask('neighbours')];
    console.info('development set:', {
      paraphrases: firstThreeTen(paraphrases),
      neighbours: firstThreeTen(neighbours),
    });
    expect(share(neighbours, 1)).toBeGreaterThanOrEqual(0.85);
    expect(share(paraphrases, 3)).toBeGreaterThanOrEqual(0.75);
    expect(share(paraphrases, 10)).toBeGreaterThanOrEqual(0.9);
  });

  it('returns the best tools first, limited, with scores from 0 to 1, deterministically', async () => {
    const { kernel } = await scene('words');
    const found = await kernel.find('convert a currency amount', { limit: 7 });
    expect(found.length).toBe(7);
    const scores = found.map(({ score }) => score);
    expect(scores).toEqual([...scores].sort((left, right) => right - left));
    expect(scores.every((score) => score > 0 && score <= 1)).toBe(true);
    expect(found[0]).toEqual({
      path: 'tools/finance/currency_convert.ts',
      name: 'currency_convert',
      description: 'Convert an amount from one currency to another with a table of exchange rates.',
      score: found[0]?.score,
      parameters: {
        type: 'object',
        properties: {
          amount: { type: 'number' },
          from: { type: 'string' },
          to: { type: 'string' },
          rates: { type: 'object', additionalProperties: { type: 'number' } },
        },
        required: ['amount', 'from', 'to', 'rates'],
      },
    });
    expect(await kernel.find('convert a currency amount', { limit: 7 })).toEqual(found);
    expect((await kernel.find('celcius to farenheit'))[0]?.path).toBe('tools/units/celsius_to_fahrenheit.ts');
    expect(await kernel.find('zzqx')).toEqual([]);
    expect(await kernel.find('??!')).toEqual([]);
  });

  it('refuses an invalid query or limit', async () => {
    const { kernel, tools } = await createKernel();
    await expect(kernel.find('')).rejects.toMatchObject({ code: 'ERR_VALIDATION', details: { field: 'query' } });
    await expect(kernel.find('  ')).rejects.toMatchObject({ code: 'ERR_VALIDATION' });
    await expect(kernel.find('x'.repeat(5000))).rejects.toMatchObject({ code: 'ERR_VALIDATION' });
    for (const limit of [0, 101, 1.5]) {
      await expect(tools.find_tool.execute({ query: 'x', limit }), String(limit)).rejects.toMatchObject({
        code: 'ERR_VALIDATION',
      });
    }
    expect(await tools.find_tool.execute({ query: 'anything' })).toEqual([]);
  });
});

describe('a tool that is forged twice', () => {
  it('is reported by write_file, but a change or an opposite is not', async () => {
    const { tools } = await createKernel();
    const write = (path, content) => tools.write_file.execute({ path, content });
    const source = (name) =>
      `/** Add value added tax to a net price. */\nexport default function ${name}(args: { net: number; rate: number }) {\n  return args.net * (1 + args.rate);\n}\n`;
    expect(await write('tools/finance/vat_add.ts', source('vatAdd'))).not.toHaveProperty('similar');
    expect(await write('tools/finance/vat_add.ts', source('vatAddition'))).not.toHaveProperty('similar');
    const opposite = source('vatRemove').replace('Add value added tax to a net', 'Take value added tax out of a gross');
    expect(await write('tools/finance/vat_remove.ts', opposite)).not.toHaveProperty('similar');
    const twin = await write('tools/billing/add_vat.ts', source('addVat'));
    expect(twin.similar).toEqual([{ path: 'tools/finance/vat_add.ts', score: expect.any(Number) }]);
    expect(twin.similar?.[0]?.score).toBeGreaterThan(SAME_JOB);
  });
});
