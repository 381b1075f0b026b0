/** The agent-related members of a kernel: the agent factory and the open agent runs. */

import { beforeDeadline } from '../boundary/deadline.js';
import { InternalError } from '../boundary/errors.js';
import { ignored } from '../boundary/guarded.js';

/**
 * @typedef {import('../../index.js').TGP} TGP
 * @typedef {(kernel: TGP, options: any) => import('../../index.js').Agent} MakeAgent
 */

/** @type {MakeAgent | undefined} */
let agentFactory;

/**
 * Registers the agent factory. It depends on the kernel, so the kernel cannot import it.
 * @param {MakeAgent} factory
 */
export function registerAgentFactory(factory) {
  agentFactory = factory;
}

/** The open agent runs of a kernel. A registered symbol, so that it works across both copies of this package. */
export const AGENT_RUNS = Symbol.for('@tgp/core/agent_runs');
/** How long a shutdown waits for agent runs to record their end. */
const STOP_MS = 6_000;

/** @typedef {{ stop: () => void, result: Promise<unknown> }} OpenRun */

class OpenAgentRuns {
  /** @type {Set<OpenRun>} */
  #open = new Set();

  /** @param {OpenRun} run with a result that never rejects */
  add(run) {
    this.#open.add(run);
    run.result.finally(() => this.#open.delete(run));
  }

  get isAny() {
    return this.#open.size > 0;
  }

  /** Interrupts all runs and waits until they have ended. */
  async stop() {
    const open = [...this.#open];
    for (const run of open) run.stop();
    await beforeDeadline(() => Promise.all(open.map(({ result }) => result)), STOP_MS).catch(ignored);
  }
}

/** Base class of a kernel with its agent-related members. */
export class AgentHost {
  [AGENT_RUNS] = new OpenAgentRuns();
  /** @type {import('../../index.js').KernelSessions} */
  sessions = /** @type {any} */ (undefined);

  /**
   * @param {import('../../index.js').AgentOptions} options
   * @returns {import('../../index.js').Agent}
   */
  agent(options) {
    if (agentFactory === undefined)
      throw new InternalError('Agents are not available: import the kernel from "@tgp/core".');
    return agentFactory(/** @type {any} */ (this), options);
  }
}
