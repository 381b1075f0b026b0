import { styleText } from 'node:util';

const NAME_WIDTH = 15;
const INDENT = 9;
/** Lines fit a terminal; in a pipe they are as long as on a common one. */
const WIDTH = process.stdout.columns ?? 110;

/**
 * @param {Parameters<typeof styleText>[0]} style
 * @param {string} text
 */
function styled(style, text) {
  return process.stdout.isTTY ? styleText(style, text) : text;
}

/** @param {string} text */
export function line(text = '') {
  process.stdout.write(`${text}\n`);
}

/** @param {string} text */
export function heading(text) {
  line(`\n${styled('bold', text)}`);
}

/** @param {string} text */
export function user(text) {
  line(`  ${styled('cyan', 'user')}   ${text}`);
}

/** @param {string} text */
export function model(text) {
  line(`  ${styled('magenta', 'model')}  ${text}`);
}

/**
 * @param {string} name
 * @param {any} input
 * @param {any} output
 * @param {number} ms
 */
export function toolCall(name, input, output, ms) {
  const failed = output?.success === false || output?.valid === false;
  const mark = failed ? styled('red', '✗') : styled('green', '✓');
  const target = String(input.path ?? input.dir ?? input.sql ?? '');
  const time = `${ms.toFixed(1)} ms`;
  const shownTarget = cut(target, WIDTH - INDENT - NAME_WIDTH - ' '.length - `  ${time}`.length);
  line(`       ${mark} ${name.padEnd(NAME_WIDTH)} ${shownTarget}  ${styled('dim', time)}`);
  line(`         ${styled('dim', cut(describe(output).replace(/\s+/g, ' '), WIDTH - INDENT))}`);
}

/**
 * @param {string} text
 * @param {number} room
 */
function cut(text, room) {
  return text.length > room ? `${text.slice(0, Math.max(0, room - 1))}…` : text;
}

/** @param {string} text */
export function failure(text) {
  process.stderr.write(`\n${text}\n`);
}

/** @param {any} item */
function shown(item) {
  return typeof item === 'string' ? item : JSON.stringify(item);
}

/** @param {import('../../index.js').TableDescription} table */
function shownTable({ name, columns }) {
  return `${name} (${columns.map((column) => column.name).join(', ')})`;
}

/** @param {any} output */
function describe(output) {
  if (typeof output === 'string') return `${output.split('\n').length} lines`;
  if (Array.isArray(output)) return output.length === 0 ? 'nothing there' : output.map(shown).join(', ');
  if (output?.tables) return output.tables.map(shownTable).join('; ');
  if (output?.success === false) return `${output.code}: ${output.error}`;
  if (output?.valid === false) return output.errors.join('; ');
  if (output?.valid === true) return 'valid';
  if ('result' in output) return `result ${JSON.stringify(output.result)}, ${output.stats.cpuMs.toFixed(1)} ms CPU`;
  return output.persisted ? `committed ${output.commit?.slice(0, 7) ?? ''}` : 'written, not committed';
}
