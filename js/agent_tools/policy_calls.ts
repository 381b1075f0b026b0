/** Describes calls of the kernel tools to the policy, before they are made. */

import { KERNEL_TOOL_FACTS } from '../boundary/kernel_tool_facts.js';
import type { AgentToolRow } from '../tool_shape/agent_tool_row.js';
import { AGENT_TOOLS, type ToolName } from '../tool_shape/agent_tool_table.js';
import type { DescribeCall } from '../tool_shape/tool_owner.js';
import type { ApplyDiffArgs, ExecToolArgs, RunCodeArgs } from '../types/tools.js';
import { withPlace } from './tool_answers.js';

type Recording = { path?: string; args: unknown };
/** A method, because each tool declares its own arguments; they may not have been validated yet. */
type Recorded = { recorded(args: Record<string, unknown>): Recording | Promise<Recording> }['recorded'];

/** The path of code without a file, as policies name it. */
const CODE = 'tools/.code.ts';

/** @param argumentsOf returns the arguments of a tool after conversion to its schema */
export function policyCalls(
  argumentsOf: (path: string, args: unknown) => Promise<unknown>,
): Record<string, DescribeCall> {
  /** Tools that record other arguments than they take. */
  const others: Partial<Record<ToolName, Recorded>> = {
    apply_diff: ({ path, diff, start_line, end_line, why }: ApplyDiffArgs) => ({
      path,
      args: present({ path, diff: withPlace(diff, start_line, end_line), why }),
    }),
    exec_tool: async ({ path, args = {} }: ExecToolArgs) => ({ path, args: await argumentsOf(path, args) }),
    run_code: ({ code, args = {} }: RunCodeArgs) => ({ path: CODE, args: present({ args, code }) }),
  };
  const names = Object.keys(AGENT_TOOLS) as ToolName[];
  return Object.fromEntries(names.map((name) => [name, describing(name, others[name] ?? recordedOf(name))]));
}

/** Describes calls of a tool with its effect. */
function describing(tool: ToolName, recorded: Recorded): DescribeCall {
  const { effect } = KERNEL_TOOL_FACTS[tool];
  return async (args) => ({ tool, effect, ...(await recorded(args)) });
}

/** The call with its arguments as they are, except those that only page the answer. */
function recordedOf(tool: ToolName): Recorded {
  const { path } = KERNEL_TOOL_FACTS[tool];
  const { parameters, paging = [] }: AgentToolRow = AGENT_TOOLS[tool];
  const names = Object.keys(parameters.shape).filter((name) => !paging.includes(name));
  return (args) => ({
    path: path === null ? undefined : (args[path] as string | undefined),
    args: present(Object.fromEntries(names.map((name) => [name, args[name]]))),
  });
}

/** @param args without those that have no value */
function present(args: object) {
  return Object.fromEntries(Object.entries(args).filter(([, value]) => value !== undefined));
}
