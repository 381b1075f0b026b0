/** Which paths a glob names, by the rules that `search_files` has: `*` and `?` stay within a folder, `**` crosses folders. */

import { ValidationError } from '../boundary/errors.js';

/**
 * @typedef {(letter: string) => boolean} OneLetter
 * @typedef {OneLetter | typeof ANY} Token of a name: one letter, or any number of them
 * @typedef {Token[] | typeof FOLDERS} Segment between slashes
 */

const MAX_CHARS = 1_024;
const MAX_ALTERNATIVES = 256;
/** Comparisons of letters, over all paths: what a model writes must not keep the host busy. */
const MAX_EFFORT = 10_000_000;
const ANY = Symbol('*');
const FOLDERS = Symbol('**');

export class PathGlob {
  /** @type {Segment[][]} */
  #alternatives;
  #effort = 0;

  /** @param {string} text one without a slash is meant for every folder */
  constructor(text) {
    if (text.length > MAX_CHARS) throw bad(`is longer than ${MAX_CHARS} characters`);
    const plain = text.replace(/^(?:\.\/)+/, '');
    const anywhere = plain.includes('/') ? plain : `**/${plain}`;
    this.#alternatives = alternatives(anywhere).map((one) => one.split('/').map(segmentOf));
  }

  /** @param {string} path */
  matches(path) {
    const names = path.split('/').map((name) => [...name]);
    return this.#alternatives.some((segments) => this.#isPath(segments, names));
  }

  /**
   * Goes back to the last `**` only: what stood before it fits however much that takes.
   * @param {Segment[]} segments
   * @param {string[][]} names
   */
  #isPath(segments, names) {
    let [at, name, star, taken] = [0, 0, -1, 0];
    while (name < names.length) {
      const segment = segments[at];
      if (segment === FOLDERS) {
        [star, taken] = [at, name];
        // At the end it is for what is in a folder, of which there is something left here.
        at += 1;
        if (at === segments.length) return true;
      } else if (segment !== undefined && this.#isName(segment, names[name] ?? [])) {
        at += 1;
        name += 1;
      } else if (star >= 0) {
        taken += 1;
        [at, name] = [star + 1, taken];
      } else return false;
    }
    return at === segments.length;
  }

  /**
   * @param {Token[]} tokens
   * @param {string[]} letters
   */
  #isName(tokens, letters) {
    let [at, letter, star, taken] = [0, 0, -1, 0];
    while (letter < letters.length) {
      this.#effort += 1;
      if (this.#effort > MAX_EFFORT) throw bad('takes too long. Name a folder with dir, or use fewer "*"');
      const token = tokens[at];
      if (token === ANY) {
        [star, taken] = [at, letter];
        at += 1;
      } else if (token?.(letters[letter] ?? '')) {
        at += 1;
        letter += 1;
      } else if (star >= 0) {
        taken += 1;
        [at, letter] = [star + 1, taken];
      } else return false;
    }
    while (tokens[at] === ANY) at += 1;
    return at === tokens.length;
  }
}

/**
 * What is meant by braces: `{a,b}c` is `ac` or `bc`.
 * @param {string} text
 */
function alternatives(text) {
  /** @type {string[]} */
  const whole = [];
  const open = [text];
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    const braces = firstBraces(one);
    if (braces === undefined) whole.push(one);
    else for (const choice of braces.choices) open.push(`${braces.before}${choice}${braces.after}`);
    if (whole.length + open.length > MAX_ALTERNATIVES) throw bad('has too many braces');
  }
  return whole;
}

/** @param {string} text */
function firstBraces(text) {
  let [depth, start, from] = [0, -1, 0];
  /** @type {string[]} */
  const choices = [];
  for (let at = 0; at < text.length; at += 1) {
    const letter = text[at];
    if (letter === '\\') at += 1;
    else if (letter === '[') at = endOfSet(text, at);
    else if (letter === '{') {
      if (depth === 0) [start, from] = [at, at + 1];
      depth += 1;
    } else if (letter === ',' && depth === 1) {
      choices.push(text.slice(from, at));
      from = at + 1;
    } else if (letter === '}') {
      depth -= 1;
      if (depth < 0) throw bad('has a "}" without a "{"');
      if (depth > 0) continue;
      return { before: text.slice(0, start), choices: [...choices, text.slice(from, at)], after: text.slice(at + 1) };
    }
  }
  if (depth > 0) throw bad('has a "{" without a "}"');
  return undefined;
}

/**
 * @param {string} text
 * @returns {Segment}
 */
function segmentOf(text) {
  if (text === '**') return FOLDERS;
  /** @type {Token[]} */
  const tokens = [];
  const letters = [...text];
  for (let at = 0; at < letters.length; at += 1) {
    const letter = letters[at] ?? '';
    if (letter === '*') {
      if (tokens.at(-1) !== ANY) tokens.push(ANY);
    } else if (letter === '?') tokens.push(() => true);
    else if (letter === '[') {
      const end = endOfSet(letters, at);
      tokens.push(setOf(letters.slice(at + 1, end)));
      at = end;
    } else {
      if (letter === '\\') at += 1;
      const meant = letters[at];
      if (meant === undefined) throw bad('ends with a "\\"');
      tokens.push((one) => one === meant);
    }
  }
  return tokens;
}

/**
 * Where the "]" is of a set such as `[a-z]`, `[!0-9]` or `[]x]`.
 * @param {ArrayLike<string>} letters
 * @param {number} start
 */
function endOfSet(letters, start) {
  let at = start + 1;
  if (letters[at] === '!' || letters[at] === '^') at += 1;
  if (letters[at] === ']') at += 1;
  while (at < letters.length && letters[at] !== ']') at += 1;
  if (at >= letters.length) throw bad('has a "[" without a "]"');
  return at;
}

/**
 * @param {string[]} letters between the brackets
 * @returns {OneLetter}
 */
function setOf(letters) {
  const isOther = letters[0] === '!' || letters[0] === '^';
  const members = isOther ? letters.slice(1) : letters;
  /** @type {[number, number][]} */
  const ranges = [];
  for (let at = 0; at < members.length; at += 1) {
    const isRange = members[at + 1] === '-' && at + 2 < members.length;
    const [from, to] = [codeOf(members[at]), codeOf(members[isRange ? at + 2 : at])];
    if (from > to) throw bad('has a range that ends before it begins');
    ranges.push([from, to]);
    if (isRange) at += 2;
  }
  return (letter) => ranges.some(([from, to]) => from <= codeOf(letter) && codeOf(letter) <= to) !== isOther;
}

/** @param {string | undefined} letter */
function codeOf(letter) {
  return letter?.codePointAt(0) ?? 0;
}

/** @param {string} why */
function bad(why) {
  return new ValidationError(`glob ${why}. Write it as "tools/**/*.ts" or "*.json".`, { details: { field: 'glob' } });
}
