/** The table of standards in docs/agent_tools.md is that of the system prompt and of the rules. */

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { TGP } from '../../index.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const RULES = join(ROOT, 'crates/compile/src/rules');

/** The ids of the rules of each standard, sorted. */
async function rulesByStandard() {
  /** @type {string[][]} */
  const rules = Array.from({ length: 8 }, () => []);
  for (const file of (await readdir(RULES)).filter((name) => name.endsWith('.rs'))) {
    const text = await readFile(join(RULES, file), 'utf8');
    const rule = /Rule \{\s*id: (?:"([\w-]+)"|(\w+)),\s*standard: Some\((\d)\)/.exec(text);
    if (rule === null) continue;
    const [, literal, constant, standard] = rule;
    const id = literal ?? new RegExp(`const ${constant}: &str = "([\\w-]+)"`).exec(text)?.[1];
    rules[Number(standard) - 1]?.push(String(id ?? constant?.toLowerCase().replaceAll('_', '-')));
  }
  return rules.map((ids) => ids.sort());
}

test('the page has the eight standards, with the rules that check them', async () => {
  const page = await readFile(join(ROOT, 'docs/agent_tools.md'), 'utf8');
  const rows = [...page.matchAll(/^\| (\d) +\| (.+?) +\| (.+?) +\| (.+?) +\|$/gm)].map((row) => row.slice(1));
  expect(rows).toHaveLength(8);
  const prompt = new TGP({ config: {} }).getSystemPrompt();
  const rules = await rulesByStandard();
  for (const [index, [number, name, meaning, ids]] of rows.entries()) {
    expect(prompt).toContain(`\n${number}. ${name}: ${meaning}. `);
    expect(ids).toBe(rules[index]?.map((id) => `\`${id}\``).join(', '));
  }
});
