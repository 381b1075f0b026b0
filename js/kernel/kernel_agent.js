import { InternalError } from '../boundary/errors.js';

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

/** What a kernel has for agents that work with it. */
export class AgentHost {
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
