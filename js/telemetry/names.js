/**
 * Every name under which calls are told: spans, attributes, metrics and the channel. Those of `gen_ai` and `error` are
 * OpenTelemetry's semantic conventions, the others are ours.
 */

/** Who measures. */
export const SCOPE = '@tgp/core';

/** The `diagnostics_channel` with one message for each call that has ended. */
export const CHANNEL = 'tgp:call';

/** What the conventions call the execution of a tool. */
export const EXECUTE_TOOL = 'execute_tool';

/** Tools of a kernel run in the process of the agent, by the conventions' types of tools. */
export const TOOL_TYPE = 'function';

/** @param {string} tool */
export function toolSpanName(tool) {
  return `${EXECUTE_TOOL} ${tool}`;
}

/** @param {string} name what a running tool has called */
export function hostCallSpanName(name) {
  return `host_call ${name}`;
}

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

export const METRICS = Object.freeze({
  runs: { name: 'tgp.runs', unit: '{run}', description: 'Runs of tools and of code that have ended.' },
  failures: { name: 'tgp.failures', unit: '{call}', description: 'Calls that have failed, by their code.' },
  queueDuration: { name: 'tgp.queue.duration', unit: 's', description: 'How long runs have waited for a worker.' },
  runDuration: { name: 'tgp.run.duration', unit: 's', description: 'How long runs have taken in their worker.' },
  workerDeaths: { name: 'tgp.worker.deaths', unit: '{worker}', description: 'Workers that have died in a run.' },
  toolsReused: {
    name: 'tgp.tools.reused',
    unit: '{run}',
    description: 'Runs of a tool that this kernel has run before.',
  },
});
