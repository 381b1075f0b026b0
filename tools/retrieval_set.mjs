import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * @typedef {{ path: string, source: string, words: Set<string> }} RetrievalTool
 * @typedef {{ path: string, query: string }} RetrievalQuery
 */

/** The folder of the set that benchmarks use too; a caller may name another one. */
const SET = new URL('./retrieval/', import.meta.url);

/** @type {Record<string, string>} */
const TYPES = {
  s: 'string',
  n: 'number',
  b: 'boolean',
  map: 'Record<string, number>',
  rows: 'Record<string, unknown>[]',
  point: '{ latitude: number; longitude: number }',
};

/**
 * @param {URL} set
 * @param {string} file
 */
function lines(set, file) {
  return readFileSync(new URL(file, set), 'utf8')
    .trim()
    .split('\n')
    .map((line) => line.split(' | '));
}

/** @param {string} parameter such as `prices:n[]` or `limit?:n` */
function property(parameter) {
  const [name, type = ''] = parameter.split(':');
  const element = type.replaceAll('[]', '');
  return `${name}: ${TYPES[element]}${type.slice(element.length)}`;
}

/**
 * Every tool as a model would have written it.
 * @param {URL} [set] its folder, with a slash at the end
 */
export function retrievalTools(set = SET) {
  return lines(set, 'tools.txt').map(([path = '', description = '', parameters = '']) => {
    const name = path.split('/')[1]?.replace(/_(\w)/g, (_, letter) => letter.toUpperCase());
    const properties = parameters.split(', ').map(property).join('; ');
    const source = `/** ${description} */\nexport default function ${name}(args: { ${properties} }) {\n  return args;\n}\n`;
    return { path: `tools/${path}.ts`, source, words: wordsOf(`${path} ${description} ${parameters}`) };
  });
}

/**
 * @param {'queries_same_words' | 'queries_some_words' | 'queries_other_words' | 'other_jobs' | 'paraphrases' | 'neighbours'} file
 * @param {URL} [set] its folder, with a slash at the end
 * @returns {RetrievalQuery[]}
 */
export function retrievalQueries(file, set = SET) {
  return lines(set, `${file}.txt`).map(([path, query = '']) => ({ path: `tools/${path}.ts`, query }));
}

/**
 * The words of a text or identifier, singular and lower case.
 * @param {string} text
 */
export function wordsOf(text) {
  const words = text
    .replace(/e-mail/g, 'email')
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .match(/[a-zà-ÿ0-9]+/g);
  return new Set((words ?? []).map((word) => word.replace(/s$/, '')));
}

/**
 * Puts the tools under a root, as a person or a checkout would.
 * @param {string} root
 * @param {{ path: string, source: string }[]} tools
 */
export function placeTools(root, tools) {
  for (const { path, source } of tools) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), source);
  }
}
