/** Spans of the phases and host calls of a run, created after the run from the times that the addon returns. */

import type { Attributes, Context } from '@opentelemetry/api';
import type { CallMessage, TracedCall } from '../types/telemetry.js';
import type { TracerAccess } from './api.js';
import { attempt } from './attempt.js';
import { ATTRIBUTES, hostCallSpanName } from './names.js';

/** Maximum number of host call spans of one run. */
const MAX_CALL_SPANS = 1_000;

/** @param outside with the span of the run */
export function addPhaseSpans(tracing: TracerAccess, outside: Context, { phases = [], calls = [], call }: CallMessage) {
  let inRun = outside;
  for (const { name, start, end } of phases) {
    const inside = addSpan(tracing, outside, name, { start, end });
    if (name === 'run') inRun = inside;
  }
  addCallSpans(tracing, inRun, calls.slice(0, MAX_CALL_SPANS), call);
}

/** The number of host calls without a span. */
export function leftOutOf({ calls = [], leftOut = 0 }: CallMessage) {
  return leftOut + Math.max(0, calls.length - MAX_CALL_SPANS);
}

/** Adds each call below its parent; calls without a known parent go below the run. */
function addCallSpans(tracing: TracerAccess, inRun: Context, calls: TracedCall[], root: string | undefined) {
  const known = new Set(calls.map(({ call }) => call));
  const below = new Map<string | undefined, TracedCall[]>();
  for (const call of calls) {
    const { parent } = call;
    const above = parent !== undefined && parent !== call.call && known.has(parent) ? parent : root;
    const siblings = below.get(above);
    if (siblings) siblings.push(call);
    else below.set(above, [call]);
  }
  const waiting = [{ context: inRun, id: root }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const siblings = below.get(next.id) ?? [];
    // Each parent is visited once, so a cycle ends.
    below.delete(next.id);
    for (const call of siblings) {
      const context = addSpan(tracing, next.context, hostCallSpanName(call.tool), call, callAttributes(call));
      waiting.push({ context, id: call.call });
    }
  }
}

/** @returns with the span */
function addSpan(
  { api, tracer, fail }: TracerAccess,
  outside: Context,
  name: string,
  { start, end, code }: { start: number; end: number; code?: string },
  attributes: Attributes = {},
): Context {
  const span = tracer.startSpan(name, { kind: api.SpanKind.INTERNAL, startTime: start, attributes }, outside);
  if (code !== undefined) attempt(fail, () => span.setStatus({ code: api.SpanStatusCode.ERROR }));
  attempt(fail, () => span.end(end));
  return api.trace.setSpan(outside, span);
}

function callAttributes({ call, effect, path, code, verdict, rule }: TracedCall) {
  return {
    [ATTRIBUTES.ledgerCall]: call,
    [ATTRIBUTES.effect]: effect,
    [ATTRIBUTES.path]: path,
    [ATTRIBUTES.error]: code,
    [ATTRIBUTES.verdict]: verdict,
    [ATTRIBUTES.rule]: rule,
  };
}
