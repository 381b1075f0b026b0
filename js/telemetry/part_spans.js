/** Spans of the phases and host calls of a run, created after the run from the times that the addon returns. */

import { attempt } from './attempt.js';
import { ATTRIBUTES, hostCallSpanName } from './names.js';

/**
 * @typedef {import('@opentelemetry/api').Context} Context
 * @typedef {import('./call_message.js').CallMessage} CallMessage
 * @typedef {import('../../types/telemetry.js').TracedCall} TracedCall
 * @typedef {import('./api.js').Tracing} Tracing
 */

/** Maximum number of host call spans of one run. */
const MAX_CALL_SPANS = 1_000;

/**
 * @param {Tracing} tracing
 * @param {Context} outside with the span of the run
 * @param {CallMessage} call
 */
export function addPartSpans(tracing, outside, { phases = [], calls = [], call }) {
  let inRun = outside;
  for (const { name, start, end } of phases) {
    const inside = addSpan(tracing, outside, name, { start, end });
    if (name === 'run') inRun = inside;
  }
  addCallSpans(tracing, inRun, calls.slice(0, MAX_CALL_SPANS), call);
}

/**
 * The number of host calls without a span.
 * @param {CallMessage} call
 */
export function leftOutOf({ calls = [], leftOut = 0 }) {
  return leftOut + Math.max(0, calls.length - MAX_CALL_SPANS);
}

/**
 * Adds each call below its parent; calls without a known parent go below the run.
 * @param {Tracing} tracing
 * @param {Context} inRun
 * @param {TracedCall[]} calls
 * @param {string | undefined} root
 */
function addCallSpans(tracing, inRun, calls, root) {
  const known = new Set(calls.map(({ call }) => call));
  /** @type {Map<string | undefined, TracedCall[]>} */
  const below = new Map();
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

/**
 * @param {Tracing} tracing
 * @param {Context} outside
 * @param {string} name
 * @param {{ start: number, end: number, code?: string }} part
 * @param {import('@opentelemetry/api').Attributes} [attributes]
 * @returns {Context} with the span
 */
function addSpan({ api, tracer, fail }, outside, name, { start, end, code }, attributes = {}) {
  const span = tracer.startSpan(name, { kind: api.SpanKind.INTERNAL, startTime: start, attributes }, outside);
  if (code !== undefined) attempt(fail, () => span.setStatus({ code: api.SpanStatusCode.ERROR }));
  attempt(fail, () => span.end(end));
  return api.trace.setSpan(outside, span);
}

/** @param {TracedCall} call */
function callAttributes({ call, effect, path, code, verdict, rule }) {
  return {
    [ATTRIBUTES.ledgerCall]: call,
    [ATTRIBUTES.effect]: effect,
    [ATTRIBUTES.path]: path,
    [ATTRIBUTES.error]: code,
    [ATTRIBUTES.verdict]: verdict,
    [ATTRIBUTES.rule]: rule,
  };
}
