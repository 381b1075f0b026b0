/** Providers that fail: temporary errors are retried, and no call is made twice. */

import { APICallError } from 'ai';
import { MockLanguageModelV3 } from 'ai/test';
import { describe, expect, test } from 'vitest';
import { agentModel, eventsOf } from '../helpers/agent_model.js';
import { createKernel } from '../helpers/create_kernel.js';

const WRITE = { tool: 'write_file', input: { path: 'tools/notes.md', content: 'once' } };

/**
 * @param {number} statusCode
 * @param {Record<string, string>} [headers]
 * @param {string} [message]
 */
function apiError(statusCode, headers = { 'retry-after-ms': '1' }, message = `status ${statusCode}`) {
  const url = 'http://provider.test/v1';
  return new APICallError({ message, url, requestBodyValues: {}, statusCode, responseHeaders: headers });
}

describe('temporary errors', () => {
  test.each(
    /** @type {[string, import('../helpers/agent_model.js').Move][]} */ ([
      ['a rate limit', { fail: apiError(429) }],
      ['an overloaded server', { fail: apiError(529) }],
      [
        'a connection that is refused',
        { fail: Object.assign(new TypeError('fetch failed'), { code: 'ECONNREFUSED' }) },
      ],
      ['an answer that is cut within its text', { text: 'I am about t', cut: 'after-text' }],
      ['an answer that is cut after a complete call', { text: 'Now.', calls: [WRITE], cut: 'after-calls' }],
      ['an error within the answer', { text: 'I', breaks: { type: 'overloaded_error', message: 'Overloaded' } }],
    ]),
  )('%s is retried, and its calls are made once', async (_, broken) => {
    const { kernel } = await createKernel();
    const model = agentModel([broken, { calls: [WRITE] }, broken, { text: 'Written.' }]);
    const events = await eventsOf(kernel.agent({ model }).run('write', { session: 's' }));
    expect(events.at(-1)).toMatchObject({ outcome: 'done', text: 'Written.', summary: { calls: 1, steps: 2 } });
    expect(events.filter(({ type }) => type === 'retry')).toMatchObject([
      { step: 1, attempt: 1, reason: expect.any(String) },
      { step: 2, attempt: 1 },
    ]);
    expect(await kernel.ledger.query({ session: 's', type: 'CALL', tool: 'write_file' })).toHaveLength(1);
    expect(await kernel.git.log('tools/notes.md')).toHaveLength(1);
    // The conversation contains nothing of the incomplete answers.
    expect(JSON.stringify(model.doStreamCalls.at(-1)?.prompt)).not.toContain('I am about t');
  });

  test('Retry-After sets the wait', async () => {
    const { kernel } = await createKernel();
    const model = agentModel([
      { fail: apiError(429, { 'retry-after': '0' }) },
      { fail: apiError(503) },
      { text: 'ok' },
    ]);
    const events = await eventsOf(kernel.agent({ model }).run('go'));
    expect(events.filter(({ type }) => type === 'retry')).toMatchObject([{ waitMs: 0 }, { waitMs: 1 }]);
  });
});

describe('permanent errors', () => {
  test('a model whose doStream is not implemented is refused at once', async () => {
    const { kernel } = await createKernel();
    // As tests of generateText() write it: only doGenerate.
    const model = new MockLanguageModelV3({ doGenerate: async () => Promise.reject(new Error('not called')) });
    const result = await kernel.agent({ model }).run('go').result;
    expect(result).toMatchObject({ outcome: 'failed', error: { code: 'ERR_VALIDATION' } });
    expect(result.error?.message).toMatch(/^The model cannot stream: Not implemented\. .*doStream/);
    expect(model.doStreamCalls).toHaveLength(1);
    const { modelId, doGenerate } = model;
    const missing = await kernel.agent({ model: { modelId, doGenerate } }).run('go').result;
    expect(missing.error?.message).toMatch(/^The model cannot stream: it has no method doStream\./);
  });

  test("an error of the model's own program is not retried", async () => {
    const { kernel } = await createKernel();
    const model = agentModel([{ fail: new TypeError('x is not a function') }, { text: 'never' }]);
    const result = await kernel.agent({ model }).run('go').result;
    expect(result).toMatchObject({ outcome: 'failed', error: { code: 'ERR_PROVIDER' } });
    expect(model.doStreamCalls).toHaveLength(1);
  });

  test.each([
    ['a wrong key', apiError(401)],
    ['a request that is refused', apiError(400)],
    ['an account without money', { type: 'error', code: 'insufficient_quota', message: 'You have no money left.' }],
  ])('%s ends the run at once', async (_, fail) => {
    const { kernel } = await createKernel();
    const model = agentModel([{ fail }, { text: 'never' }]);
    const result = await kernel.agent({ model }).run('go').result;
    expect(result).toMatchObject({ outcome: 'failed', error: { code: 'ERR_PROVIDER' } });
    expect(model.doStreamCalls).toHaveLength(1);
  });

  test('attempts are limited, and the session can be resumed', async () => {
    const { kernel } = await createKernel();
    const broken = agentModel(({ turn }) => (turn === 0 ? { calls: [WRITE] } : { fail: apiError(500) }));
    const first = await kernel.agent({ model: broken, attempts: 3 }).run('go', { session: 's' }).result;
    expect(first).toMatchObject({ outcome: 'failed', error: { message: expect.stringContaining('3 attempts: 500') } });
    expect(broken.doStreamCalls).toHaveLength(4);
    const whole = agentModel(({ seen }) => ({ text: `I see ${seen.length} result of ${seen[0]?.tool}.` }));
    const second = await kernel.agent({ model: whole }).run(undefined, { session: 's', resume: true }).result;
    expect(second).toMatchObject({ outcome: 'done', text: 'I see 1 result of write_file.' });
    expect(await kernel.git.log('tools/notes.md')).toHaveLength(1);
  });

  test('no event and no ledger entry contains the key', async () => {
    const key = 'sk-test-1234567890abcdef';
    process.env.OPENAI_API_KEY = key;
    try {
      const { kernel } = await createKernel();
      const model = agentModel([{ fail: apiError(401, {}, `Incorrect API key provided: ${key}`) }]);
      const events = await eventsOf(kernel.agent({ model }).run('go'));
      expect(JSON.stringify(events)).not.toContain(key);
      expect(JSON.stringify(await kernel.ledger.tail({ limit: 100 }))).not.toContain(key);
    } finally {
      delete process.env.OPENAI_API_KEY;
    }
  });

  test('a refusal ends the run as refused, and an answer that is too long as failed', async () => {
    const { kernel } = await createKernel();
    const refused = agentModel([{ text: 'I can', calls: [WRITE], finish: 'content-filter' }]);
    expect(await kernel.agent({ model: refused }).run('go', { session: 'a' }).result).toMatchObject({
      outcome: 'refused',
    });
    const long = agentModel([{ text: 'and so on', calls: [WRITE], finish: 'length' }]);
    expect(await kernel.agent({ model: long }).run('go', { session: 'b' }).result).toMatchObject({ outcome: 'failed' });
    expect(await kernel.ledger.query({ type: 'CALL' })).toEqual([]);
  });
});
