/** `AssertionError` of `node:assert`, with the messages of Node. */

const { inspect } = require('tgp:util');

const TITLES = {
  deepStrictEqual: 'Expected values to be strictly deep-equal:',
  strictEqual: 'Expected values to be strictly equal:',
  sameObject: 'Expected "actual" to be reference-equal to "expected":',
  sameText: 'Values have same structure but are not reference-equal:',
  deepEqual: 'Expected values to be loosely deep-equal:',
  notDeepStrictEqual: 'Expected "actual" not to be strictly deep-equal to:',
  notStrictEqual: 'Expected "actual" to be strictly unequal to:',
  otherObject: 'Expected "actual" not to be reference-equal to "expected":',
  notDeepEqual: 'Expected "actual" not to be loosely deep-equal to:',
};
/** Longest values that are shown as `1 !== 2`. */
const SHORT = 12;
const LONG = 512;
/** Most lines of values that are compared line by line. */
const MAX_LINES = 500;
const MAX_SHOWN = 50;
/** A longer run of equal lines is shortened to this. */
const EQUAL_LINES = 5;
const LINE_WIDTH = 80;

const textOf = (value) =>
  inspect(value, {
    compact: false,
    customInspect: false,
    depth: 1000,
    maxArrayLength: Number.POSITIVE_INFINITY,
    sorted: true,
    getters: true,
  });
const isObject = (value) => typeof value === 'object' && value !== null;

/** Two values of one line each. */
function shortDiff(actual, expected, left, right) {
  const quotes = (typeof actual === 'string' ? 2 : 0) + (typeof expected === 'string' ? 2 : 0);
  if (left.length + right.length - quotes <= SHORT && (actual !== 0 || expected !== 0))
    return `\n${left} !== ${right}\n`;
  let text = `+ actual - expected\n\n+ ${left}\n- ${right}\n`;
  if (typeof actual === 'string' && typeof expected === 'string' && left.length + right.length <= LINE_WIDTH) {
    const at = [...left].findIndex((letter, i) => letter !== right[i]);
    if (at >= 3) text += `${' '.repeat(at + 2)}^\n`;
  }
  return text;
}

/** Two lists of lines: `+` for those of the first alone, `-` for those of the second. */
function lineDiff(left, right, sameLine) {
  if (left.length > MAX_LINES || right.length > MAX_LINES)
    return [...left.map((line) => ['+', line]), ...right.map((line) => ['-', line])];
  // Lengths of the longest common sequences of the rests.
  const lengths = Array.from({ length: left.length + 1 }, () => new Uint16Array(right.length + 1));
  for (let i = left.length - 1; i >= 0; i--) {
    for (let j = right.length - 1; j >= 0; j--) {
      const same = sameLine(left[i], right[j]);
      lengths[i][j] = same ? lengths[i + 1][j + 1] + 1 : Math.max(lengths[i + 1][j], lengths[i][j + 1]);
    }
  }
  const lines = [];
  let i = 0;
  let j = 0;
  while (i < left.length || j < right.length) {
    if (i < left.length && j < right.length && sameLine(left[i], right[j])) {
      lines.push([' ', left[i].endsWith(',') ? left[i] : right[j]]);
      i += 1;
      j += 1;
    } else if (j >= right.length || (i < left.length && lengths[i + 1][j] >= lengths[i][j + 1])) {
      lines.push(['+', left[i]]);
      i += 1;
    } else {
      lines.push(['-', right[j]]);
      j += 1;
    }
  }
  return lines;
}

/** The text of a diff, with long runs of equal lines shortened. */
function shownDiff(lines) {
  const shown = [];
  let isShortened = false;
  for (let i = 0; i < lines.length; ) {
    let end = i;
    while (end < lines.length && lines[end][0] === ' ') end += 1;
    const isLast = end === lines.length;
    const hides = end - i > EQUAL_LINES + 2;
    const kept = hides || (isLast && end - i > EQUAL_LINES) ? EQUAL_LINES : end - i;
    for (const [mark, line] of lines.slice(i, i + kept)) shown.push(`${mark} ${line}`);
    if (hides && !isLast) {
      isShortened = true;
      shown.push('...', `  ${lines[end - 1][1]}`);
    }
    if (!isLast) shown.push(lines[end].join(' '));
    i = end + 1;
  }
  return { text: shown.join('\n').trimEnd(), isShortened };
}

function diffMessage(actual, expected, operator, message) {
  const [left, right] = [textOf(actual), textOf(expected)];
  const [leftLines, rightLines] = [left.split('\n'), right.split('\n')];
  const bothObjects =
    (isObject(actual) && isObject(expected)) || (typeof actual === 'function' && typeof expected === 'function');
  const title = message ?? TITLES[operator === 'strictEqual' && bothObjects ? 'sameObject' : operator];
  if (leftLines.length === 1 && rightLines.length === 1 && !(isObject(actual) && isObject(expected)))
    return `${title}\n${shortDiff(actual, expected, left, right)}`;
  if (left === right) {
    const isLong = leftLines.length > MAX_SHOWN;
    const text = isLong ? `${leftLines.slice(0, MAX_SHOWN).join('\n')}\n...}` : left;
    return `${message ?? TITLES.sameText}\n${isLong ? '\n... Skipped lines' : ''}\n${text}\n`;
  }
  const sameLine = isObject(actual)
    ? (one, other) => one === other || `${one},` === other || one === `${other},`
    : (one, other) => one === other;
  const { text, isShortened } = shownDiff(lineDiff(leftLines, rightLines, sameLine));
  return `${title}\n+ actual - expected${isShortened ? '\n... Skipped lines' : ''}\n\n${text}\n`;
}

function unequalMessage(actual, operator) {
  const isReference = operator === 'notStrictEqual' && (isObject(actual) || typeof actual === 'function');
  const title = TITLES[isReference ? 'otherObject' : operator];
  const lines = textOf(actual).split('\n');
  if (lines.length === 1) return `${title}${lines[0].length > 5 ? '\n\n' : ' '}${lines[0]}`;
  const shown = lines.length > MAX_SHOWN ? [...lines.slice(0, 46), '...'] : lines;
  return `${title}\n\n${shown.join('\n')}\n`;
}

const cut = (text) => (text.length > LONG ? `${text.slice(0, LONG - 3)}...` : text);

function messageOf(actual, expected, operator) {
  if (operator === 'deepStrictEqual' || operator === 'strictEqual') return diffMessage(actual, expected, operator);
  if (operator === 'notDeepStrictEqual' || operator === 'notStrictEqual') return unequalMessage(actual, operator);
  const [left, right] = [textOf(actual), textOf(expected)];
  if (operator === 'notDeepEqual' && left === right) return `${TITLES.notDeepEqual}\n\n${left}`;
  if (operator === 'deepEqual')
    return `${TITLES.deepEqual}\n\n${cut(left)}\n\nshould loosely deep-equal\n\n${cut(right)}`;
  if (operator === 'notDeepEqual')
    return `Expected values not to be loosely deep-equal:\n\n${cut(left)}\n\nshould not loosely deep-equal\n\n${cut(right)}`;
  return `${cut(left)} ${operator} ${cut(right)}`;
}

/** An error without its stack, which would differ. */
function withoutStack(error) {
  const copy = Object.assign(Object.create(Object.getPrototypeOf(error)), error);
  Object.defineProperty(copy, 'message', { value: error.message });
  if (!Object.hasOwn(error, 'cause')) return copy;
  const { cause } = error;
  return Object.defineProperty(copy, 'cause', { value: cause instanceof Error ? withoutStack(cause) : cause });
}

class AssertionError extends Error {
  constructor({ message, actual: left, expected: right, operator, stackStartFn } = {}) {
    const areErrors = message == null && left instanceof Error && right instanceof Error;
    const [actual, expected] = areErrors ? [withoutStack(left), withoutStack(right)] : [left, right];
    const hasDiff = operator === 'deepStrictEqual' || operator === 'strictEqual';
    super(
      message == null
        ? messageOf(actual, expected, operator)
        : hasDiff
          ? diffMessage(actual, expected, operator, message)
          : String(message),
    );
    this.generatedMessage = !message;
    Object.defineProperty(this, 'name', {
      value: 'AssertionError [ERR_ASSERTION]',
      writable: true,
      configurable: true,
    });
    this.code = 'ERR_ASSERTION';
    this.actual = actual;
    this.expected = expected;
    this.operator = operator;
    Error.captureStackTrace(this, stackStartFn);
    // V8 writes the stack, with the name, when it is first read.
    void this.stack;
    this.name = 'AssertionError';
    this.diff = 'simple';
  }
  toString() {
    return `${this.name} [${this.code}]: ${this.message}`;
  }
  [inspect.custom](_depth, options) {
    return inspect(this, { ...options, customInspect: false, depth: 0 });
  }
}

module.exports = AssertionError;
