/** `check_tool` on a tool of 100 lines: the rules alone, and with types, against eslint and tsc. */

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { locateTypeScript } from '../dist/types_check/typescript_location.js';
import { TGP, tgpTools } from '../index.js';
import { inTurns, report } from './measure.mjs';
import { peer } from './peers.mjs';

const PATH = 'tools/bench/hundred_lines.ts';
const ROUNDS = 200;

/** @param {number} revision */
function source(revision) {
  const part = (/** @type {number} */ index) => `
type Row${index} = { id: string; total: number; tags: string[] };

/** Part ${index}. */
const part${index} = (rows: Row${index}[], least: number): Record<string, number> =>
  rows
    .filter((row) => row.total >= least)
    .reduce<Record<string, number>>((sums, row) => ({ ...sums, [row.id]: (sums[row.id] ?? 0) + row.total }), {});
`;
  const parts = Array.from({ length: 11 }, (_, index) => part(index)).join('');
  return `${parts}
/** Revision ${revision}. */
export default function main(args: { rows: Row0[]; least: number }): Record<string, number> {
  return part0(args.rows, args.least);
}
`;
}

const folder = mkdtempSync(join(tmpdir(), 'tgp-bench-'));
try {
  const plain = new TGP({ config: { rootDir: join(folder, 'plain'), check: 'off', rules: { types: 'off' } } });
  const typed = new TGP({ config: { rootDir: join(folder, 'typed'), check: 'off' } });
  for (const kernel of [plain, typed]) await tgpTools(kernel).write_file.execute({ path: PATH, content: source(0) });
  process.stdout.write(`The tool has ${source(0).split('\n').length} lines.\n`);

  const started = performance.now();
  const first = await typed.check(PATH);
  process.stdout.write(
    `First check with types, the server's start included: ${(performance.now() - started).toFixed(1)} ms`,
  );
  process.stdout.write(` (types checked: ${first.typesChecked})\n`);

  let revision = 0;
  /** @param {TGP} kernel */
  const change = (kernel) => tgpTools(kernel).write_file.execute({ path: PATH, content: source(++revision) });
  /** A check of a text that was not checked before, and was found right. @param {TGP} kernel */
  const check = async (kernel) => {
    await change(kernel);
    const begun = performance.now();
    const { valid, errors } = await kernel.check(PATH);
    if (!valid) throw new Error(`The tool is not valid: ${errors[0]}`);
    return performance.now() - begun;
  };
  /** @type {number[]} */
  const warm = [];
  for (let round = 0; round < ROUNDS / 4; round++) warm.push(await check(typed));

  const eslint = await peer('eslint');
  const parser = await peer('@typescript-eslint/parser');
  const rules = { 'no-eval': 2, 'no-new-func': 2, 'no-magic-numbers': 2, 'no-undef': 2, 'prefer-const': 2 };
  const overrideConfig = [{ files: ['**/*.ts'], languageOptions: { parser: parser.default ?? parser }, rules }];
  const judge = new (eslint.ESLint ?? eslint.default.ESLint)({ overrideConfigFile: true, overrideConfig, cwd: folder });
  const lint = async () => {
    const begun = performance.now();
    const [found] = await judge.lintText(source(++revision), { filePath: join(folder, 'tool.ts') });
    // A peer that skips the file would appear fast.
    if (!found || found.fatalErrorCount > 0) throw new Error(`eslint failed: ${found?.messages[0]?.message}`);
    return performance.now() - begun;
  };
  /** @type {Record<string, number[]>} */
  const times = { 'kernel.check, rules only': [], 'eslint, five rules, in process': [] };
  for (let round = -20; round < ROUNDS; round++) {
    const taken = [await check(plain), await lint()];
    if (round < 0) continue;
    for (const [index, values] of Object.values(times).entries()) values.push(taken[index] ?? Number.NaN);
  }
  const program = locateTypeScript(process.cwd());
  if (program !== undefined) {
    const file = join(folder, 'tool.ts');
    writeFileSync(file, source(0));
    const args = ['--noEmit', '--strict', '--ignoreConfig', '--target', 'esnext', file];
    // A peer that rejects its arguments would appear fast.
    const compile = () => {
      const { status, stdout } = spawnSync(program, args, { encoding: 'utf8' });
      if (status !== 0) throw new Error(`tsc failed: ${stdout}`);
    };
    times['tsc --noEmit, a process per check'] = (await inTurns({ tsc: compile }, { rounds: 10, warmup: 1 })).tsc ?? [];
  }
  times['kernel.check with types, after a change'] = warm;
  report('check_tool, a tool of 100 lines', times);
  await Promise.all([plain.shutdown(), typed.shutdown()]);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
