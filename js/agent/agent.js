import { randomBytes } from 'node:crypto';
import { ValidationError } from '../boundary/errors.js';
import { parseArguments, requireText } from '../boundary/validation.js';
import { registerAgentFactory } from '../kernel/kernel_agent.js';
import { AgentOptionsSchema, RunOptionsSchema } from './agent_options.js';
import { AgentWork } from './agent_run.js';

/**
 * What `kernel.agent` gives.
 * @param {import('../../index.js').TGP} kernel
 * @param {import('../../index.js').AgentOptions} given
 * @returns {import('../../index.js').Agent}
 */
export function createAgent(kernel, given) {
  const options = /** @type {import('../../index.js').AgentOptions} */ (
    parseArguments(AgentOptionsSchema, given, 'agent options')
  );
  if (options.budget?.money !== undefined && options.prices === undefined) {
    throw new ValidationError('"budget.money" needs "prices": nobody else knows what a token costs.', {
      details: { field: 'prices' },
    });
  }
  return {
    run: (task, runOptions = {}) => {
      const asked = parseArguments(RunOptionsSchema, runOptions, 'run options');
      const { resume = false, signal } = /** @type {import('../../index.js').AgentRunOptions} */ (asked);
      const session = asked.session ?? options.session;
      if (resume && session === undefined) {
        throw new ValidationError('"session" must be given to resume one. kernel.sessions.list() names them.', {
          details: { field: 'session' },
        });
      }
      if (!resume || task !== undefined) requireText(task, 'task');
      return new AgentWork(kernel, options, { session: session ?? newSession(), task, resume, signal }).start();
    },
  };
}

/** A name that tells when it was, and that nobody else has. */
function newSession() {
  const now = new Date().toISOString().slice(0, 19).replace(/[-:]/g, '').replace('T', '-');
  return `${now}-${randomBytes(3).toString('hex')}`;
}

registerAgentFactory(createAgent);
