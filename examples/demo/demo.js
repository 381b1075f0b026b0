/** The whole protocol in one sitting: real kernel, real sandbox, real Git; only the model is scripted. */

import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { createSqlTools, sqlite, TGP, tgpTools } from '../../index.js';
import { ACTS, COMMITS } from './acts.js';
import { fillDatabase } from './database_act.js';
import { failure, heading, line, model, toolCall, user } from './screen.js';
import { scriptedModel } from './scripted_model.js';

const MAX_STEPS = 12;

/**
 * @typedef {import('./acts.js').Act} Act
 * @typedef {{ generateText: Function, stepCountIs: Function, Model: any }} Sdk
 */

/**
 * @param {{ workspace: 'keep' | 'remove' }} options
 * @returns {Promise<number>} the exit code
 */
export async function demo({ workspace }) {
  const sdk = await loadSdk();
  if (!sdk) {
    failure('The demo needs the Vercel AI SDK, version 6. Install it with "npm install ai@6" and run this again.');
    return 1;
  }
  const folder = await mkdtemp(join(tmpdir(), 'tgp-demo-'));
  const started = performance.now();
  try {
    const database = sqlite(join(folder, 'shop.db'));
    await fillDatabase(database);
    await play(sdk, folder, database, ACTS.first);
    await play(sdk, folder, database, ACTS.second);
    showHistory(join(folder, '.tgp'));
    line(`\nDone in ${Math.round(performance.now() - started)} ms.`);
    return 0;
  } catch (error) {
    failure(`The demo failed: ${error instanceof Error ? error.message : error}`);
    return 1;
  } finally {
    if (workspace === 'keep') line(`The workspace is in ${folder}`);
    else await rm(folder, { recursive: true, force: true });
  }
}

/** @returns {Promise<Sdk | undefined>} */
async function loadSdk() {
  try {
    const [{ generateText, stepCountIs }, test] = await Promise.all([import('ai'), import('ai/test')]);
    // Other major versions have another mock model.
    return 'MockLanguageModelV3' in test ? { generateText, stepCountIs, Model: test.MockLanguageModelV3 } : undefined;
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'ERR_MODULE_NOT_FOUND') return undefined;
    throw error;
  }
}

/**
 * One kernel's life: boot, some conversations, shutdown.
 * @param {Sdk} sdk
 * @param {string} folder
 * @param {import('../../index.js').SqlAdapter} database
 * @param {Act[]} acts
 */
async function play(sdk, folder, database, acts) {
  const kernel = new TGP({ config: { rootDir: join(folder, '.tgp') }, sql: database });
  const started = performance.now();
  try {
    await kernel.boot();
    line(`\nKernel booted in ${(performance.now() - started).toFixed(1)} ms.`);
    for (const act of acts) await converse(sdk, kernel, database, act);
  } finally {
    await kernel.shutdown();
  }
}

/**
 * @param {Sdk} sdk
 * @param {TGP} kernel
 * @param {import('../../index.js').SqlAdapter} database
 * @param {Act} act
 */
async function converse({ generateText, stepCountIs, Model }, kernel, database, { title, prompt, steps }) {
  heading(title);
  user(prompt);
  const { tools, timeOf } = timed({ ...tgpTools(kernel), ...createSqlTools(database) });
  await generateText({
    model: scriptedModel(Model, steps),
    tools,
    stopWhen: stepCountIs(MAX_STEPS),
    system: kernel.getSystemPrompt(),
    prompt,
    maxRetries: 0,
    onStepFinish: (/** @type {any} */ { text, toolResults }) => {
      model(text);
      for (const { toolName, toolCallId, input, output } of toolResults) {
        toolCall(toolName, input, output, timeOf(toolCallId));
      }
    },
  });
}

/**
 * The tools, with a watch on each call.
 * @param {import('../../index.js').ToolSet} tools
 */
function timed(tools) {
  /** @type {Map<string, number>} */
  const times = new Map();
  const watched = Object.entries(tools).map(([name, tool]) => [
    name,
    {
      ...tool,
      /** @type {(args: any, options: any) => Promise<any>} */
      execute: async (args, options) => {
        const started = performance.now();
        try {
          return await tool.execute(args, options);
        } finally {
          times.set(options.toolCallId, performance.now() - started);
        }
      },
    },
  ]);
  return { tools: Object.fromEntries(watched), timeOf: (/** @type {string} */ id) => times.get(id) ?? 0 };
}

/** @param {string} root */
function showHistory(root) {
  heading('What is left: an ordinary Git repository');
  const format = '--format=%h  %s';
  const log = execFileSync('git', ['-C', root, 'log', '--reverse', format], { encoding: 'utf8' }).trim();
  const entries = log.split('\n');
  for (const entry of entries) line(`  ${entry}`);
  for (const [path, expected] of Object.entries(COMMITS)) {
    const found = entries.filter((entry) => entry.includes(path)).length;
    if (found !== expected) throw new Error(`The history has ${found} commits of ${path} instead of ${expected}.`);
  }
}
