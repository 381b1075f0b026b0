/**
 * An agent that changes a file, a database and a remote server in turn until it is killed. Its model sees only its prompt: it
 * checks an effect with an unknown outcome before it repeats it.
 */

import { convertArrayToReadableStream, MockLanguageModelV3 } from 'ai/test';
import { sqlite, TGP } from '../../index.js';

const { folder, remote, server, session, resume, effects } = JSON.parse(process.argv[2] ?? '');
const quiet = { debug() {}, info() {}, warn() {}, error() {} };

const KINDS = [
  {
    does: (/** @type {number} */ n) => ({
      tool: 'patch_file',
      input: { path: 'tools/log.md', search: 'END', replace: `line ${n}.\nEND`, why: `effect ${n}.` },
    }),
    looks: (/** @type {number} */ n) => ({
      tool: 'search_files',
      input: { pattern: `^line ${n}\\.$`, glob: 'tools/log.md' },
    }),
    isThere: (/** @type {any} */ seen) => seen.matches.length > 0,
  },
  {
    does: (/** @type {number} */ n) => ({
      tool: 'exec_sql',
      input: { sql: 'INSERT INTO effects (n) VALUES (?)', params: [n] },
    }),
    looks: (/** @type {number} */ n) => ({
      tool: 'exec_sql',
      input: { sql: 'SELECT count(*) AS found FROM effects WHERE n = ?', params: [n] },
    }),
    isThere: (/** @type {any} */ seen) => (seen.result ?? seen)[0].found > 0,
  },
  {
    does: (/** @type {number} */ n) => ({
      tool: 'run_code',
      input: { code: `return (await fetch('${server}/effects/${n}', { method: 'POST' })).status;` },
    }),
    looks: (/** @type {number} */ n) => ({
      tool: 'run_code',
      input: { code: `return (await (await fetch('${server}/effects/${n}')).json()).found;` },
    }),
    isThere: (/** @type {any} */ seen) => seen.result > 0,
  },
];

/** @param {number} n */
const kindOf = (n) => /** @type {typeof KINDS[number]} */ (KINDS[n % KINDS.length]);

/**
 * The calls in the prompt, each with its output.
 * @param {any[]} prompt
 */
function madeCalls(prompt) {
  const outputs = new Map(
    prompt
      .filter(({ role }) => role === 'tool')
      .flatMap(({ content }) => content)
      .map(({ toolCallId, output }) => [toolCallId, output]),
  );
  return prompt
    .filter(({ role }) => role === 'assistant')
    .flatMap(({ content }) => content)
    .filter(({ type }) => type === 'tool-call')
    .map(({ toolCallId, toolName, input }) => ({
      key: keyOf({ tool: toolName, input }),
      output: outputs.get(toolCallId),
    }));
}

/** @param {{ tool: string, input: any }} call */
function keyOf({ tool, input }) {
  return JSON.stringify([tool, Object.entries(input).sort(([one], [other]) => (one < other ? -1 : 1))]);
}

/**
 * The next call for an effect; `undefined` when it has happened.
 * @param {any[]} made
 * @param {number} n
 */
function next(made, n) {
  const { does, looks, isThere } = kindOf(n);
  const [doing, looking] = [does(n), looks(n)];
  let state = 'to do';
  for (const { key, output } of made) {
    if (key === keyOf(doing)) state = stateOf(output);
    if (key === keyOf(looking)) state = stateOf(output) === 'ok' && !isThere(output.value) ? 'to do' : stateOf(output);
  }
  if (state === 'ok') return undefined;
  return state === 'to do' ? doing : looking;
}

/** @param {any} output */
function stateOf({ type, value }) {
  if (type === 'error-text') return 'unknown';
  return value?.state === 'unknown' || value?.success === false ? 'unknown' : 'ok';
}

const model = new MockLanguageModelV3({
  doStream: async ({ prompt }) => {
    const made = madeCalls(prompt);
    const open = Array.from({ length: effects }, (_, n) => next(made, n)).filter((call) => call !== undefined);
    // Sometimes two at once.
    const calls = open.slice(0, made.length % 3 === 0 ? 2 : 1);
    const parts = calls.map(({ tool, input }, at) => ({
      type: /** @type {const} */ ('tool-call'),
      toolCallId: `call_${made.length + at}`,
      toolName: tool,
      input: JSON.stringify(input),
    }));
    const text = [
      { type: /** @type {const} */ ('text-start'), id: 't' },
      { type: /** @type {const} */ ('text-delta'), id: 't', delta: 'All is done.' },
      { type: /** @type {const} */ ('text-end'), id: 't' },
    ];
    return {
      stream: convertArrayToReadableStream([
        { type: 'stream-start', warnings: [] },
        ...(calls.length > 0 ? parts : text),
        {
          type: 'finish',
          finishReason: { unified: calls.length > 0 ? 'tool-calls' : 'stop', raw: undefined },
          usage: /** @type {any} */ ({ inputTokens: {}, outputTokens: {} }),
        },
      ]),
    };
  },
});

const kernel = new TGP({
  config: {
    rootDir: `${folder}/.tgp`,
    git: { repo: remote },
    sandbox: { warm: 0 },
    allowedFetchUrls: [`${server}/`],
  },
  sql: sqlite(`${folder}/effects.db`),
  logger: quiet,
});
const run = kernel
  .agent({ model, budget: { steps: 1_000 } })
  .run(resume ? undefined : 'Make all effects happen, once each.', { session, resume });
for await (const event of run) {
  if (event.type === 'start') console.log('started');
  if (event.type === 'tool_result') console.log(`${event.tool} ${event.from} ${event.ok} ${event.error ?? ''}`);
}
console.log(JSON.stringify(await run.result));
await kernel.shutdown();
