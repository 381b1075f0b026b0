/** What is told of calls to the application's OpenTelemetry and to the channel: never at the cost of a call. */

import { messageOf } from '../boundary/thrown.js';
import { registered } from './api.js';
import { attempt } from './attempt.js';
import { begunCall, endCall, takeTrace } from './call_facts.js';
import { hasListeners, publish } from './channel.js';
import { Metrics } from './metrics.js';
import { Spans } from './spans.js';

/**
 * @typedef {import('./call_facts.js').Asked} Asked
 * @typedef {import('./call_facts.js').Ended} Ended
 * @typedef {import('./metrics.js').Kind} Kind
 *
 * @typedef {object} Telemetry
 * @property {() => boolean} isOn whether anybody wants to know; it takes next to no time
 * @property {<Done>(asked: Asked | undefined, callId: string | undefined, work: () => Promise<Done>) => Promise<Done>} call
 * does the work and tells of it; nothing is told of what nobody has asked for
 * @property {<Done>(asked: Asked | undefined, callId: string | undefined, work: (tracing: Tracing) => Promise<Done>) => Promise<Done>} run
 * the same for a run, whose outcome holds the addon's trace when it is asked for; the outcome comes back without
 * @typedef {'traced' | 'untraced'} Tracing
 */

/** @type {Telemetry} */
const SILENT = {
  isOn: () => false,
  call: (_asked, _callId, work) => work(),
  run: (_asked, _callId, work) => work('untraced'),
};

/**
 * @param {import('../../types/telemetry.js').TelemetryOptions | false | undefined} options
 * @param {import('../../types/kernel.js').Logger} log that never throws
 * @param {import('./contents.js').Hide} hide takes the secrets out that the kernel knows
 * @returns {Telemetry}
 */
export function createTelemetry(options, log, hide) {
  return options === false ? SILENT : new Telling(options?.contents === true ? hide : undefined, log);
}

class Telling {
  #contents;
  #spans;
  #metrics;
  #fail;

  /**
   * @param {import('./call_facts.js').Contents} contents
   * @param {import('../../types/kernel.js').Logger} log
   */
  constructor(contents, log) {
    let hasTold = false;
    this.#fail = (/** @type {unknown} */ error) => {
      if (hasTold) return;
      hasTold = true;
      log.warn(`OpenTelemetry has failed, and calls may be missing in it: ${messageOf(error)}`);
    };
    this.#contents = contents;
    this.#spans = new Spans(this.#fail);
    this.#metrics = new Metrics(this.#fail);
  }

  isOn() {
    return hasListeners() || registered('trace') !== undefined || registered('metrics') !== undefined;
  }

  /** @type {Telemetry['call']} */
  call(asked, callId, work) {
    return asked && this.isOn() ? this.#told('call', asked, callId, work) : work();
  }

  /** @type {Telemetry['run']} */
  run(asked, callId, work) {
    return asked && this.isOn() ? this.#told('run', asked, callId, () => work('traced')) : work('untraced');
  }

  /**
   * @template Done
   * @param {Kind} kind
   * @param {Asked} asked
   * @param {string | undefined} callId
   * @param {() => Promise<Done>} work
   * @returns {Promise<Done>}
   */
  async #told(kind, asked, callId, work) {
    const began = performance.now();
    const call = begunCall(asked, callId, this.#contents);
    const span = this.#spans.begin(call);
    const tell = (/** @type {Ended} */ ended) =>
      attempt(this.#fail, () => {
        const trace = takeTrace(ended);
        endCall(call, asked, ended, performance.now() - began, trace, this.#contents);
        span?.end(call);
        this.#metrics.record(kind, call);
        publish(call);
      });
    try {
      const value = await (span ? span.during(work) : work());
      tell({ value });
      return value;
    } catch (error) {
      tell({ error });
      throw error;
    }
  }
}
