/** A demo of the whole protocol: real kernel, real sandbox, real Git; only the model is scripted. */

import { execFileSync } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { makeTempFolder, removeTempFolder } from '../../dist/files/temp_folder.js';
import { createSqlTools, sqlite, TGP, tgpTools } from '../../index.js';
import { ACTS, COMMITS } from './acts.js';
import { agentActs } from './agent_act.js';
import { fillDatabase } from './database_act.js';
import { gated } from './gate_act.js';
import { jsonScreen, textScreen } from './screen.js';
import { scriptedModel } from './scripted_model.js';

const MAX_STEPS = 12;

/**
 * @typedef {import('./acts.js').Act} Act
 * @typedef {{ generateText: Function, stepCountIs: Function, Model: any }} Sdk
 *
 * @typedef {object} Screen where the demo is shown
 * @property {(ms: number) => void} booted
 * @property {(title: string, prompt: string) => void} act
 * @property {(text: string) => void} modelText by the model
 * @property {(tool: string, input: any, output: any, ms: number) => void} called
 * @property {(approval: import('./gate_act.js').Approval) => void} approved by a person, who saw what the call would change
 * @property {(text: string) => void} leftOut an act that cannot be played, and why
 * @property {(entries: string[]) => void} history
 * @property {(ms: number) => void} done
 * @property {(folder: string) => void} kept
 * @property {(text: string) => void} failed
 * @property {() => void} [end]
 *
 * @typedef {{ sdk: Sdk, folder: string, database: import('../../index.js').SqlAdapter, screen: Screen, approvals: import('./gate_act.js').Approval[] }} Stage
 */

/**
 * @param {{ workspace: 'keep' | 'remove', format?: 'text' | 'json' }} options
 * @returns {Promise<number>} the exit code
 */
export async function demo({ workspace, format = 'text' }) {
  const screen = format === 'json' ? jsonScreen() : textScreen;
  const folder = workspace === 'keep' ? await mkdtemp(join(tmpdir(), 'tgp-demo-')) : makeTempFolder('tgp-demo-');
  try {
    await perform(screen, folder);
    return 0;
  } catch (error) {
    screen.failed(
      error instanceof MissingSdk
        ? error.message
        : `The demo failed: ${error instanceof Error ? error.message : error}`,
    );
    return 1;
  } finally {
    if (workspace === 'keep') screen.kept(folder);
    else await removeTempFolder(folder);
    screen.end?.();
  }
}

class MissingSdk extends Error {}

/**
 * @param {Screen} screen
 * @param {string} folder
 */
async function perform(screen, folder) {
  const sdk = await loadSdk();
  if (!sdk) {
    throw new MissingSdk(
      'The demo needs the Vercel AI SDK, version 6 or 7. Install it with "npm install ai" and run this again.',
    );
  }
  const started = performance.now();
  const database = sqlite(join(folder, 'shop.db'));
  await fillDatabase(database);
  /** @type {Stage} */
  const stage = { sdk, folder, database, screen, approvals: [] };
  await play(stage, ACTS.first);
  await play(stage, ACTS.second);
  await play(stage, ACTS.third, await gated(folder, (approval) => stage.approvals.push(approval)));
  const more = await agentActs(folder, screen);
  showHistory(screen, join(folder, '.tgp'), { ...COMMITS, ...more });
  screen.done(performance.now() - started);
}

/** @returns {Promise<Sdk | undefined>} */
async function loadSdk() {
  try {
    const [{ generateText, stepCountIs }, test] = await Promise.all([import('ai'), import('ai/test')]);
    // The mock model differs between major versions.
    return 'MockLanguageModelV3' in test ? { generateText, stepCountIs, Model: test.MockLanguageModelV3 } : undefined;
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'ERR_MODULE_NOT_FOUND') return undefined;
    throw error;
  }
}

/**
 * One kernel's life: boot, some conversations, shutdown.
 * @param {Stage} stage
 * @param {Act[]} acts
 * @param {Partial<Awaited<ReturnType<typeof gated>>>} [rules]
 */
async function play(stage, acts, { config, approve } = {}) {
  const kernel = new TGP({
    config: { rootDir: join(stage.folder, '.tgp'), ...config },
    sql: stage.database,
    ...(approve && { approve: (request) => approve(kernel, request) }),
  });
  const started = performance.now();
  try {
    await kernel.boot();
    stage.screen.booted(performance.now() - started);
    for (const act of acts) await converse(stage, kernel, act);
  } finally {
    await kernel.shutdown();
  }
}

/**
 * @param {Stage} stage
 * @param {TGP} kernel
 * @param {Act} act
 */
async function converse(
  { sdk: { generateText, stepCountIs, Model }, database, screen, approvals },
  kernel,
  { title, prompt, steps },
) {
  screen.act(title, prompt);
  const { tools, timeOf } = timed({ ...tgpTools(kernel), ...createSqlTools(database) });
  await generateText({
    model: scriptedModel(Model, steps),
    tools,
    stopWhen: stepCountIs(MAX_STEPS),
    system: kernel.getSystemPrompt(),
    prompt,
    maxRetries: 0,
    onStepFinish: (/** @type {any} */ { text, content }) => {
      screen.modelText(text);
      for (const approval of approvals.splice(0)) screen.approved(approval);
      for (const part of content) {
        if (part.type !== 'tool-result' && part.type !== 'tool-error') continue;
        const { toolName, toolCallId, input, output = refusal(part.error) } = part;
        screen.called(toolName, input, output, timeOf(toolCallId));
      }
    },
  });
}

/**
 * A tool's rejection in the form of a report.
 * @param {any} error
 */
function refusal({ code, message, details }) {
  return { success: false, code, error: message.replace(` [${code}]`, ''), details };
}

/**
 * The tools, each wrapped to measure and show its calls.
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

/**
 * @param {Screen} screen
 * @param {string} root
 * @param {Record<string, number>} commits that it must hold, by file
 */
function showHistory(screen, root, commits) {
  const format = '--format=%h  %s';
  const log = execFileSync('git', ['-C', root, 'log', '--reverse', format], { encoding: 'utf8' }).trim();
  const entries = log.split('\n');
  screen.history(entries);
  for (const [path, expected] of Object.entries(commits)) {
    const found = entries.filter((entry) => entry.includes(path)).length;
    if (found !== expected) throw new Error(`The history has ${found} commits of ${path} instead of ${expected}.`);
  }
}
