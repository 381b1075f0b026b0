/** The agent-related members of a kernel: the agent factory and the open agent runs. */

import { beforeDeadline } from '../boundary/deadline.js';
import { InternalError } from '../boundary/errors.js';
import { ignored } from '../boundary/guarded.js';
import type { Agent, AgentOptions } from '../types/agent.js';
import type { TGP } from './tgp.js';

type AgentFactory = (kernel: TGP, options: AgentOptions) => Agent;

let registered: AgentFactory | undefined;

/** Registers the agent factory. It depends on the kernel, so the kernel cannot import it. */
export function registerAgentFactory(factory: AgentFactory) {
  registered = factory;
}

/** The registered factory. */
export function agentFactory(): AgentFactory {
  if (registered === undefined) {
    throw new InternalError('Agents are not available: import the kernel from "@tgp/core".');
  }
  return registered;
}

/** The open agent runs of a kernel. A registered symbol, so that it works across both copies of this package. */
export const AGENT_RUNS = Symbol.for('@tgp/core/agent_runs');
/** How long a shutdown waits for agent runs to record their end. */
const STOP_MS = 6_000;

type OpenRun = { stop: () => void; result: Promise<unknown> };

/** The agent runs that a shutdown must end. */
export class OpenAgentRuns {
  #open = new Set<OpenRun>();

  /** @param run with a result that never rejects */
  add(run: OpenRun) {
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
