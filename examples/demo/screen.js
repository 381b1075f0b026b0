import { styleText } from 'node:util';

const NAME_WIDTH = 15;
const INDENT = 9;
/** Errors with a suggested fix: they are shown completely. */
const EXPLAINED = ['ERR_DENIED', 'ERR_STATE'];
/** The line width: that of the terminal, or a common one in a pipe. */
const WIDTH = process.stdout.columns ?? 110;

/**
 * @param {Parameters<typeof styleText>[0]} style
 * @param {string} text
 */
function styled(style, text) {
  return process.stdout.isTTY ? styleText(style, text) : text;
}

/** @param {string} text */
function line(text = '') {
  process.stdout.write(`${text}\n`);
}

/** @param {string} text */
function heading(text) {
  line(`\n${styled('bold', text)}`);
}

/** @param {string} text */
function user(text) {
  line(`  ${styled('cyan', 'user')}   ${text}`);
}

/** @param {string} text */
function model(text) {
  line(`  ${styled('magenta', 'model')}  ${text}`);
}

/**
 * @param {string} name
 * @param {any} input
 * @param {any} output
 * @param {number} ms
 */
function toolCall(name, input, output, ms) {
  const failed = output?.success === false || output?.valid === false || output?.ok === false;
  const mark = failed ? styled('red', '✗') : styled('green', '✓');
  const target = String(input.path ?? input.dir ?? input.sql ?? input.query ?? '');
  const time = `${ms.toFixed(1)} ms`;
  const shownTarget = cut(target, WIDTH - INDENT - NAME_WIDTH - ' '.length - `  ${time}`.length);
  line(`       ${mark} ${name.padEnd(NAME_WIDTH)} ${shownTarget}  ${styled('dim', time)}`);
  const text = describe(output).replace(/\s+/g, ' ');
  const shown = EXPLAINED.includes(output?.code) ? wrapped(text, WIDTH - INDENT) : [cut(text, WIDTH - INDENT)];
  for (const each of shown) line(`         ${styled('dim', each)}`);
}

/** @param {import('./gate_act.js').Approval} approval */
function approval({ by, rule, at, diff }) {
  line(`  ${styled('yellow', by.padEnd('model'.length))}  Rule '${rule}' (${at}) asks me. The dry run says:`);
  const changes = diff.slice(diff.indexOf('+++')).trimEnd();
  for (const each of changes.split('\n')) line(`         ${each.startsWith('+') ? styled('green', each) : each}`);
  line(`         Yes, this once.`);
}

/**
 * @param {string} text
 * @param {number} room
 */
function wrapped(text, room) {
  /** @type {string[]} */
  const lines = [];
  for (const word of text.split(' ')) {
    const longer = `${lines.at(-1) ?? ''} ${word}`.trim();
    if (lines.length > 0 && longer.length <= room) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

/**
 * @param {string} text
 * @param {number} room
 */
function cut(text, room) {
  return text.length > room ? `${text.slice(0, Math.max(0, room - 1))}…` : text;
}

/** @param {string} text */
function failure(text) {
  process.stderr.write(`\n${text}\n`);
}

/**
 * The demo's output for a terminal.
 * @type {import('./demo.js').Screen}
 */
export const textScreen = {
  booted: (ms) => line(`\nKernel booted in ${ms.toFixed(1)} ms.`),
  act: (title, prompt) => {
    heading(title);
    user(prompt);
  },
  modelText: model,
  called: toolCall,
  approved: approval,
  leftOut: (text) => line(`\n${text}`),
  history: (entries) => {
    heading('What is left: an ordinary Git repository');
    for (const entry of entries) line(`  ${entry}`);
  },
  done: (ms) => line(`\nDone in ${Math.round(ms)} ms.`),
  kept: (folder) => line(`The workspace is in ${folder}`),
  failed: failure,
};

/**
 * The demo as one JSON document, printed at its end.
 * @returns {import('./demo.js').Screen}
 */
export function jsonScreen() {
  /** @type {any} */
  const report = { success: false, boots: [], acts: [], history: [] };
  const print = () => line(JSON.stringify(report, undefined, 2));
  return {
    booted: (ms) => report.boots.push({ ms }),
    act: (title, prompt) => report.acts.push({ title, prompt, steps: [] }),
    modelText: (text) => report.acts.at(-1).steps.push({ say: text, calls: [] }),
    called: (tool, input, output, ms) => report.acts.at(-1).steps.at(-1).calls.push({ tool, input, output, ms }),
    approved: (given) => Object.assign(report.acts.at(-1).steps.at(-1), { approval: given }),
    leftOut: (text) => Object.assign(report, { leftOut: text }),
    history: (entries) => report.history.push(...entries),
    done: (ms) => Object.assign(report, { success: true, ms }),
    kept: (folder) => Object.assign(report, { folder }),
    failed: (text) => Object.assign(report, { error: text }),
    end: print,
  };
}

/** @param {any} item */
function shown(item) {
  if (item?.path !== undefined && item.score !== undefined) return `${item.path} (${item.score})`;
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
  if (output?.importers) return `tests: ${output.tests.join()}; runs: ${output.runs.length}`;
  if (output?.tables) return output.tables.map(shownTable).join('; ');
  if (output?.success === false) return `${output.code}: ${output.error}`;
  if (output?.valid === false) return output.errors.join('; ');
  if (output?.valid === true) return 'valid';
  if (output?.state) return `${output.state.phase}: ${output.passed} passed, ${output.failed} failed`;
  if ('result' in output) return `result ${JSON.stringify(output.result)}, ${output.stats.cpuMs.toFixed(1)} ms CPU`;
  return output.persisted ? `committed ${output.commit?.slice(0, 7) ?? ''}` : 'written, not committed';
}
