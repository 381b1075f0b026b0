/**
 * An agent with the installed version of the AI SDK, in a separate process: it forges and reuses a tool, gets malformed
 * arguments, and resumes a reasoning model after an abort. Prints a report.
 *
 * node agent_program.mjs <root>
 */

import { join } from 'node:path';
import { createAnthropic } from '@ai-sdk/anthropic';
import { defaultSettingsMiddleware, wrapLanguageModel } from 'ai';
import { anthropicServer } from '../../examples/demo/providers/anthropic_server.js';
import { openaiServer } from '../../examples/demo/providers/openai_server.js';
import { replayModel, TGP } from '../../index.js';
import { forgeTestFirst, reuse } from '../../tools/model_scripts.mjs';

const [root = ''] = process.argv.slice(2);
const KEY = 'sk-test-0123456789abcdef';
/** @type {Record<string, any>} */
const report = {};

/**
 * @param {string} name
 * @param {string} model
 * @param {typeof openaiServer | typeof anthropicServer} serve
 * @param {(url: string) => Record<string, string>} variables
 */
async function scenario(name, model, serve, variables) {
  let script = forgeTestFirst;
  const server = await serve((seen) => script(seen), { key: KEY });
  Object.assign(process.env, variables(server.url));
  const kernel = new TGP({ config: { rootDir: join(root, name), memory: 'off' } });
  const agent = kernel.agent({ model: model.replace('<url>', server.url) });
  const forged = await finish(agent.run('What does a box of 40 x 40 x 50 weigh, divisor 139?'));
  script = reuse;
  const reused = await finish(agent.run('And one of 10 x 20 x 30, divisor 166?'));
  script = ({ results }) =>
    results.length === 0
      ? { say: 'Half.', calls: [{ name: 'write_file', raw: '{"path": "notes/a.md", "content": "half' }, LIST] }
      : { say: 'Nothing.' };
  const malformed = await finish(agent.run('Write it.'));
  const lines = [];
  for await (const line of kernel.sessions.recording(reused.session)) lines.push(line);
  const replayed = await finish(kernel.agent({ model: replayModel(lines) }).run('And one of 10 x 20 x 30?'));
  await kernel.shutdown();
  await server.close();
  report[name] = { forged, reused, malformed, replayed, problems: server.problems };
}

const LIST = { name: 'list_files', input: { dir: '' } };

async function thinking() {
  const stop = new AbortController();
  const server = await anthropicServer(({ number }) => {
    if (number === 1) stop.abort();
    return number < 2 ? { think: 'What is there?', calls: [LIST] } : { think: 'All.', say: 'Done.' };
  });
  const providerOptions = { anthropic: { thinking: { type: 'enabled', budgetTokens: 2_000 } } };
  const model = wrapLanguageModel({
    model: createAnthropic({ baseURL: `${server.url}/v1`, apiKey: KEY })('claude-sonnet-4-5'),
    middleware: defaultSettingsMiddleware({ settings: { providerOptions } }),
  });
  const kernel = new TGP({ config: { rootDir: join(root, 'thinking'), memory: 'off' } });
  const agent = kernel.agent({ model, session: 's' });
  const first = await finish(agent.run('Look.', { signal: stop.signal }));
  const second = await finish(agent.run(undefined, { resume: true }));
  await kernel.shutdown();
  await server.close();
  report.thinking = { first, second, problems: server.problems };
}

/** @param {import('../../index.js').AgentRun} run */
async function finish(run) {
  /** @type {string[]} */
  const calls = [];
  for await (const event of run) {
    if (event.type === 'tool_result') calls.push(`${event.ok ? 'green' : 'red'} ${event.tool}`);
  }
  const { session, outcome, text, error, summary } = await run.result;
  return {
    session,
    outcome,
    text,
    error,
    calls,
    forged: summary.forged,
    reused: summary.reused,
    tokens: summary.tokens.total,
  };
}

await scenario('openai', 'openai/gpt-5.4', openaiServer, (url) => ({
  OPENAI_BASE_URL: `${url}/v1`,
  OPENAI_API_KEY: KEY,
}));
await scenario('compatible', 'compatible:<url>/v1/meta/llama-4', openaiServer, () => ({ COMPATIBLE_API_KEY: KEY }));
await scenario('anthropic', 'anthropic/claude-sonnet-5', anthropicServer, (url) => ({
  ANTHROPIC_BASE_URL: `${url}/v1`,
  ANTHROPIC_API_KEY: KEY,
}));
await thinking();
process.stdout.write(JSON.stringify({ ...report, sdk: import.meta.resolve('ai') }));
