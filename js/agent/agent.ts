/** Agents: `kernel.agent`. */

import { randomBytes } from 'node:crypto';
import { ValidationError } from '../boundary/errors.js';
import { parseArguments, requireText } from '../boundary/validation.js';
import { registerAgentFactory } from '../kernel/agent_factory.js';
import type { TGP } from '../kernel/tgp.js';
import type { Agent, AgentOptions, AgentRunOptions } from '../types/agent.js';
import { AgentOptionsSchema, RunOptionsSchema } from './agent_options.js';
import { AgentWork } from './agent_run.js';
import type { AllowedPrograms } from './toolset.js';

/**
 * Creates an agent: the implementation of `kernel.agent`.
 * @param programs that it may run
 */
export function createAgent(kernel: TGP, input: AgentOptions, programs?: AllowedPrograms): Agent {
  const options: AgentOptions = parseArguments(AgentOptionsSchema, input, 'agent options');
  if (options.budget?.money !== undefined && options.prices === undefined) {
    throw new ValidationError('"budget.money" requires "prices": token prices are not known.', {
      details: { field: 'prices' },
    });
  }
  return {
    run: (task, runOptions = {}) => {
      const parsed: AgentRunOptions = parseArguments(RunOptionsSchema, runOptions, 'run options');
      const { resume = false, signal } = parsed;
      const session = parsed.session ?? options.session;
      if (resume && session === undefined) {
        throw new ValidationError('"resume" requires "session". kernel.sessions.list() lists all sessions.', {
          details: { field: 'session' },
        });
      }
      if (!resume || task !== undefined) requireText(task, 'task');
      return new AgentWork(kernel, options, {
        session: session ?? newSession(),
        task,
        resume,
        signal,
        programs,
      }).start();
    },
  };
}

/** A unique session name that starts with the current time. */
function newSession() {
  const now = new Date().toISOString().slice(0, 19).replace(/[-:]/g, '').replace('T', '-');
  return `${now}-${randomBytes(3).toString('hex')}`;
}

registerAgentFactory((kernel, options) => createAgent(kernel, options));
