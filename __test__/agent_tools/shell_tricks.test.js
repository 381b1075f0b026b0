/** Attempts of a program to evade its confinement or to mislead the approver. */

import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CAN_CONFINE, shellFolder } from '../helpers/shell_folder.js';

const copies = () =>
  readdirSync(tmpdir()).filter((name) => name.startsWith('tgp-program-') && name.includes(`-${process.pid}-`));

describe.runIf(CAN_CONFINE)('A program', () => {
  it('cannot change times and permissions of read-only files', async () => {
    const { cwd, node } = await shellFolder({ '.git/HEAD': 'ref\n', 'node_modules/a/b.js': 'b\n' });
    const about = () => ['.git/HEAD', 'node_modules/a/b.js'].map((path) => statSync(join(cwd, path)));
    const before = about();
    const answer = await node(`
      const fs = require('node:fs');
      for (const path of ['.git/HEAD', 'node_modules/a/b.js']) {
        const fd = fs.openSync(path, 'r');
        fs.futimesSync(fd, 5, 5); fs.fchmodSync(fd, 0o777); fs.utimesSync(path, 5, 5);
      }`);
    expect(answer).toMatchObject({ success: true, changes: [] });
    for (const [at, { mode, mtimeMs }] of about().entries())
      expect({ mode, mtimeMs }).toMatchObject({ mode: before[at]?.mode, mtimeMs: before[at]?.mtimeMs });
  });

  it('is charged for unlinked files that it keeps open', async () => {
    const { node } = await shellFolder({}, { folderMb: 2 });
    const answer = await node(`
      const fs = require('node:fs');
      for (let n = 0; n < 6; n++) { const fd = fs.openSync('u', 'w'); fs.writeSync(fd, Buffer.alloc(1_900_000, 1)); fs.unlinkSync('u'); }
      setTimeout(() => {}, 5_000);`);
    expect(answer).toMatchObject({ success: false, code: 'ERR_LIMIT', error: expect.stringContaining('folderMb') });
  });

  it('cannot leave its copy behind with folders too deep for a path', async () => {
    const { node } = await shellFolder({ 'a.txt': 'a' }, { approve: () => true });
    const deep = (/** @type {string} */ start) =>
      `process.chdir(${start}); for (let n = 0; n < 40; n++) { fs.mkdirSync('d'.repeat(200)); process.chdir('d'.repeat(200)); } fs.writeFileSync('f', 'x');`;
    const inCopy = await node(`const fs = require('node:fs'); ${deep("'.'")}`);
    expect(inCopy).toMatchObject({ success: false, code: 'ERR_SECURITY_VIOLATION', applied: false });
    expect(inCopy.error).toContain('too deep');
    expect(await node(`const fs = require('node:fs'); ${deep('process.env.TMPDIR')}`)).toMatchObject({ success: true });
    expect(copies()).toEqual([]);
  });

  it('can create a file whose name is not valid UTF-8, which is not applied; an existing one is not copied', async () => {
    const { cwd, sh } = await shellFolder({ 'a.txt': 'a\n' }, { approve: () => true });
    writeFileSync(Buffer.concat([Buffer.from(`${cwd}/bad`), Buffer.from([0xff])]), 'x');
    expect(await sh('ls; cat a.txt')).toMatchObject({ success: true, stdout: 'a.txt\na\n' });
    const answer = await sh('printf x > "$(printf \'b\\377\')"; echo said');
    expect(answer).toMatchObject({ success: false, code: 'ERR_SECURITY_VIOLATION', stdout: 'said\n', applied: false });
  });

  it('cannot put a file where a folder was', async () => {
    const { sh, files } = await shellFolder({ 'sub/a.txt': 'a\n' }, { approve: () => true });
    expect(await sh('rm -r sub; echo x > sub')).toMatchObject({
      code: 'ERR_SECURITY_VIOLATION',
      error: expect.stringContaining('"sub" was a folder'),
    });
    expect(await files()).toEqual({ 'sub/a.txt': 'a\n' });
  });

  it('is visible in the approval request', async () => {
    /** @type {any} */
    let seen;
    const approve = (/** @type {any} */ { args }) => {
      seen = args;
      return false;
    };
    const { sh } = await shellFolder({ 'a.txt': 'one\n' }, { approve });
    await sh(
      'head -c 1100000 /dev/zero | tr "\\0" "x" > big.js; printf "a\\0b" > nul.js; echo new > small.js; (umask 0; cp /bin/true run; rm a.txt; cp /bin/true a.txt)',
    );
    const shown = Object.fromEntries(seen.changes.map((/** @type {any} */ { path, isShown }) => [path, isShown]));
    expect(shown).toEqual({ 'a.txt': true, 'big.js': false, 'nul.js': true, run: true, 'small.js': true });
    expect(seen.diff).toContain('a.txt: becomes executable');
    expect(seen.diff, 'a binary by its size and hash').toMatch(
      /nul\.js: binary, nothing becomes 3 bytes \(sha256 [0-9a-f]{64}\)/,
    );
    await sh('printf "a\\0b" > "$(printf "b: text\\nREADME.md: one letter\\033[2J")"');
    expect(seen.diff.split('\n'), 'a name adds no lines').toHaveLength(2);
    expect(seen.diff).toContain('\\u{1b}');
    await sh(
      'i=0; while [ $i -lt 5000 ]; do echo "a line that is long enough to fill a page with its like: $i $i $i $i $i $i $i $i $i $i $i $i $i $i $i $i $i $i"; i=$((i+1)); done > aa.js; echo x > zz.js',
    );
    const cut = Object.fromEntries(seen.changes.map((/** @type {any} */ { path, isShown }) => [path, isShown]));
    expect(cut).toEqual({ 'aa.js': false, 'zz.js': true });
    expect(seen.diff).toContain('[truncated]');
    expect(seen.diff, 'what is small is shown behind it').toMatch(/zz\.js\n@@.*\n\+x\n/);
  });
});
