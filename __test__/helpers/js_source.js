/** Minimal parsing of JavaScript for the architecture rules. */

/** A comment, a string or a regular expression. */
const TOKEN =
  /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:[^'\\\n]|\\[\s\S])*'|"(?:[^"\\\n]|\\[\s\S])*"|(?<=[(,=:[!&|?{};\n]\s*)\/(?![*/])(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/
    .source;
const TEMPLATE = /`(?:[^`\\]|\\[\s\S])*`/.source;

/**
 * The comments of JavaScript or TypeScript, one per line.
 * @param {string} text
 */
export function commentsOfJs(text) {
  const tokens = text.match(new RegExp(`${TOKEN}|${TEMPLATE}`, 'g')) ?? [];
  return tokens.filter((token) => /^\/[/*]/.test(token)).join('\n');
}

/**
 * The source with empty template strings, line by line. What is computed in them is left out too.
 * @param {string} text
 */
export function withoutTemplates(text) {
  const lines = (/** @type {string} */ found) => found.replace(/[^\n]+/g, '');
  return text.replace(new RegExp(`${TOKEN}|${TEMPLATE}`, 'g'), (found) =>
    found.startsWith('`') ? `\`${lines(found)}\`` : found,
  );
}

/**
 * The source without comments, and with the content of strings left out, so that words in them are not taken for code.
 * Template strings keep what is computed in them.
 * @param {string} text
 */
export function codeOfJs(text) {
  const token = new RegExp(TOKEN, 'g');
  return text.replace(token, (found) => (found.startsWith('/') && /^\/[/*]/.test(found) ? '' : "''"));
}

/**
 * Every call of a function or method with one of these names: its name and its arguments, as text.
 * @param {string} code
 * @param {RegExp} name without flags
 * @returns {{ name: string, args: string[] }[]}
 */
export function callsOf(code, name) {
  return [...code.matchAll(new RegExp(`(?:${name.source})\\s*\\(`, 'g'))].map((match) => ({
    name: match[0].replace(/\s*\($/, ''),
    args: argumentsAt(code, match.index + match[0].length),
  }));
}

/**
 * @param {string} code
 * @param {number} start just behind the opening parenthesis
 */
function argumentsAt(code, start) {
  const args = [''];
  let depth = 0;
  for (const letter of code.slice(start)) {
    if ('([{'.includes(letter)) depth += 1;
    if (')]}'.includes(letter)) depth -= 1;
    if (depth < 0) break;
    if (letter === ',' && depth === 0) args.push('');
    else args[args.length - 1] += letter;
  }
  return args.map((argument) => argument.trim()).filter((argument) => argument !== '');
}

/**
 * Whether a name in a file stands for a callback with a boundary: a constant or a member that `guarded` has made.
 * @param {string} code
 * @param {string} name such as `end` or `this.#onData`
 */
export function isMadeGuarded(code, name) {
  const bare = name.replace(/^this\./, '');
  if (!/^#?[\w$]+$/.test(bare)) return false;
  const [sign, word] = bare.startsWith('#') ? ['#', bare.slice(1)] : ['', bare];
  return new RegExp(`(?:const\\s+|^\\s*)${sign}${word}\\s*=\\s*guarded\\(`, 'm').test(code);
}
