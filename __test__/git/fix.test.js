import { describe, expect, it } from 'vitest';
import { createKernel } from '../helpers/create_kernel.js';
import { forgeServer } from '../helpers/forge_server.js';
import { bareRemote, clone, git } from '../helpers/git_remote.js';

const path = 'tools/save.ts';
const BROKEN = "/** Says a unit. */\nlet unit = 'm';\nexport default function save(): string {\n  return unit;\n}\n";
const REPAIRED = BROKEN.replace('let unit', 'const unit');

describe('a fix with a remote', () => {
  it('is pushed before it is reported as persisted', async () => {
    const { remote } = await bareRemote();
    const { kernel, tools } = await createKernel({ git: { repo: remote } });
    await tools.write_file.execute({ path, content: BROKEN });
    const { applied, written } = await kernel.fix(path);
    expect([applied, written?.persisted]).toEqual([1, true]);
    expect(git(remote, 'rev-parse', 'main')).toBe(written?.commit);
    expect(`${git(remote, 'show', `main:${path}`)}\n`).toBe(REPAIRED);
  });

  it('updates the pull request', async () => {
    const server = await forgeServer('github');
    const work = clone(server.folder, server.remote);
    git(work, 'commit', '-q', '--allow-empty', '-m', 'Start');
    git(work, 'push', '-q', 'origin', 'HEAD:main');
    const { kernel, tools } = await createKernel({ git: server.config });
    const first = await tools.write_file.execute({ path, content: BROKEN });
    const { written } = await kernel.fix(path);
    expect(written).toMatchObject({ persisted: true, pullRequest: first.pullRequest });
    expect(`${git(server.remote, 'show', `${server.requests[0].head}:${path}`)}\n`).toBe(REPAIRED);
  });
});
