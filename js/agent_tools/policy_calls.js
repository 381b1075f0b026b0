/** Describes calls of the kernel tools to the policy, before they are made. */

import { KERNEL_CALLS } from '../boundary/kernel_tools.js';
import { KERNEL_TOOLS } from '../tool_shape/kernel_tool_table.js';
import { withPlace } from './file_answers.js';

/**
 * @typedef {import('../tool_shape/tool_owner.js').DescribeCall} DescribeCall
 * @typedef {import('../tool_shape/kernel_tool_table.js').ToolName} ToolName
 * @typedef {(args: any) => { path?: string, args: unknown } | Promise<{ path?: string, args: unknown }>} Recorded
 */

/** The path of code without a file, as policies name it. */
const CODE = 'tools/.code.ts';

/**
 * @param {(path: string, args: unknown) => Promise<unknown>} argumentsOf returns the arguments of a tool after conversion to its schema
 * @returns {Record<string, DescribeCall>}
 */
export function policyCalls(argumentsOf) {
  /** Tools that record other arguments than they take. @type {Partial<Record<ToolName, Recorded>>} */
  const others = {
    apply_diff: ({ path, diff, start_line, end_line, why }) => ({
      path,
      args: present({ path, diff: withPlace(diff, start_line, end_line), why }),
    }),
    exec_tool: async ({ path, args = {} }) => ({ path, args: await argumentsOf(path, args) }),
    run_code: ({ code, args = {} }) => ({ path: CODE, args: present({ args, code }) }),
  };
  const names = /** @type {ToolName[]} */ (Object.keys(KERNEL_TOOLS));
  return Object.fromEntries(names.map((name) => [name, describing(name, others[name] ?? recordedOf(name))]));
}

/**
 * Describes calls of a tool with its effect.
 * @param {ToolName} tool
 * @param {Recorded} recorded
 * @returns {DescribeCall}
 */
function describing(tool, recorded) {
  const { effect } = KERNEL_CALLS[tool];
  return async (args) => ({ tool, effect, ...(await recorded(args)) });
}

/**
 * The call with its arguments as they are, except those that only page the answer.
 * @param {ToolName} tool
 * @returns {Recorded}
 */
function recordedOf(tool) {
  /** @type {import('../tool_shape/kernel_tool_table.js').ToolWords} */
  const { parameters, path = KERNEL_CALLS[tool].paths[0], paging = [] } = KERNEL_TOOLS[tool];
  const names = Object.keys(parameters.shape).filter((name) => !paging.includes(name));
  return (args) => ({
    path: path === undefined ? undefined : args[path],
    args: present(Object.fromEntries(names.map((name) => [name, args[name]]))),
  });
}

/** @param {object} args without those that have no value */
function present(args) {
  return Object.fromEntries(Object.entries(args).filter(([, value]) => value !== undefined));
}
