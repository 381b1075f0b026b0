/** Reports calls to the application's OpenTelemetry and to the diagnostics channel. Telemetry errors never fail a call. */

import { channel } from 'node:diagnostics_channel';
import { messageOf } from '../boundary/thrown.js';
import type { Logger } from '../types/kernel.js';
import type { TelemetryOptions } from '../types/telemetry.js';
import { registered } from './api.js';
import { attempt } from './attempt.js';
import type { CallEnd, Contents, TelemetryCall } from './call_message.js';
import { begunCall, endCall, takeTrace } from './call_message.js';
import type { Hide } from './contents.js';
import type { Kind } from './metrics.js';
import { Metrics } from './metrics.js';
import { CHANNEL } from './names.js';
import { Spans } from './spans.js';

type Telemetry = {
  /** Whether there is a subscriber or a provider; cheap. */
  isOn: () => boolean;
  /** Runs `work` and reports the call; without a request nothing is reported. */
  call: <Done>(
    request: TelemetryCall | undefined,
    callId: string | undefined,
    work: () => Promise<Done>,
  ) => Promise<Done>;
  /** The same for a run, whose outcome contains the addon's trace if requested; the trace is removed from the returned outcome. */
  run: <Done>(
    request: TelemetryCall | undefined,
    callId: string | undefined,
    work: (tracing: Tracing) => Promise<Done>,
  ) => Promise<Done>;
};
/** Whether a call gets a span. */
export type Tracing = 'traced' | 'untraced';

/** The diagnostics channel, shared by the ESM and the CommonJS copy of this package. */
const calls = channel(CHANNEL);

const SILENT: Telemetry = {
  isOn: () => false,
  call: (_request, _callId, work) => work(),
  run: (_request, _callId, work) => work('untraced'),
};

/**
 * @param log that never throws
 * @param hide masks the secrets of the kernel
 */
export function createTelemetry(options: TelemetryOptions | false | undefined, log: Logger, hide: Hide): Telemetry {
  return options === false ? SILENT : new ActiveTelemetry(options?.contents === true ? hide : undefined, log);
}

class ActiveTelemetry implements Telemetry {
  #contents;
  #spans;
  #metrics;
  #fail;

  constructor(contents: Contents, log: Logger) {
    let hasWarned = false;
    this.#fail = (error: unknown) => {
      if (hasWarned) return;
      hasWarned = true;
      log.warn(`OpenTelemetry failed; traces and metrics may be incomplete: ${messageOf(error)}`);
    };
    this.#contents = contents;
    this.#spans = new Spans(this.#fail);
    this.#metrics = new Metrics(this.#fail);
  }

  isOn() {
    return calls.hasSubscribers || registered('trace') !== undefined || registered('metrics') !== undefined;
  }

  call<Done>(request: TelemetryCall | undefined, callId: string | undefined, work: () => Promise<Done>): Promise<Done> {
    return request && this.isOn() ? this.#reported('call', request, callId, work) : work();
  }

  run<Done>(
    request: TelemetryCall | undefined,
    callId: string | undefined,
    work: (tracing: Tracing) => Promise<Done>,
  ): Promise<Done> {
    return request && this.isOn() ? this.#reported('run', request, callId, () => work('traced')) : work('untraced');
  }

  async #reported<Done>(
    kind: Kind,
    request: TelemetryCall,
    callId: string | undefined,
    work: () => Promise<Done>,
  ): Promise<Done> {
    const began = performance.now();
    const call = begunCall(request, callId, this.#contents);
    const span = this.#spans.begin(call);
    const report = (outcome: CallEnd) =>
      attempt(this.#fail, () => {
        const trace = takeTrace(outcome);
        endCall(call, request, outcome, performance.now() - began, trace, this.#contents);
        span?.end(call);
        this.#metrics.record(kind, call);
        // Node reports errors of subscribers later, as uncaught exceptions.
        if (calls.hasSubscribers) calls.publish(call);
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
