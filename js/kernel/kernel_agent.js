import { beforeDeadline } from '../boundary/deadline.js';
import { InternalError } from '../boundary/errors.js';
import { ignored } from '../boundary/guarded.js';

/**
 * @typedef {import('../../index.js').TGP} TGP
 * @typedef {(kernel: TGP, options: any) => import('../../index.js').Agent} MakeAgent
 */

/** @type {MakeAgent | undefined} */
let make;

/**
 * Says how agents are made. They are made of a kernel and its tools, so that lies above.
 * @param {MakeAgent} maker
 */
export function agentsAreMadeBy(maker) {
  make = maker;
}

/** The runs of agents that a kernel knows of. Registered, so that agents of either copy of this package find it. */
export const AGENT_RUNS = Symbol.for('@tgp/core/agent_runs');
/** How long a shutdown waits for the runs of agents to write down that they are over. */
const STOP_MS = 6_000;

/** @typedef {{ stop: () => void, result: Promise<unknown> }} OpenRun */

class OpenAgentRuns {
  /** @type {Set<OpenRun>} */
  #open = new Set();

  /** @param {OpenRun} run whose result is never a failure */
  add(run) {
    this.#open.add(run);
    run.result.finally(() => this.#open.delete(run));
  }

  get isAny() {
    return this.#open.size > 0;
  }

  /** Interrupts them all, and waits until they have ended. */
  async stop() {
    const open = [...this.#open];
    for (const run of open) run.stop();
    await beforeDeadline(() => Promise.all(open.map(({ result }) => result)), STOP_MS).catch(ignored);
  }
}

/** What a kernel has for agents that work with it. */
export class AgentHost {
  [AGENT_RUNS] = new OpenAgentRuns();
  /** @type {import('../../index.js').KernelSessions} */
  sessions = /** @type {any} */ (undefined);

  /**
   * @param {import('../../index.js').AgentOptions} options
   * @returns {import('../../index.js').Agent}
   */
  agent(options) {
    if (make === undefined) throw new InternalError('Agents are part of "@tgp/core": import the kernel from there.');
    return make(/** @type {any} */ (this), options);
  }
}
