import { watch, writeFileSync } from 'node:fs';
import { chmod, mkdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createShellTools, TGP } from '../../index.js';
import { agentModel } from '../helpers/agent_model.js';
import { CAN_CONFINE, shellFolder } from '../helpers/shell_folder.js';
import { tempRoot } from '../helpers/temp_root.js';

const FILES = {
  'keep.txt': 'keep\n',
  'change.txt': 'one\ntwo\nthree\n',
  'gone.txt': 'gone\n',
  'sub/deep.txt': 'deep\n',
};
const CHANGES =
  'printf "one\\n2\\nthree\\n" > change.txt; rm gone.txt; mkdir -p new/folder; echo new > new/folder/a.txt';
const CHANGED = {
  'change.txt': 'one\n2\nthree\n',
  'keep.txt': 'keep\n',
  'new/folder/a.txt': 'new\n',
  'sub/deep.txt': 'deep\n',
};

describe.runIf(CAN_CONFINE)('Changes of a program', () => {
  it('are shown, and applied exactly when they are approved', async () => {
    /** @type {any[]} */
    const requests = [];
    const approve = (/** @type {any} */ request) => requests.push(request) > 0;
    const { cwd, sh, files } = await shellFolder(FILES, { approve });
    await chmod(join(cwd, 'change.txt'), 0o640);
    const answer = await sh(CHANGES);
    expect(answer).toMatchObject({ success: true, exitCode: 0, applied: true });
    expect(answer.changes.map(({ path, kind }) => [path, kind])).toEqual([
      ['change.txt', 'changed'],
      ['gone.txt', 'removed'],
      ['new/folder/a.txt', 'added'],
    ]);
    expect(answer.changes[0]?.diff).toContain('@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n');
    expect(requests).toHaveLength(1);
    expect(requests[0]).toMatchObject({ tool: 'apply_changes', effect: 'shell', args: { program: 'sh' } });
    expect(requests[0].args.diff).toContain('+2\n');
    expect(await files()).toEqual(CHANGED);
    expect((await stat(join(cwd, 'change.txt'))).mode & 0o777).toBe(0o640);
    expect(await sh('cat change.txt; touch keep.txt; cp keep.txt k; mv k keep.txt')).toMatchObject({
      success: true,
      changes: [],
      applied: false,
      stdout: CHANGED['change.txt'],
    });
    expect(requests).toHaveLength(1);
  });

  it('are not applied when the approver refuses, fails, times out or is missing, nor when the program fails', async () => {
    const { cwd, sh, files } = await shellFolder(FILES);
    const before = await files();
    expect(await sh(CHANGES)).toMatchObject({
      success: false,
      code: 'ERR_APPROVAL',
      error: expect.stringMatching(/"approve" of createShellTools/),
      exitCode: 0,
      applied: false,
    });
    const answers = [
      [() => false, /not approved/],
      [() => ({ approved: false, reason: 'not today' }), /not today/],
      [() => 'yes', /not approved/],
      [() => Promise.reject(new Error('broken')), /failed or did not answer/],
      [() => new Promise(() => {}), /failed or did not answer/],
    ];
    for (const [approve, message] of answers) {
      const options = { programs: ['sh'], cwd, approve: /** @type {any} */ (approve), approvalMs: 50 };
      const answer = await createShellTools(options).run_program.execute({ program: 'sh', args: ['-c', CHANGES] });
      expect(answer).toMatchObject({ success: false, code: 'ERR_APPROVAL', applied: false });
      expect(answer.error).toMatch(/** @type {RegExp} */ (message));
      expect(answer.changes).toHaveLength(3);
    }
    const { run_program } = createShellTools({ programs: ['sh'], cwd, approve: () => true });
    const failed = await run_program.execute({ program: 'sh', args: ['-c', `${CHANGES}; exit 3`] });
    expect(failed).toMatchObject({ success: false, exitCode: 3, applied: false, notice: expect.any(String) });
    expect(failed.changes).toHaveLength(3);
    expect(await files()).toEqual(before);
  });

  it.each([
    ['changed', (/** @type {string} */ cwd) => writeFile(join(cwd, 'gone.txt'), 'changed\n'), /"gone.txt" was changed/],
    ['removed', (/** @type {string} */ cwd) => rm(join(cwd, 'change.txt')), /"change.txt" was removed/],
    [
      'created',
      (/** @type {string} */ cwd) => mkdir(join(cwd, 'new/folder/a.txt'), { recursive: true }),
      /was created by another process/,
    ],
    [
      'replaced by a link',
      (/** @type {string} */ cwd) => symlink('/tmp', join(cwd, 'new')),
      /folder that was replaced/,
    ],
  ])('conflict with a file that was %s meanwhile: none is applied', async (_, meddle, message) => {
    let others = {};
    const folder = await shellFolder(FILES, {
      approve: async () => {
        await meddle(folder.cwd);
        others = await folder.files();
        return true;
      },
    });
    const answer = await folder.sh(CHANGES);
    expect(answer).toMatchObject({ success: false, code: 'ERR_GIT_CONFLICT', applied: false });
    expect(answer.error).toMatch(message);
    expect(await folder.files()).toEqual(others);
  });

  it('are undone when another process changes a file while the others are being written', async () => {
    const many = Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`many/${n + 10}.txt`, 'before\n']));
    const folder = await shellFolder(
      { ...many, 'z.txt': 'before\n' },
      {
        approve: () => {
          const watched = watch(join(folder.cwd, 'many'), () => {
            watched.close();
            writeFileSync(join(folder.cwd, 'z.txt'), 'of somebody else\n');
          });
          return true;
        },
      },
    );
    const answer = await folder.sh(
      'for file in many/* z.txt; do echo after > $file; done; rm many/20.txt; echo x > many/new',
    );
    expect(answer).toMatchObject({ success: false, code: 'ERR_GIT_CONFLICT', applied: false });
    expect(answer.error).toMatch(/"z.txt" was changed/);
    expect(await folder.files()).toEqual({ ...many, 'z.txt': 'of somebody else\n' });
  });

  it.each([
    ['a link out of the folder', 'ln -s /etc/hostname stolen', /"stolen" has become a link/],
    ['a folder that became a link', 'rm -r sub; ln -s /etc sub', /"sub" has become a link/],
    ['a file that became a link', 'rm keep.txt; ln -s change.txt keep.txt', /"keep.txt" has become a link/],
    ['a pipe', 'mkfifo pipe', /"pipe" has become neither/],
    ['a hook of Git', 'mkdir -p sub/.git/hooks; echo x > sub/.git/hooks/pre-commit', /"sub\/.git" has a name/],
    ['a secret', 'echo KEY=1 > .env', /".env" has a name/],
  ])('are refused as a whole with %s', async (_, script, message) => {
    const { sh, files } = await shellFolder(FILES, { approve: () => true });
    const before = await files();
    const answer = await sh(`echo x > change.txt; ${script}`);
    expect(answer).toMatchObject({ success: false, code: 'ERR_SECURITY_VIOLATION', applied: false });
    expect(answer.error).toMatch(message);
    expect(await files()).toEqual(before);
  });

  it('are not made in a folder that is too large, and links do not lead outside', async () => {
    const { cwd, run_program, sh } = await shellFolder(FILES);
    for (const options of [{ files: 3 }, { folderMb: 1 }]) {
      await writeFile(join(cwd, 'large.bin'), Buffer.alloc(1_500_000));
      const tools = createShellTools({ programs: ['sh'], cwd, ...options });
      await expect(tools.run_program.execute({ program: 'sh', args: ['-c', 'echo ran'] })).rejects.toMatchObject({
        code: 'ERR_LIMIT',
        message: expect.stringContaining(Object.keys(options)[0] ?? ''),
      });
    }
    await rm(join(cwd, 'large.bin'));
    await symlink('/etc', join(cwd, 'out'));
    await symlink('../..', join(cwd, 'sub/up'));
    await symlink('sub/deep.txt', join(cwd, 'inside'));
    const answer = await sh('ls; cat inside; ls sub');
    expect(answer).toMatchObject({ success: true, changes: [] });
    expect(answer.stdout).toBe('change.txt\ngone.txt\ninside\nkeep.txt\nsub\ndeep\ndeep.txt\n');
    expect(await run_program.execute({ program: 'sh', args: ['-c', CHANGES] }, { dryRun: true })).toMatchObject({
      dryRun: true,
      result: { success: true, exitCode: 0 },
      diffs: [{ path: 'change.txt' }, { path: 'gone.txt' }, { path: 'new/folder/a.txt' }],
    });
    const preview = () => run_program.execute({ program: 'sh', args: ['-c', CHANGES] }, { dryRun: true });
    expect(await preview(), 'the same call has the same preview').toEqual(await preview());
  });
});

describe.runIf(CAN_CONFINE)('Programs of a kernel', () => {
  it('are checked by its policy and recorded, as are their changes', async () => {
    const rootDir = await tempRoot();
    const policy = {
      version: /** @type {const} */ (1),
      default: /** @type {const} */ ('allow'),
      rules: [
        { id: 'no-secrets', deny: ['run_program'], args: { '/program': 'cat' } },
        { id: 'asked', ask: ['apply_changes'] },
      ],
    };
    /** @type {any[]} */
    const requests = [];
    let isApproved = false;
    const kernel = new TGP({
      config: { rootDir, policy: /** @type {any} */ (policy) },
      approve: (request) => requests.push(request) > 0 && isApproved,
    });
    onTestFinished(() => kernel.shutdown());
    await kernel.boot();
    const { run_program, sh, files } = await shellFolder(FILES, { kernel, programs: ['sh', 'cat'], session: 's1' });
    const before = await files();
    await expect(run_program.execute({ program: 'cat', args: ['keep.txt'] })).rejects.toMatchObject({
      code: 'ERR_DENIED',
    });
    expect(await sh(CHANGES)).toMatchObject({ success: false, code: 'ERR_APPROVAL', applied: false, exitCode: 0 });
    expect(await files()).toEqual(before);
    isApproved = true;
    expect(await sh(CHANGES)).toMatchObject({ success: true, applied: true });
    expect(await files()).toEqual(CHANGED);
    expect(requests.map(({ tool, effect, rule }) => [tool, effect, rule])).toEqual([
      ['apply_changes', 'shell', 'asked'],
      ['apply_changes', 'shell', 'asked'],
    ]);
    const events = await kernel.ledger.tail({ limit: 50, session: 's1' });
    const calls = events.filter(({ type }) => type === 'CALL').map(({ tool }) => tool);
    expect(calls).toEqual(['run_program', 'run_program', 'apply_changes']);
    expect(events.map(({ type }) => type)).toContain('DENIED');
  });

  it('need an approver if no rule matches', async () => {
    const kernel = new TGP({ config: { rootDir: await tempRoot() } });
    onTestFinished(() => kernel.shutdown());
    const { cwd, sh, files } = await shellFolder(FILES, { kernel });
    const before = await files();
    expect(await sh(CHANGES)).toMatchObject({ success: false, code: 'ERR_APPROVAL', applied: false });
    expect(await files()).toEqual(before);
    const { run_program } = createShellTools({ kernel, programs: ['sh'], cwd, approve: () => true });
    expect(await run_program.execute({ program: 'sh', args: ['-c', CHANGES] })).toMatchObject({ applied: true });
    expect(await files()).toEqual(CHANGED);
  });

  it('have their changes applied without approval if a rule allows it for these files', async () => {
    const policy = {
      version: /** @type {const} */ (1),
      default: /** @type {const} */ ('allow'),
      rules: [
        { id: 'docs', allow: ['apply_changes'], paths: ['docs/**'] },
        { id: 'locked', deny: ['apply_changes'], paths: ['sub/**'], reason: 'sub is locked.' },
      ],
    };
    const kernel = new TGP({ config: { rootDir: await tempRoot(), policy: /** @type {any} */ (policy) } });
    onTestFinished(() => kernel.shutdown());
    await kernel.boot();
    const { sh } = await shellFolder(FILES, { kernel });
    // There is no approver: only rules can allow changes.
    expect(await sh('mkdir docs; echo x > docs/a.md')).toMatchObject({ success: true, applied: true });
    expect(await sh('echo x > docs/b.md; echo y > other.md')).toMatchObject({ applied: false, code: 'ERR_APPROVAL' });
    expect(await sh('echo x > sub/new.txt')).toMatchObject({ applied: false, code: 'ERR_DENIED' });
    expect(await sh('echo x > docs/c.md; echo x > sub/new.txt')).toMatchObject({ applied: false, code: 'ERR_DENIED' });
    const call = {
      tool: 'apply_changes',
      args: { program: 'sh', args: [], changes: [{ path: 'docs/a.md', kind: 'add' }] },
    };
    expect(await kernel.policy.explain(call)).toMatchObject({ verdict: 'allow', rule: 'docs' });
  });

  it('are run by its agent, whose approver approves the changes', async () => {
    const kernel = new TGP({ config: { rootDir: await tempRoot() } });
    onTestFinished(() => kernel.shutdown());
    const { run_program, files } = await shellFolder(FILES);
    const model = agentModel([
      { calls: [{ tool: 'run_program', input: { program: 'sh', args: ['-c', CHANGES] } }] },
      { text: 'done' },
    ]);
    /** @type {any[]} */
    const requests = [];
    const approve = (/** @type {any} */ request) => requests.push(request) > 0;
    const run = kernel.agent({ model, tools: { run_program }, approve }).run('change it');
    expect((await run.result).outcome).toBe('done');
    expect(requests.map(({ tool }) => tool)).toEqual(['apply_changes']);
    expect(await files()).toEqual(CHANGED);
  });
});
