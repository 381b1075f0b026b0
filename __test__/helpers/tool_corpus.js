import { readFileSync } from 'node:fs';

/**
 * @typedef {object} CorpusTool
 * @property {string} name
 * @property {string[]} expected the rules in its line `advice:` or `finds:`
 * @property {string} source
 */

const ENTRY = /^## (?<name>\S+)\n\n(?:(?:advice|finds): (?<expected>[^\n]+)\n\n)?```ts\n(?<source>[\s\S]*?)\n?```$/gm;

/**
 * The tools of a file in `__test__/fixtures/tools`.
 * @param {string} file
 * @returns {CorpusTool[]}
 */
export function readCorpus(file) {
  const text = readFileSync(new URL(`../fixtures/tools/${file}`, import.meta.url), 'utf8');
  const headings = [...text.matchAll(/^## /gm)].length;
  const tools = [...text.matchAll(ENTRY)].map(({ groups = {} }) => ({
    name: groups.name ?? '',
    expected: (groups.expected ?? '')
      .split(',')
      .map((id) => id.trim())
      .filter(Boolean),
    source: `${groups.source}\n`,
  }));
  if (tools.length !== headings) throw new Error(`${file}: ${headings} headings and ${tools.length} tools`);
  return tools;
}
