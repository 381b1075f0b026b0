/** The queue of runs that wait for a worker, shared by callers. */

import { expect, it } from 'vitest';
import { tgpTools } from '../../index.js';
import { createKernel } from '../helpers/create_kernel.js';
import { deferred } from '../helpers/deferred.js';

it('one session neither fills the queue of another nor delays it', async () => {
  const begun = deferred();
  const release = deferred();
  const api = { hold: () => begun.resolve(undefined) ?? release.promise };
  const sandbox = { workers: 1, waiting: 0, queue: 4 };
  const { kernel, tools } = await createKernel({ sandbox }, { sandboxAPI: api });
  await tools.write_file.execute({ path: 'tools/slow.ts', content: 'return tgp.hold()' });
  await tools.write_file.execute({ path: 'tools/quick.ts', content: 'return args.n' });
  const busy = tgpTools(kernel, { session: 'busy' });
  const quiet = tgpTools(kernel, { session: 'quiet' });
  const slow = kernel.exec('tools/slow.ts');
  await begun.promise;
  /** @type {string[]} */
  const ended = [];
  /** @param {string} name @param {ReturnType<typeof tgpTools>} session @param {number} n */
  const run = (name, session, n) =>
    session.exec_tool
      .execute({ path: 'tools/quick.ts', args: { n } })
      .then((answer) => ended.push(answer.success ? name : `${name} ${answer.code}`));
  const busyRuns = [1, 2, 3, 4, 5].map((n) => run('busy', busy, n));
  await expect.poll(() => ended).toEqual(['busy ERR_LIMIT']);
  const quietRun = run('quiet', quiet, 1);
  await expect.poll(() => ended).toEqual(['busy ERR_LIMIT', 'busy ERR_LIMIT']);
  release.resolve(0);
  await Promise.all([slow, quietRun, ...busyRuns]);
  expect(ended.slice(2)).toEqual(['busy', 'quiet', 'busy', 'busy']);
});

it('runs that were stopped while waiting do not block later runs of the tool', async () => {
  let waiting = 0;
  const api = {
    hang: () => {
      waiting += 1;
      return new Promise(() => {});
    },
  };
  const sandbox = { workers: 2, waiting: 8 };
  const { kernel, tools } = await createKernel({ sandbox }, { sandboxAPI: api });
  await tools.write_file.execute({ path: 'tools/hung.ts', content: 'return tgp.hang()' });
  await expect(kernel.exec('tools/hung.ts', {}, { wallMs: 300 })).rejects.toMatchObject({
    code: 'ERR_ISOLATE_TIMEOUT',
  });
  const stop = new AbortController();
  waiting = 0;
  const runs = Array.from({ length: 6 }, () =>
    kernel.exec('tools/hung.ts', {}, { wallMs: 60_000, signal: stop.signal }).catch(() => {}),
  );
  await expect.poll(() => waiting, { timeout: 20_000 }).toBe(6);
  stop.abort();
  await Promise.all(runs);
});
