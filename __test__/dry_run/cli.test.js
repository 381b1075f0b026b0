import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { TGP, tgpTools } from '../../index.js';
import { runCli } from '../../tools/run_cli.mjs';
import { fingerprint, lastDiff } from '../helpers/folder_fingerprint.js';
import { tempRoot } from '../helpers/temp_root.js';

const TOOL = `/** Saves a note. */
export default async function save(args: { text: string }): Promise<number> {
  await tgp.write_file('out/note.txt', args.text);
  return args.text.length;
}
`;

it('--dry-run of exec, move, remove and revert prints the effects and makes none of them', async () => {
  const base = await tempRoot();
  const root = join(base, '.tgp');
  writeFileSync(join(base, 'tgp.config.json'), JSON.stringify({ rootDir: '.tgp', fs: { allowedDirs: ['./out'] } }));
  const kernel = new TGP({ configFile: join(base, 'tgp.config.json') });
  const { write_file } = tgpTools(kernel);
  await write_file.execute({ path: 'tools/save.ts', content: TOOL });
  await write_file.execute({ path: 'tools/other.ts', content: TOOL.replace('Saves', 'Also saves') });
  await kernel.shutdown();
  const { stdout } = await runCli(base, ['log', 'save', '--json']);
  const [{ commit }] = JSON.parse(stdout);
  const before = fingerprint(root);

  const run = await runCli(base, ['exec', 'save', '--args', '{"text":"hello"}', '--dry-run']);
  expect(run).toMatchObject({ code: 0 });
  expect(run.stdout).toContain('+hello');
  expect(existsSync(join(base, 'out'))).toBe(false);
  const shown = await runCli(base, ['exec', 'save', '--args', '{"text":"hello"}', '--dry-run', '--json']);
  expect(shown.json()).toMatchObject({ dryRun: true, result: 5, diffs: [{ path: 'out/note.txt' }] });

  const removed = await runCli(base, ['remove', 'other', '--dry-run', '--json']);
  const moved = await runCli(base, ['move', 'save', 'notes/save', '--dry-run', '--json']);
  const reverted = await runCli(base, ['revert', 'save', commit, '--dry-run', '--json']);
  expect(reverted.json()).toMatchObject({ dryRun: true, diffs: [] });
  for (const words of [['sync'], ['commit']]) {
    const refused = await runCli(base, [...words, '--dry-run']);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('cannot be previewed');
  }
  expect(fingerprint(root)).toEqual(before);

  const diffs = (/** @type {any} */ printed) =>
    printed
      .json()
      .diffs.map((/** @type {any} */ { diff }) => diff)
      .join('');
  expect(await runCli(base, ['remove', 'other', '--yes'])).toMatchObject({ code: 0 });
  expect(diffs(removed)).toBe(lastDiff(root));
  expect(await runCli(base, ['move', 'save', 'notes/save', '--yes'])).toMatchObject({ code: 0 });
  expect(diffs(moved)).toBe(lastDiff(root));
});
