import { describe, expect, it } from 'vitest';
import { tgpTools } from '../../index.js';
import { createKernel } from '../helpers/create_kernel.js';
import { git } from '../helpers/git_remote.js';

/** The message of the last commit, without the line that every commit has. */
const message = (root) =>
  git(root, 'log', '-1', '--format=%B').replace(/\n+TGP-Ledger: \d+ [0-9a-f]{64} [0-9a-f]{8} [A-Za-z0-9+/=]+$/, '');

const trailers = (root, key) => git(root, 'log', '-1', `--format=%(trailers:key=${key},valueonly)`);

describe('reason, session and model of a commit', () => {
  it('are trailers that git and file_history read', async () => {
    const { kernel, rootDir } = await createKernel();
    const tools = tgpTools(kernel, { session: 'chat-42', model: 'claude' });
    const path = 'tools/a.ts';
    await tools.write_file.execute({ path, content: 'return 1', why: 'the customer asked for it' });
    expect(git(rootDir, 'log', '-1', '--format=%s')).toBe('Forge: tools/a.ts');
    expect(trailers(rootDir, 'TGP-Why')).toBe('the customer asked for it');
    expect(trailers(rootDir, 'TGP-Session')).toBe('chat-42');
    expect(trailers(rootDir, 'TGP-Model')).toBe('claude');
    expect(await tools.file_history.execute({ path })).toMatchObject([
      { message: 'Forge: tools/a.ts', why: 'the customer asked for it', session: 'chat-42', model: 'claude' },
    ]);
    const [first] = await kernel.git.log(path);
    await tools.patch_file.execute({ path, search: '1', replace: '2' });
    await tools.apply_diff.execute({ path, diff: '@@ -1 +1 @@\n-return 2\n+return 3\n', why: 'again' });
    await tools.revert_file.execute({ path, commit: String(first?.commit), why: 'it was better' });
    await tools.move_file.execute({ from: path, to: 'tools/b.ts', why: 'a better name' });
    await tools.delete_file.execute({ path: 'tools/b.ts', why: 'nobody needs it' });
    const logged = (await kernel.git.log()).map(({ message, why, session, model }) => [message, why, session, model]);
    const origin = ['chat-42', 'claude'];
    expect(logged).toEqual([
      ['Remove: tools/b.ts', 'nobody needs it', ...origin],
      ['Move: tools/a.ts -> tools/b.ts', 'a better name', ...origin],
      [expect.stringMatching(/^Revert: tools\/a\.ts to /), 'it was better', ...origin],
      ['Refactor: tools/a.ts', 'again', ...origin],
      ['Refactor: tools/a.ts', undefined, ...origin],
      ['Forge: tools/a.ts', 'the customer asked for it', ...origin],
    ]);
    await kernel.git.revert('tools/b.ts', String((await kernel.git.log())[1]?.commit), { why: 'by the application' });
    expect((await kernel.git.log('tools/b.ts'))[0]).toMatchObject({ why: 'by the application' });
  });

  it('are omitted when they are not given', async () => {
    const { tools, rootDir } = await createKernel();
    await tools.write_file.execute({ path: 'tools/a.ts', content: 'return 1' });
    expect(message(rootDir)).toBe('Forge: tools/a.ts');
    expect(Object.keys((await tools.file_history.execute({ path: 'tools/a.ts' }))[0] ?? {})).toEqual([
      'commit',
      'message',
      'author',
      'date',
    ]);
  });

  it('THREAT: a text that forges a trailer or subject, or is too long, becomes one short line', async () => {
    const { kernel, rootDir } = await createKernel();
    const tools = tgpTools(kernel, {
      session: 'a\nTGP-Model: forged\r\n\r\nSigned-off-by: boss',
      model: '\u202e\0 \n',
    });
    const why = `x\n\nTGP-Session: forged\u2028Co-authored-by: eve <e@v.e>\n${'long '.repeat(100_000)}`;
    await tools.write_file.execute({ path: 'tools/a.ts', content: 'return 1', why });
    expect(message(rootDir).split('\n')).toHaveLength(4);
    expect(message(rootDir).length).toBeLessThan(450);
    expect(trailers(rootDir, 'TGP-Session')).toBe('a TGP-Model: forged Signed-off-by: boss');
    expect(trailers(rootDir, 'TGP-Model')).toBe('');
    expect(trailers(rootDir, 'Signed-off-by')).toBe('');
    expect(trailers(rootDir, 'Co-authored-by')).toBe('');
    expect(git(rootDir, 'log', '-1', '--format=%s')).toBe('Forge: tools/a.ts');
  });

  it('a reason with a secret is refused', async () => {
    const { tools, rootDir } = await createKernel();
    const why = 'uses sk_live_4eC39HqLyjWDarjtT1zdp7dc now';
    await tools.write_file.execute({ path: 'tools/a.ts', content: 'return 1', why });
    expect(message(rootDir)).toBe('Forge: tools/a.ts');
  });

  it('unknown options are refused', async () => {
    const { kernel } = await createKernel();
    expect(() => tgpTools(kernel, /** @type {any} */ ({ sesion: 'x' }))).toThrow(/did you mean "session"/);
    await expect(kernel.git.remove('tools/a.ts', /** @type {any} */ ({ who: 'x' }))).rejects.toMatchObject({
      code: 'ERR_VALIDATION',
    });
  });
});
