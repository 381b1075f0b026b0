/** OpenTelemetry spans of calls, below the span that is active at the call. */

import { packageVersion } from '../boundary/package_version.js';
import type { CallMessage } from '../types/telemetry.js';
import type { Fail, TracerAccess } from './api.js';
import { PerProvider } from './api.js';
import { attempt } from './attempt.js';
import { ATTRIBUTES, EXECUTE_TOOL, SCOPE, TOOL_TYPE, toolSpanName } from './names.js';
import { addPhaseSpans, leftOutOf } from './phase_spans.js';

export class Spans {
  #fail;
  #tracing: PerProvider<TracerAccess>;

  constructor(fail: Fail) {
    this.#fail = fail;
    this.#tracing = new PerProvider('trace', (api) => {
      const tracer = attempt(fail, () => api.trace.getTracer(SCOPE, packageVersion()));
      return tracer && { api, tracer, fail };
    });
  }

  /** Starts the span of a call; undefined without a trace provider. */
  begin(call: CallMessage): CallSpan | undefined {
    const tracing = this.#tracing.get();
    return tracing && attempt(this.#fail, () => new CallSpan(tracing, call));
  }
}

class CallSpan {
  #tracing;
  #span;
  #context;

  constructor(tracing: TracerAccess, call: CallMessage) {
    const { api, tracer } = tracing;
    const outside = api.context.active();
    const options = { kind: api.SpanKind.INTERNAL, startTime: call.start, attributes: firstAttributes(call) };
    this.#tracing = tracing;
    this.#span = tracer.startSpan(toolSpanName(call.tool), options, outside);
    this.#context = api.trace.setSpan(outside, this.#span);
  }

  /** Runs `work` with this span active, exactly once, even if the application's context manager misbehaves. */
  during<Done>(work: () => Promise<Done>): Promise<Done> {
    let started: Promise<Done> | undefined;
    const start = () => {
      started ??= promised(work);
    };
    attempt(this.#tracing.fail, () => this.#tracing.api.context.with(this.#context, start));
    return started ?? promised(work);
  }

  end(call: CallMessage) {
    const { api, fail } = this.#tracing;
    const span = this.#span;
    const { ERROR } = api.SpanStatusCode;
    if (attempt(fail, () => span.isRecording()) === true) {
      attempt(fail, () => span.setAttributes(lastAttributes(call)));
      if (!call.ok) attempt(fail, () => span.setStatus({ code: ERROR, message: call.message }));
      attempt(fail, () => addPhaseSpans(this.#tracing, this.#context, call));
    }
    attempt(fail, () => span.end(call.end));
  }
}

async function promised<Done>(work: () => Promise<Done>) {
  return work();
}

/** Attributes at the start, which samplers see. */
function firstAttributes({ tool, toolCall, session, actor, path, effect, call }: CallMessage) {
  return {
    [ATTRIBUTES.operation]: EXECUTE_TOOL,
    [ATTRIBUTES.tool]: tool,
    [ATTRIBUTES.toolType]: TOOL_TYPE,
    [ATTRIBUTES.toolCall]: toolCall,
    [ATTRIBUTES.session]: session,
    [ATTRIBUTES.actor]: actor,
    [ATTRIBUTES.path]: path,
    [ATTRIBUTES.effect]: effect,
    [ATTRIBUTES.ledgerCall]: call,
  };
}

function lastAttributes(call: CallMessage) {
  // The ledger id of a run is known only at its end.
  const { call: ledgerCall, code, verdict, rule, after, arguments: args, result } = call;
  return {
    [ATTRIBUTES.ledgerCall]: ledgerCall,
    [ATTRIBUTES.error]: code,
    [ATTRIBUTES.verdict]: verdict,
    [ATTRIBUTES.rule]: rule,
    [ATTRIBUTES.ledgerAfter]: after,
    [ATTRIBUTES.arguments]: args,
    [ATTRIBUTES.result]: result,
    [ATTRIBUTES.leftOut]: leftOutOf(call) || undefined,
  };
}
