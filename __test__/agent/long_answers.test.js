import { MockLanguageModelV3 } from 'ai/test';
import { expect, test } from 'vitest';
import { createKernel } from '../helpers/create_kernel.js';

const PIECES = 120_000;
/** A regression takes more than a minute. */
const MAX_MS = 5_000;

/** A model that sends its answer one character at a time, as fast as it is read. */
function chattyModel() {
  /** @type {any[]} */
  const end = [
    { type: 'text-end', id: 't' },
    {
      type: 'finish',
      finishReason: { unified: 'stop', raw: undefined },
      usage: { inputTokens: { total: 1 }, outputTokens: { total: PIECES } },
    },
  ];
  let sent = 0;
  const stream = new ReadableStream({
    start: (controller) => controller.enqueue({ type: 'text-start', id: 't' }),
    pull: (controller) => {
      sent += 1;
      if (sent <= PIECES) controller.enqueue({ type: 'text-delta', id: 't', delta: String(sent % 10) });
      else if (end.length > 0) controller.enqueue(end.shift());
      else controller.close();
    },
  });
  return new MockLanguageModelV3({ doStream: async () => ({ stream }) });
}

test('an answer of many small pieces is complete and does not block the event loop', async () => {
  const { kernel } = await createKernel();
  let [longest, last, isOver] = [0, performance.now(), false];
  const measure = () => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
    if (!isOver) setImmediate(measure);
  };
  measure();
  const { outcome, text } = await kernel.agent({ model: chattyModel() }).run('Count.').result;
  isOver = true;
  expect(outcome).toBe('done');
  expect(text).toHaveLength(PIECES);
  expect(text?.slice(0, 12)).toBe('123456789012');
  expect(longest).toBeLessThan(MAX_MS);
});
