/** A replay of a recorded session has the same output every time. */

import { expect, test } from 'vitest';
import { replayModel } from '../../index.js';
import { agentModel, eventsOf } from '../helpers/agent_model.js';
import { createKernel } from '../helpers/create_kernel.js';

const TOOL = 'export default async (args: { x: number }) => args.x * 2;';
const TIMES = 20;

/** Fields that differ between runs: names, times and values derived from them. */
const VOLATILE = new Set(['ms', 'commit', 'stats', 'session']);

/** @param {unknown} value */
const stableText = (value) => JSON.stringify(value, (key, member) => (VOLATILE.has(key) ? undefined : member));

async function recorded() {
  const { kernel } = await createKernel();
  const model = agentModel([
    {
      text: 'I forge it – “naïvely”.',
      calls: [{ tool: 'write_file', input: { path: 'tools/twice.ts', content: TOOL } }],
      usage: { input: 400, output: 9 },
    },
    {
      calls: [
        { tool: 'twice', input: { x: 21 } },
        { tool: 'read_file', input: '{"path": ' },
      ],
      usage: { input: 500, output: 21 },
    },
    { text: `It is 42. ${'And so on. '.repeat(1_000)}`, usage: { input: 950, output: 12 } },
  ]);
  const original = await eventsOf(kernel.agent({ model }).run('Twice 21?', { session: 's' }));
  const lines = [];
  for await (const line of kernel.sessions.recording('s')) lines.push(line);
  return { original, lines };
}

/** @param {any[]} events */
function textOfSteps(events) {
  const texts = new Map();
  for (const { type, step, text } of events) if (type === 'text') texts.set(step, (texts.get(step) ?? '') + text);
  return [...texts];
}

test(`a recorded session gives the same bytes ${TIMES} times`, { timeout: 120_000 }, async () => {
  const { original, lines } = await recorded();
  const outputs = new Set();
  for (let time = 0; time < TIMES; time++) {
    const { kernel } = await createKernel();
    const recording = time % 2 === 0 ? lines : `${lines.join('\n')}\n`;
    const events = await eventsOf(kernel.agent({ model: replayModel(recording) }).run('Twice 21?', { session: 's' }));
    expect(textOfSteps(events)).toEqual(textOfSteps(original));
    expect(events.at(-1)).toMatchObject({
      outcome: 'done',
      summary: { forged: ['tools/twice.ts'], tokens: { input: 1_850 } },
    });
    outputs.add(stableText(events));
  }
  expect(outputs.size).toBe(1);
});

test('an invalid recording is refused with its line', async () => {
  const { lines } = await recorded();
  expect(() => replayModel('')).toThrow(/line 1/);
  expect(() => replayModel('{"recording":2}')).toThrow(/line 1/);
  expect(() => replayModel([lines[0] ?? '', '{"content":"x"}'])).toThrow(/line 2/);
  expect(() => replayModel([lines[0] ?? '', '{"content":[{"type":"tool-call"}]}'])).toThrow(/line 2/);
  expect(() => replayModel([lines[0] ?? '', '['.repeat(10_000)])).toThrow(/line 2/);
  expect(() => replayModel(/** @type {any} */ (7))).toThrow(/recording/);
});

test('a replay beyond the recording fails with a message', async () => {
  const { lines } = await recorded();
  const { kernel } = await createKernel();
  const result = await kernel.agent({ model: replayModel(lines.slice(0, 3)) }).run('Twice 21?').result;
  expect(result).toMatchObject({ outcome: 'failed', error: { message: expect.stringContaining('1 turns') } });
});
