/**
 * Names of spans, attributes, metrics and the channel. `gen_ai` and `error` names follow OpenTelemetry's semantic conventions,
 * the others are ours.
 */

/** The instrumentation scope. */
export const SCOPE = '@tgp/core';

/** The `diagnostics_channel` with one message for each call that has ended. */
export const CHANNEL = 'tgp:call';

/** The conventions' operation name for the execution of a tool. */
export const EXECUTE_TOOL = 'execute_tool';

/** The conventions' tool type for tools that run on the agent's side. */
export const TOOL_TYPE = 'function';

/** The name of the span of a tool call. */
export function toolSpanName(tool: string) {
  return `${EXECUTE_TOOL} ${tool}`;
}

/** @param name the host function that a tool called */
export function hostCallSpanName(name: string) {
  return `host_call ${name}`;
}

/** The names of attributes. */
export const ATTRIBUTES = Object.freeze({
  operation: 'gen_ai.operation.name',
  tool: 'gen_ai.tool.name',
  toolType: 'gen_ai.tool.type',
  toolCall: 'gen_ai.tool.call.id',
  arguments: 'gen_ai.tool.call.arguments',
  result: 'gen_ai.tool.call.result',
  session: 'gen_ai.conversation.id',
  error: 'error.type',
  actor: 'tgp.actor',
  path: 'tgp.path',
  effect: 'tgp.effect',
  verdict: 'tgp.verdict',
  rule: 'tgp.rule',
  ledgerCall: 'tgp.ledger.call',
  ledgerAfter: 'tgp.ledger.after',
  leftOut: 'tgp.calls.left_out',
});

/** The names, units and descriptions of metrics. */
export const METRICS = Object.freeze({
  runs: { name: 'tgp.runs', unit: '{run}', description: 'Completed runs of tools and of code.' },
  failures: { name: 'tgp.failures', unit: '{call}', description: 'Failed calls, by error code.' },
  queueDuration: { name: 'tgp.queue.duration', unit: 's', description: 'Time that runs waited for a worker.' },
  runDuration: { name: 'tgp.run.duration', unit: 's', description: 'Time that runs took in their worker.' },
  workerDeaths: { name: 'tgp.worker.deaths', unit: '{worker}', description: 'Workers that died during a run.' },
  toolsReused: {
    name: 'tgp.tools.reused',
    unit: '{run}',
    description: 'Runs of a tool that this kernel had run before.',
  },
});
