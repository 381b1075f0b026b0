import { describe, expect, it } from 'vitest';
import { retrievalQueries, retrievalTools } from '../../tools/retrieval_set.mjs';
import { applicationWithMemory, hasWeights } from '../helpers/memory_model.js';

/** As in the system prompt: from this score on a tool is read, and used if it fits. */
const WORTH_READING = 0.4;
const JOBS = 30;

/** Jobs that are requested twice: once with some of the tool's words, later with none of them. */
function requests() {
  const sources = new Map(retrievalTools().map(({ path, source }) => [path, source]));
  const again = new Map(retrievalQueries('queries_other_words').map(({ path, query }) => [path, query]));
  const jobs = retrievalQueries('queries_some_words')
    .filter(({ path }) => again.has(path))
    .slice(0, JOBS);
  return [...jobs, ...jobs.map(({ path }) => ({ path, query: again.get(path) ?? '' }))].map((job) => ({
    ...job,
    source: sources.get(job.path) ?? '',
  }));
}

/**
 * An agent that searches, reads the first three results above the score, uses one that fits, and forges a tool otherwise.
 * @param {{ memory: 'auto' | 'off', withWhen: boolean }} options
 */
async function agent({ memory, withWhen }) {
  const { kernel, tools } = await applicationWithMemory({ memory });
  let forged = 0;
  for (const { path, query, source } of requests()) {
    const found = await kernel.find(query, { limit: 3 });
    const fits = found.find((tool) => tool.score >= WORTH_READING && tool.path === path);
    if (fits) continue;
    forged += 1;
    const content = withWhen ? source.replace(' */', `\n * @when ${query}\n */`) : source;
    // A duplicate would be another file; for the count the same path is sufficient.
    await tools.write_file.execute({ path, content });
  }
  return forged;
}

describe.skipIf(!hasWeights)('an agent with 60 requests, half of them repeats in other words', () => {
  it('forges less with the memory than without', async () => {
    expect(requests().length).toBe(2 * JOBS);
    const counts = {
      words: await agent({ memory: 'off', withWhen: false }),
      meaning: await agent({ memory: 'auto', withWhen: false }),
      'meaning and @when': await agent({ memory: 'auto', withWhen: true }),
    };
    console.info('tools forged for 30 jobs asked for twice:', counts);
    expect(counts.words).toBeGreaterThan(counts.meaning);
    expect(counts.meaning).toBeGreaterThanOrEqual(JOBS);
    expect(counts.meaning).toBeLessThanOrEqual(JOBS + 15);
  });
});
