/**
 * Generates from the table of kernel tools (`src/kernel/door/kernel_tools.rs`): `js/boundary/kernel_tools.ts`, and the list
 * in `docs/agent_tools.md`. Run by the build, so that CI detects stale files.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../tools/process.mjs';
import { padded } from './limits.mjs';

const PAGE = join(ROOT, 'docs', 'agent_tools.md');
const HEADING = ['tool', 'what it does'];

/** @typedef {{ name: string, effect: string, arguments: string[], paths: string[] }} KernelTool */

/** @param {string} json the table, as the addon returns it */
export function writeKernelTools(json) {
  writeFileSync(join(ROOT, 'js', 'boundary', 'kernel_tools.ts'), kernelToolsModule(JSON.parse(json)));
}

/** Needs the built package. */
export async function writeKernelToolList() {
  writeFileSync(PAGE, await withToolList(readFileSync(PAGE, 'utf8')));
}

/**
 * @param {KernelTool[]} tools
 * @returns {string} a module
 */
export function kernelToolsModule(tools) {
  const lines = tools.map(
    ({ name, effect, arguments: names, paths }) => `  ${name}: ${JSON.stringify({ effect, arguments: names, paths })},`,
  );
  return `/** Made by scripts/kernel_tools.mjs from the table in src/kernel/door/kernel_tools.rs. */\n\nexport const KERNEL_CALLS = {\n${lines.join('\n')}\n};\n`;
}

/**
 * The page with an up-to-date list of tools, in the order that it has; new tools are at the end.
 * @param {string} page
 */
export async function withToolList(page) {
  const { KERNEL_TOOLS } = await import('../dist/tool_shape/kernel_tool_table.js');
  return page.replace(/^\| tool .*\n(?:\|.*\n)+/m, (table) => {
    const listed = [...table.matchAll(/^\| `(\w+)\(/gm)].map(([, name]) => name);
    const place = (/** @type {string} */ name) => (listed.includes(name) ? listed.indexOf(name) : listed.length);
    /** @type {[string, import('../dist/tool_shape/kernel_tool_table.js').ToolWords][]} */
    const tools = Object.entries(KERNEL_TOOLS);
    const rows = tools
      .sort(([one], [other]) => place(one) - place(other))
      .flatMap(([name, { docs }]) => (docs ? [[`\`${name}(${docs.arguments})\``, docs.about]] : []));
    return `${padded([HEADING, ...rows]).join('\n')}\n`;
  });
}
