/**
 * Compares 300 tools with what they do in Node 24: `conformance/tools/`, whose README says how they were written and what is
 * compared. They were written without knowledge of the sandbox, and are not changed.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { TGPError } from '../index.js';
import { inSandbox } from './in_sandbox.mjs';

/**
 * @typedef {{ id: string, area: string, compare: 'result' | 'print' | 'error', source: string, args: unknown }} FrozenTool
 * @typedef {{ result?: unknown, printed?: string, error?: { name: string, message: string } }} Observed
 */

const FOLDER = join(import.meta.dirname, 'tools');
const IMPORT = /(?:from|import\()\s*'(?:node:)?([\w/]+)'/g;
/** Longer texts are cut in the report. */
const SHOWN = 600;

/**
 * The table's rows, and one entry for each difference.
 * @param {string} only the beginning of ids; all when empty
 */
export async function compareTools(only) {
  /** @type {FrozenTool[]} */
  const tools = readJson('tools.json').filter((/** @type {FrozenTool} */ { id }) => id.startsWith(only));
  /** @type {Record<string, Observed>} */
  const expected = readJson('expected.json');
  const modules = new Set(tools.flatMap(({ source }) => [...source.matchAll(IMPORT)].map(([, name]) => name ?? '')));
  const sandbox = await inSandbox({ allowedImports: [...modules] });
  /** @type {Map<string, { passed: number, all: number }>} */
  const areas = new Map();
  /** @type {string[]} */
  const differences = [];
  try {
    for (const tool of tools) {
      const count = areas.get(tool.area) ?? { passed: 0, all: 0 };
      areas.set(tool.area, count);
      count.all += 1;
      const observed = await observe(() => sandbox.result(sandbox.write(`${tool.id}.ts`, tool.source), tool.args));
      const wanted = expected[tool.id] ?? {};
      if (isDeepStrictEqual(compared(tool, observed), wanted)) count.passed += 1;
      else differences.push(`${tool.area}: ${tool.id}\n    expected ${shown(wanted)}\n    got      ${shown(observed)}`);
    }
  } finally {
    await sandbox.end();
  }
  const rows = [...areas].map(([area, { passed, all }]) => [area, `${passed}`, `${all}`]);
  return { rows, differences };
}

/** @param {string} name */
const readJson = (name) => JSON.parse(readFileSync(join(FOLDER, name), 'utf8'));

/** @param {unknown} value */
const shown = (value) => JSON.stringify(value)?.slice(0, SHOWN);

/**
 * The part of an observation that is compared; all of it if that part is missing.
 * @param {FrozenTool} tool
 * @param {Observed} observed
 */
function compared({ compare }, observed) {
  const key = compare === 'print' ? 'printed' : compare;
  return key in observed ? { [key]: observed[key] } : observed;
}

/**
 * @param {() => Promise<{ result: unknown, logs: { message: string }[] }>} run
 * @returns {Promise<Observed>}
 */
async function observe(run) {
  try {
    const { result, logs } = await run();
    return { result: result ?? null, printed: logs.map(({ message }) => `${message}\n`).join('') };
  } catch (error) {
    if (!(error instanceof TGPError)) throw error;
    const { code, message, details } = error;
    const name = code === 'ERR_TOOL_THROWN' ? String(details.name ?? '') : code;
    return { error: { name, message } };
  }
}
