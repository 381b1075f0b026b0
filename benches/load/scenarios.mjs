/** All scenarios of a load run, in the order of the page. */

import { slowFsync } from './slow_fsync.mjs';

/**
 * @typedef {object} Scenario
 * @property {string} name
 * @property {string} title
 * @property {string} about what it does, and what its rows mean
 * @property {string} job name of its file
 * @property {number} seconds that it works in a run of 15 minutes; some do a number of things instead, in about this time
 * @property {Record<string, unknown>} [settings]
 * @property {(folder: string) => { env: Record<string, string> } | { skipped: string }} [prepare] its environment, or why there is none
 */

const MIX = `Of 100 calls 70 are small runs, 15 runs that add and count rows of SQLite in a transaction, 8 searches, 5 runs with a result of
200 KB and 2 writes of a tool. They arrive by a schedule with random gaps. A time counts from when the call was due to its answer.`;

/** @param {number} rate @returns {Scenario} */
const mix = (rate) => ({
  name: `mix_${rate}`,
  title: `${rate} calls a second`,
  about: MIX,
  job: 'mix',
  seconds: 95,
  settings: { rate },
});

/** @param {number} machines @param {string} word @returns {Scenario} */
const sharing = (machines, word) => ({
  name: `machines_${machines}`,
  title: `${word} machines on one remote`,
  about: `${word} processes with a root each write new tools, one after the other, for the same time, and push to one bare repository.
"Share" is what the machine with the fewest writes had of all; an equal part is ${Math.round(100 / machines)} %.`,
  job: 'machines',
  seconds: 60,
  settings: { machines },
});

/** @type {Scenario[]} */
export const SCENARIOS = [
  mix(50),
  mix(200),
  mix(400),
  {
    name: 'growth',
    title: 'Growth of disk and memory',
    about: `60 000 small runs, then 3000 writes of 100 tools, four at a time. Bytes are what the disk has for the folder after a
shutdown; "ledger" is the folder of the ledger, "repository" the rest of \`.git\`. Memory is resident memory: before the runs, after
the runs, after the writes.`,
    job: 'growth',
    seconds: 50,
  },
  sharing(2, 'Two'),
  sharing(4, 'Four'),
  {
    name: 'slow_disk',
    title: 'A slow disk: 50 calls a second',
    about: `The mix of 50 calls a second, and every flush to the disk (fsync, fdatasync) takes 20 ms longer.`,
    job: 'mix',
    seconds: 60,
    settings: { rate: 50 },
    prepare: slowFsync,
  },
  {
    name: 'slow_remote',
    title: 'A slow remote',
    about: `A remote over HTTP on this machine, \`git http-backend\`, that answers every request 500 ms late.`,
    job: 'slow_remote',
    seconds: 40,
    settings: { manner: 'slow' },
  },
  {
    name: 'silent_remote',
    title: 'A silent remote',
    about: `The same remote, which takes connections and never answers. The kernel has a local copy. Writes are made for a time, at least
two; afterwards the remote answers again, and all that was acknowledged has to arrive.`,
    job: 'slow_remote',
    seconds: 40,
    settings: { manner: 'silent' },
  },
  {
    name: 'cold_boot',
    title: 'A first start with 50 000 commits at the remote',
    about: `A kernel with an empty root and a remote of 300 tools, one of which each commit changes: at a path, and over HTTP on this
machine. Beside it the time of \`git clone\` for the same.`,
    job: 'cold_boot',
    seconds: 60,
  },
  {
    name: 'many_tools',
    title: '10 000 tools with a live set',
    about: `A repository with 10 000 tools, and \`kernel.liveTools\` in use. "Holds the event loop" is the longest time in which Node did
nothing else. Each is measured 20 times.`,
    job: 'many_tools',
    seconds: 40,
  },
  {
    name: 'many_events',
    title: 'A ledger of 1 000 000 events',
    about: `Events of the application, appended 500 at a time without a pause; one that is refused for lack of room is tried again.
Then the ledger is read by another kernel.`,
    job: 'many_events',
    seconds: 60,
  },
  {
    name: 'hung_query',
    title: 'A hung database',
    about: `Eight runs at a time wait for queries that never end, with \`wallMs\` of 2 s; beside them one small run after the other.`,
    job: 'hung_query',
    seconds: 40,
  },
  {
    name: 'ledger_overload',
    title: 'More results than the ledger can store',
    about: `16 runs at a time with different results of 200 KB, without a pause, and a write every 200 ms.`,
    job: 'ledger_overload',
    seconds: 60,
  },
];
