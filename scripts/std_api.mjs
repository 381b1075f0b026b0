/** Generates the short form of the standard library for the prompt: `js/prompt/std_api.ts`, without the test module. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * @param {string} folder of the sources
 * @returns {string} a module
 */
export function stdApiModule(folder) {
  const files = readdirSync(folder).filter((name) => /^(?!index\.|test)\w+\.ts$/.test(name));
  const parts = files.sort().map((name) => {
    const functions = functionsOf(readFileSync(join(folder, name), 'utf8'));
    return `  ${name.replace(/\.ts$/, '')}: \`${functions.join(', ')}\`,`;
  });
  return `/** Made by scripts/std_api.mjs from std/. */\n\nexport const STD_API = {\n${parts.join('\n')}\n};\n`;
}

/**
 * The functions exported by a source, as `name(first, second?)`.
 * @param {string} source
 */
function functionsOf(source) {
  const starts = source.matchAll(/^export (?:async )?(?:function (\w+)|const (\w+) = (?:async )?)/gm);
  return [...starts].flatMap((start) => {
    const name = start[1] ?? start[2];
    const open = parametersAt(source, start.index + start[0].length);
    return open === undefined ? [] : [`${name}(${parameters(inside(source, open)).join(', ')})`];
  });
}

/**
 * The position of the parameter list, after any type parameters.
 * @param {string} source
 * @param {number} at
 * @returns {number | undefined} nothing where no function is
 */
function parametersAt(source, at) {
  const start = source[at] === '<' ? at + inside(source, at).length + 2 : at;
  return source[start] === '(' ? start : undefined;
}

const PAIRS = new Map([
  ['(', ')'],
  ['[', ']'],
  ['{', '}'],
  ['<', '>'],
]);

/**
 * The text between a bracket and its closing bracket.
 * @param {string} source
 * @param {number} open
 */
function inside(source, open) {
  /** @type {string[]} */
  const closing = [];
  for (let at = open; at < source.length; at++) {
    const sign = source.charAt(at);
    const isArrow = sign === '>' && source[at - 1] === '=';
    if (PAIRS.has(sign)) closing.push(PAIRS.get(sign) ?? '');
    else if (sign === closing.at(-1) && !isArrow) closing.pop();
    if (closing.length === 0) return source.slice(open + 1, at);
  }
  throw new Error('A bracket of the standard library is never closed.');
}

/**
 * The names of parameters; optional ones have a question mark, and members of options are listed.
 * @param {string} list
 */
function parameters(list) {
  /** @type {string[]} */
  const found = [];
  for (let rest = list.trim(); rest !== ''; ) {
    const isPattern = rest.startsWith('{');
    const name = isPattern ? `{ ${optionsOf(inside(rest, 0))} }` : (/^\w+/.exec(rest)?.[0] ?? '');
    const end = endOfParameter(rest);
    const whole = rest.slice(0, end);
    const isOptional = isPattern ? /= \{\}\s*$/.test(whole) : /^\w+\?|[^=]=[^=>]/.test(whole);
    found.push(isOptional ? `${name}?` : name);
    rest = rest.slice(end + 1).trim();
  }
  return found;
}

/** @param {string} pattern */
function optionsOf(pattern) {
  return [...pattern.matchAll(/(\w+)(?: = [^,]+)?/g)].map(([, name]) => name).join(', ');
}

/** @param {string} list */
function endOfParameter(list) {
  for (let at = 0; at < list.length; at++) {
    if (list[at] === ',') return at;
    if (PAIRS.has(list.charAt(at))) at += inside(list, at).length + 1;
  }
  return list.length;
}
