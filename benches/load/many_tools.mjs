/** The cost of many tools for an application that offers them to a model and writes more of them. */

import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { percentile } from '../../tools/statistics.mjs';
import { heldBy } from './event_loop.mjs';
import { broken, cost, fact } from './figures.mjs';
import { createKernel, rootOf, toolText } from './workspace.mjs';

const TOOLS = 10_000;
const FEW = 100;
const ROUNDS = 20;
const WORDS = ['order', 'invoice', 'parcel', 'customer', 'refund', 'tariff', 'route', 'ledger', 'stock', 'currency'];

/** @typedef {'boot' | 'live' | 'liveAgain' | 'tools' | 'prompt' | 'list' | 'write'} Measured */

/** @param {import('./workspace.mjs').Job} job */
export default async function manyTools({ api, folder, scale }) {
  const count = Math.max(2 * FEW, Math.round(TOOLS * scale));
  const few = await measured(api, `${folder}/few`, FEW);
  const many = await measured(api, `${folder}/many`, count);
  const took = (/** @type {Measured} */ what) => many[what].map(({ ms }) => ms);
  const held = (/** @type {Measured} */ what) => many[what].map((one) => one.held);
  const both = (/** @type {string} */ title, /** @type {Measured} */ what) => [
    cost(`${title}, p50`, percentile(took(what), 0.5)),
    cost(`${title}, max`, percentile(took(what), 1)),
    cost(`${title}, holds the event loop, max`, percentile(held(what), 1)),
  ];
  return [
    fact('tools', count),
    cost('first boot', took('boot')[0] ?? Number.NaN),
    cost('first liveTools', took('live')[0] ?? Number.NaN),
    cost('first liveTools, holds the event loop', held('live')[0] ?? Number.NaN),
    ...both('liveTools again', 'liveAgain'),
    ...both('kernel.tools()', 'tools'),
    ...both('system prompt', 'prompt'),
    ...both('registry.list()', 'list'),
    ...both('write with a live set', 'write'),
    cost(
      'write with a live set, p50, against the same with 100 tools',
      percentile(took('write'), 0.5) /
        percentile(
          few.write.map(({ ms }) => ms),
          0.5,
        ),
      'times',
    ),
    broken('written tools that the live set does not have', many.stale),
  ];
}

/** @param {import('./workspace.mjs').Api} api @param {string} folder @param {number} count */
async function measured(api, folder, count) {
  seed(rootOf(folder), count);
  const kernel = createKernel(api, folder, { sandbox: { warm: 0 } });
  const tools = api.tgpTools(kernel);
  const boot = [await heldBy(() => kernel.boot())];
  /** @type {Record<string, unknown>} */
  let set = {};
  const live = [
    await heldBy(async () => {
      set = await kernel.liveTools({ ...tools });
    }),
  ];
  const { write_file } = tools;
  const figures = {
    boot,
    live,
    // First, because each call of `liveTools` creates one more set that every write updates.
    write: await rounds((id) => write_file.execute({ path: `tools/added/t${id}.ts`, content: toolText(id) })),
    stale: Array.from({ length: ROUNDS }, (_, id) => `added_t${id}`).filter((name) => set[name] === undefined).length,
    tools: await rounds(() => kernel.tools()),
    prompt: await rounds(() => kernel.getSystemPrompt()),
    // Not awaited: a booted kernel returns it synchronously.
    list: await rounds(() => void kernel.registry.list()),
    liveAgain: await rounds(() => kernel.liveTools({ ...tools })),
  };
  await kernel.shutdown();
  return figures;
}

/** @param {(id: number) => unknown} work */
async function rounds(work) {
  const times = [];
  for (let id = 0; id < ROUNDS; id++) times.push(await heldBy(() => work(id)));
  return times;
}

/**
 * A repository with a given number of tools in one commit, created by Git itself.
 * @param {string} root
 * @param {number} count
 */
function seed(root, count) {
  mkdirSync(root, { recursive: true });
  const git = (/** @type {string[]} */ args, /** @type {string} */ input = '') =>
    execFileSync('git', ['-C', root, ...args], { input, stdio: ['pipe', 'ignore', 'inherit'] });
  git(['init', '-q', '-b', 'main']);
  const data = (/** @type {string} */ text) => `data ${Buffer.byteLength(text)}\n${text}\n`;
  const files = Array.from({ length: count }, (_, at) => `M 100644 inline ${pathOf(at)}\n${data(sourceOf(at))}`);
  const author = 'committer Load <load@localhost> 1700000000 +0000\n';
  git(['fast-import', '--quiet'], `commit refs/heads/main\n${author}${data('Tools')}${files.join('')}\ndone\n`);
  git(['reset', '-q', '--hard']);
}

/** @param {number} at */
const wordsOf = (at) => [at % 10, Math.floor(at / 10) % 10, Math.floor(at / 100) % 10].map((each) => WORDS[each] ?? '');

/** @param {number} at */
const pathOf = (at) => `tools/${wordsOf(at)[0]}/${wordsOf(at).slice(1).join('_')}_${at}.ts`;

/** @param {number} at */
const sourceOf = (at) => {
  const [first, second, third] = wordsOf(at);
  return `/** Computes the ${first} of a ${second} by its ${third}, form ${at}. */
export default (args: { ${first}: number; ${second}Id: string; days?: number[] }): number => args.${first} * ${at};
`;
};
