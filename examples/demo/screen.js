import { styleText } from 'node:util';

const MAX_SUMMARY = 100;
const NAME_WIDTH = 15;

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
  const target = input.path ?? input.dir ?? input.sql ?? '';
  const time = styled('dim', `${ms.toFixed(1)} ms`);
  line(`       ${mark} ${name.padEnd(NAME_WIDTH)} ${target}  ${time}`);
  line(`         ${styled('dim', summary(output))}`);
}

/** @param {string} text */
export function failure(text) {
  process.stderr.write(`\n${text}\n`);
}

/** @param {any} output */
function summary(output) {
  const text = describe(output).replace(/\s+/g, ' ');
  return text.length > MAX_SUMMARY ? `${text.slice(0, MAX_SUMMARY - 1)}…` : text;
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
