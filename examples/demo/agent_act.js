/**
 * The agent act: `kernel.agent` with the real client packages of OpenAI and Anthropic, connected to local servers. One
 * model forges a tool, test first; the other provider's model finds and uses it.
 */

import { join } from 'node:path';
import { optionalPackage } from '../../dist/agent/optional_package.js';
import { ConfigError } from '../../dist/boundary/errors.js';
import { TGP } from '../../index.js';
import { anthropicServer } from './providers/anthropic_server.js';
import { openaiServer } from './providers/openai_server.js';
import { expect } from './turns.js';

/**
 * @typedef {import('./providers/scripted_server.js').Seen} Seen
 * @typedef {import('./providers/scripted_server.js').Turn} Turn
 * @typedef {{ company: string, package: string, model: string, serve: typeof openaiServer, variables: (url: string) => Record<string, string> }} Client
 * @typedef {{ title: (company: string) => string, task: string, script: (seen: Seen) => Turn, calls: string[], answer: string }} Task
 */

export const PALLETS = 'tools/shipping/pallets.ts';
export const PALLETS_TEST = 'tools/shipping/pallets.test.ts';

const KEY = 'demo';

/** @type {Client[]} */
const CLIENTS = [
  {
    company: 'OpenAI',
    package: '@ai-sdk/openai',
    model: 'openai/gpt-5.4',
    serve: openaiServer,
    variables: (url) => ({ OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: KEY }),
  },
  {
    company: 'Anthropic',
    package: '@ai-sdk/anthropic',
    model: 'anthropic/claude-sonnet-5',
    serve: anthropicServer,
    variables: (url) => ({ ANTHROPIC_BASE_URL: `${url}/v1`, ANTHROPIC_API_KEY: KEY }),
  },
];

const TEST_SOURCE = `import { expect, test } from '@tgp/std/test';
import pallets from './pallets';

test.each([[40, 1], [41, 2], [0, 0]])('%i boxes take %i', (boxes, expected) => {
  expect(pallets({ boxes, layer: 8, layers: 5 })).toBe(expected);
});
`;

const SOURCE = `/** How many pallets boxes take, so many to a layer and so many layers high. */
export default function pallets(args: { boxes: number; layer: number; layers: number }): number {
  return Math.ceil(args.boxes / (args.layer * args.layers));
}
`;

/** @type {Task} */
const forge = {
  title: (company) =>
    `Agent: a model of ${company} is given a task; it writes the test, sees it fail, and forges the tool`,
  task: 'How many pallets do 130 boxes take, 8 to a layer and 5 layers high?',
  script: ({ results }) => {
    /** @type {Turn[]} */
    const turns = [
      { say: 'Is there a tool?', calls: [{ name: 'find_tool', input: { query: 'how many pallets' } }] },
      { say: 'No. The test first.', calls: [written(PALLETS_TEST, TEST_SOURCE)] },
      { say: 'It must fail now.', calls: [{ name: 'test_tool', input: { path: PALLETS } }] },
      { say: 'Red. Now the tool.', calls: [written(PALLETS, SOURCE)] },
      { say: 'And again.', calls: [{ name: 'test_tool', input: { path: PALLETS } }] },
      {
        say: 'Green. Run it.',
        calls: [{ name: 'exec_tool', input: { path: PALLETS, args: { boxes: 130, layer: 8, layers: 5 } } }],
      },
      { say: `${resultOf(results)} pallets.` },
    ];
    return turns[Math.min(results.length, turns.length - 1)] ?? {};
  },
  calls: ['✓ find_tool', '✓ write_file', '✗ test_tool', '✓ write_file', '✓ test_tool', '✓ exec_tool'],
  answer: '4 pallets.',
};

/** @type {Task} */
const reuse = {
  title: (company) => `Agent: a model of ${company} finds that tool, and writes nothing`,
  task: 'And 100 boxes, 6 to a layer and 4 layers high?',
  script: ({ results }) => {
    /** @type {Turn[]} */
    const turns = [
      { say: 'Is there a tool?', calls: [{ name: 'find_tool', input: { query: 'how many pallets boxes take' } }] },
      {
        say: 'Yes.',
        calls: [{ name: 'exec_tool', input: { path: foundIn(results), args: { boxes: 100, layer: 6, layers: 4 } } }],
      },
      { say: `${resultOf(results)} pallets.` },
    ];
    return turns[Math.min(results.length, turns.length - 1)] ?? {};
  },
  calls: ['✓ find_tool', '✓ exec_tool'],
  answer: '5 pallets.',
};

/**
 * @param {string} folder
 * @param {import('./demo.js').Screen} screen
 * @returns {Promise<Record<string, number>>} what it must leave in the history
 */
export async function agentActs(folder, screen) {
  const clients = await installed();
  const [first, second = first] = clients;
  if (first === undefined || second === undefined) {
    screen.leftOut(`The agent is left out: install ${CLIENTS.map((client) => client.package).join(' or ')} to see it.`);
    return {};
  }
  const kernel = new TGP({ config: { rootDir: join(folder, '.tgp'), mode: 'strict', memory: 'off' } });
  const started = performance.now();
  try {
    await kernel.boot();
    screen.booted(performance.now() - started);
    await work(kernel, screen, first, forge);
    await work(kernel, screen, second, reuse);
  } finally {
    await kernel.shutdown();
  }
  return { [PALLETS]: 1, [PALLETS_TEST]: 1 };
}

async function installed() {
  /** @type {Client[]} */
  const found = [];
  for (const client of CLIENTS) {
    try {
      await optionalPackage(client.package, 'The demo');
      found.push(client);
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
    }
  }
  return found;
}

/**
 * @param {TGP} kernel
 * @param {import('./demo.js').Screen} screen
 * @param {Client} client
 * @param {Task} task
 */
async function work(kernel, screen, { company, model, serve, variables }, { title, task, script, calls, answer }) {
  const server = await serve(script, { key: KEY });
  const restore = withVariables(variables(server.url));
  try {
    screen.act(title(company), task);
    const run = kernel.agent({ model, mode: 'strict' }).run(task);
    const made = await shown(run, screen);
    const { outcome, text, error } = await run.result;
    expect(outcome === 'done' && text === answer, `the answer is "${answer}" (${error?.message ?? text})`);
    expect(made.join() === calls.join(), `the calls are ${calls.join(', ')}`);
    expect(server.problems.length === 0, `the provider reports no problem (${server.problems[0]})`);
  } finally {
    restore();
    await server.close();
  }
}

/**
 * @param {import('../../index.js').AgentRun} run
 * @param {import('./demo.js').Screen} screen
 */
async function shown(run, screen) {
  /** @type {string[]} */
  const made = [];
  /** @type {Map<string, any>} */
  const inputs = new Map();
  let text = '';
  for await (const event of run) {
    if (event.type === 'text') text += event.text;
    // A model turn is complete when its usage is reported.
    if (event.type === 'usage') {
      screen.modelText(text);
      text = '';
    }
    if (event.type === 'tool_call') inputs.set(event.call, event.args);
    if (event.type === 'tool_result') {
      const { call, tool, ok, result, code, error, ms } = event;
      made.push(`${ok ? '✓' : '✗'} ${tool}`);
      screen.called(tool, inputs.get(call) ?? {}, result ?? { success: false, code, error }, ms);
    }
  }
  return made;
}

/**
 * The environment variables of the client packages. A real key in the environment is not sent to the local servers.
 * @param {Record<string, string>} values
 * @returns {() => void} makes them what they were
 */
function withVariables(values) {
  const before = Object.keys(values).map((name) => /** @type {const} */ ([name, process.env[name]]));
  Object.assign(process.env, values);
  return () => {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  };
}

/**
 * @param {string} path
 * @param {string} content
 */
function written(path, content) {
  return { name: 'write_file', input: { path, content } };
}

/** @param {Seen['results']} results */
function resultOf(results) {
  return read(results)?.result;
}

/**
 * The best match of `find_tool`.
 * @param {Seen['results']} results
 */
function foundIn(results) {
  return read(results.slice(0, 1))?.[0]?.path ?? '';
}

/** @param {Seen['results']} results the last of which is read */
function read(results) {
  try {
    return JSON.parse(results.at(-1)?.output ?? 'null');
  } catch {
    return undefined;
  }
}
