/** Reports calls to the application's OpenTelemetry and to the diagnostics channel. Telemetry errors never fail a call. */

import { messageOf } from '../boundary/thrown.js';
import { registered } from './api.js';
import { attempt } from './attempt.js';
import { begunCall, endCall, takeTrace } from './call_message.js';
import { hasListeners, publish } from './channel.js';
import { Metrics } from './metrics.js';
import { Spans } from './spans.js';

/**
 * @typedef {import('./call_message.js').CallRequest} CallRequest
 * @typedef {import('./call_message.js').Outcome} Outcome
 * @typedef {import('./metrics.js').Kind} Kind
 *
 * @typedef {object} Telemetry
 * @property {() => boolean} isOn whether there is a subscriber or a provider; cheap
 * @property {<Done>(request: CallRequest | undefined, callId: string | undefined, work: () => Promise<Done>) => Promise<Done>} call
 * runs `work` and reports the call; without a request nothing is reported
 * @property {<Done>(request: CallRequest | undefined, callId: string | undefined, work: (tracing: Tracing) => Promise<Done>) => Promise<Done>} run
 * the same for a run, whose outcome contains the addon's trace if requested; the trace is removed from the returned outcome
 * @typedef {'traced' | 'untraced'} Tracing
 */

/** @type {Telemetry} */
const SILENT = {
  isOn: () => false,
  call: (_request, _callId, work) => work(),
  run: (_request, _callId, work) => work('untraced'),
};

/**
 * @param {import('../../types/telemetry.js').TelemetryOptions | false | undefined} options
 * @param {import('../../types/kernel.js').Logger} log that never throws
 * @param {import('./contents.js').Hide} hide masks the secrets of the kernel
 * @returns {Telemetry}
 */
export function createTelemetry(options, log, hide) {
  return options === false ? SILENT : new ActiveTelemetry(options?.contents === true ? hide : undefined, log);
}

class ActiveTelemetry {
  #contents;
  #spans;
  #metrics;
  #fail;

  /**
   * @param {import('./call_message.js').Contents} contents
   * @param {import('../../types/kernel.js').Logger} log
   */
  constructor(contents, log) {
    let hasWarned = false;
    this.#fail = (/** @type {unknown} */ error) => {
      if (hasWarned) return;
      hasWarned = true;
      log.warn(`OpenTelemetry failed; traces and metrics may be incomplete: ${messageOf(error)}`);
    };
    this.#contents = contents;
    this.#spans = new Spans(this.#fail);
    this.#metrics = new Metrics(this.#fail);
  }

  isOn() {
    return hasListeners() || registered('trace') !== undefined || registered('metrics') !== undefined;
  }

  /** @type {Telemetry['call']} */
  call(request, callId, work) {
    return request && this.isOn() ? this.#reported('call', request, callId, work) : work();
  }

  /** @type {Telemetry['run']} */
  run(request, callId, work) {
    return request && this.isOn() ? this.#reported('run', request, callId, () => work('traced')) : work('untraced');
  }

  /**
   * @template Done
   * @param {Kind} kind
   * @param {CallRequest} request
   * @param {string | undefined} callId
   * @param {() => Promise<Done>} work
   * @returns {Promise<Done>}
   */
  async #reported(kind, request, callId, work) {
    const began = performance.now();
    const call = begunCall(request, callId, this.#contents);
    const span = this.#spans.begin(call);
    const report = (/** @type {Outcome} */ outcome) =>
      attempt(this.#fail, () => {
        const trace = takeTrace(outcome);
        endCall(call, request, outcome, performance.now() - began, trace, this.#contents);
        span?.end(call);
        this.#metrics.record(kind, call);
        publish(call);
      });
    try {
      const value = await (span ? span.during(work) : work());
      report({ value });
      return value;
    } catch (error) {
      report({ error });
      throw error;
    }
  }
}
