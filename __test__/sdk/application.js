/**
 * An application on one version of the AI SDK and of zod, in a separate process: its model forges a tool, checks,
 * repairs and runs it, and continues after failures. Prints the results that reached the model.
 *
 * node application.js <entry: a module that exports sdk, test and z> <version of the SDK> <root>
 */

import { join } from 'node:path';
import { TGP, tgpTools } from '../../index.js';
import { scriptedModel } from './scripted_models.js';

const [entry, version, root] = process.argv.slice(2);
const { sdk, test, z } = await import(entry);

const STEPS = 20;
const severalSteps = version === '4' ? { maxSteps: STEPS } : { stopWhen: (sdk.stepCountIs ?? sdk.isStepCount)(STEPS) };

const path = 'tools/math/sum.ts';
const DRAFT = 'export default (args: { of: number[] }): number => args.of.reduce((a, b) => a + b));';
const TOTAL = `/** Adds up amounts. */
export default (args: { amounts: number[] }): number => args.amounts.reduce((a, b) => a + b);
`;
const MANY = `/** Many rows. */
export default (args: { n: number }): object[] => Array.from({ length: args.n }, (_, id) => ({ id, name: 'customer ' + id }));
`;
const call = (/** @type {string} */ name, /** @type {unknown} */ input) => ({ call: { name, input } });

const FORGE = [
  call('write_file', { path, content: DRAFT }),
  call('check_tool', { path }),
  call('patch_file', { path, search: 'a + b));', replace: 'a + b);' }),
  call('exec_tool', { path, args: { of: [20, 22] } }),
  call('exec_tool', { path, args: { of: [] } }),
  call('add', { left: 1, right: 2 }),
  { say: 'done' },
];
/** A forged tool can be called by its name from the next step on, and changes with its source. */
const DIRECT = [
  call('write_file', { path: 'tools/reports/total.ts', content: TOTAL }),
  call('reports_total', { amounts: [20, 22] }),
  call('patch_file', { path: 'tools/reports/total.ts', search: 'amounts: number[]', replace: 'prices: number[]' }),
  call('patch_file', { path: 'tools/reports/total.ts', search: 'args.amounts', replace: 'args.prices' }),
  call('reports_total', { prices: [1, 2] }),
  call('reports_total', { prices: [] }),
  { say: 'done' },
];
/** A result that is too long for a prompt. */
const LONG = [
  call('write_file', { path: 'tools/many.ts', content: MANY }),
  call('exec_tool', { path: 'tools/many.ts', args: { n: '40000' } }),
  call('many', { n: 40_000 }),
  { say: 'done' },
];
const MISFIT = [call('reports_total', { prices: 'many' }), { say: 'done' }];
const MISUSE = [call('write_file', { path }), { say: 'done' }];
const MISSING = [call('read_file', { path: 'tools/none.ts' }), { say: 'done' }];

const add = {
  description: 'Adds.',
  [version === '4' ? 'parameters' : 'inputSchema']: z.object({ left: z.number(), right: z.number() }),
  execute: async (/** @type {{ left: number, right: number }} */ { left, right }) => left + right,
};

/** @type {Record<string, (options: any) => Promise<any>>} */
const MODES = {
  generate: async (options) => (await sdk.generateText(options)).text,
  stream: async (options) => {
    const text = [];
    const result = sdk.streamText({ ...options, onError: () => {} });
    for await (const part of result.fullStream) {
      if (part.type === 'error') throw part.error;
      if (part.type === 'text-delta') text.push(part.textDelta ?? part.text);
    }
    return text.join('');
  },
};

/** @type {Record<string, any>} */
const report = { node: process.versions.node };
for (const [mode, talk] of Object.entries(MODES)) {
  const kernel = new TGP({ config: { rootDir: join(root, mode), sandbox: { timeoutMs: 20_000 } } });
  report[mode] = {};
  const tools = await kernel.liveTools({ ...tgpTools(kernel), add });
  for (const [name, moves] of Object.entries({ FORGE, DIRECT, LONG, MISFIT, MISUSE, MISSING })) {
    /** @type {any[]} */
    let seen = [];
    const { model, record } = scriptedModel(version, test, (results) => {
      seen = results;
      return moves[results.length];
    });
    const options = { model, tools, ...severalSteps, maxRetries: 0, prompt: 'Go.' };
    const text = await talk(options).catch((error) => `${error.name}: ${error.message}`);
    report[mode][name] = { text, seen, schemas: Object.fromEntries(record.tools.map(schemaOf)) };
  }
  await kernel.shutdown();
}
process.stdout.write(JSON.stringify(report));

/** @param {any} tool */
function schemaOf({ name, parameters, inputSchema }) {
  return [name, parameters ?? inputSchema];
}
