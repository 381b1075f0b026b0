import { randomBytes } from 'node:crypto';
import { ValidationError } from '../boundary/errors.js';
import { parseArguments, requireText } from '../boundary/validation.js';
import { registerAgentFactory } from '../kernel/kernel_agent.js';
import { AgentOptionsSchema, RunOptionsSchema } from './agent_options.js';
import { AgentWork } from './agent_run.js';

/**
 * Creates an agent: the implementation of `kernel.agent`.
 * @param {import('../../index.js').TGP} kernel
 * @param {import('../../index.js').AgentOptions} input
 * @returns {import('../../index.js').Agent}
 */
export function createAgent(kernel, input) {
  const options = /** @type {import('../../index.js').AgentOptions} */ (
    parseArguments(AgentOptionsSchema, input, 'agent options')
  );
  if (options.budget?.money !== undefined && options.prices === undefined) {
    throw new ValidationError('"budget.money" requires "prices": token prices are not known.', {
      details: { field: 'prices' },
    });
  }
  return {
    run: (task, runOptions = {}) => {
      const parsed = parseArguments(RunOptionsSchema, runOptions, 'run options');
      const { resume = false, signal } = /** @type {import('../../index.js').AgentRunOptions} */ (parsed);
      const session = parsed.session ?? options.session;
      if (resume && session === undefined) {
        throw new ValidationError('"resume" requires "session". kernel.sessions.list() lists all sessions.', {
          details: { field: 'session' },
        });
      }
      if (!resume || task !== undefined) requireText(task, 'task');
      return new AgentWork(kernel, options, { session: session ?? newSession(), task, resume, signal }).start();
    },
  };
}

/** A unique session name that starts with the current time. */
function newSession() {
  const now = new Date().toISOString().slice(0, 19).replace(/[-:]/g, '').replace('T', '-');
  return `${now}-${randomBytes(3).toString('hex')}`;
}

registerAgentFactory(createAgent);
