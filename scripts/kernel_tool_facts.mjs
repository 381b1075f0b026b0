/**
 * Generates from the table of kernel tools (`src/kernel/door/kernel_tools.rs`): `js/boundary/kernel_tool_facts.ts`, and the list
 * in `docs/agent_tools.md`. Run by the build, so that CI detects stale files.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../tools/process.mjs';
import { padded } from './limits.mjs';

const PAGE = join(ROOT, 'docs', 'agent_tools.md');
const HEADING = ['tool', 'what it does'];

/** @typedef {{ name: string, effect: string, arguments: string[], path: string | null, quotes: boolean }} KernelTool */

/** @param {string} json the table, as the addon returns it */
export function writeKernelToolFacts(json) {
  writeFileSync(join(ROOT, 'js', 'boundary', 'kernel_tool_facts.ts'), kernelToolFactsModule(JSON.parse(json)));
}

/** Needs the built package. */
export async function writeAgentToolList() {
  writeFileSync(PAGE, await withToolList(readFileSync(PAGE, 'utf8')));
}

/**
 * @param {KernelTool[]} tools
 * @returns {string} a module
 */
export function kernelToolFactsModule(tools) {
  const lines = tools.map(
    ({ name, effect, arguments: names, path, quotes }) =>
      `  ${name}: ${JSON.stringify({ effect, arguments: names, path, quotes })},`,
  );
  return `/** Made by scripts/kernel_tool_facts.mjs from the table in src/kernel/door/kernel_tools.rs. */\n\nexport const KERNEL_TOOL_FACTS = {\n${lines.join('\n')}\n};\n`;
}

/**
 * The page with an up-to-date list of tools, in the order that it has; new tools are at the end.
 * @param {string} page
 */
export async function withToolList(page) {
  const { AGENT_TOOLS } = await import('../dist/tool_shape/agent_tool_table.js');
  return page.replace(/^\| tool .*\n(?:\|.*\n)+/m, (table) => {
    const listed = [...table.matchAll(/^\| `(\w+)\(/gm)].map(([, name]) => name);
    const place = (/** @type {string} */ name) => (listed.includes(name) ? listed.indexOf(name) : listed.length);
    /** @type {[string, import('../dist/tool_shape/agent_tool_row.js').AgentToolRow][]} */
    const tools = Object.entries(AGENT_TOOLS);
    const rows = tools
      .sort(([one], [other]) => place(one) - place(other))
      .flatMap(([name, { docs }]) => (docs ? [[`\`${name}(${docs.arguments})\``, docs.about]] : []));
    return `${padded([HEADING, ...rows]).join('\n')}\n`;
  });
}
