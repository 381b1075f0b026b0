/** An application with a remote: boots, writes, and shuts down. */

import { createKernel, timed, toolText } from './workspace.mjs';

/** @typedef {{ bootMs: number, shutdownMs: number, writes: import('./machine.mjs').Written[] }} Used */

/**
 * @param {import('./workspace.mjs').Job & { repo: string, name: string, writes: number }} job at most so many writes, and none after its time
 * @returns {Promise<Used>}
 */
export default async function remoteUser({ api, folder, seconds, repo, name, writes: most }) {
  const kernel = createKernel(api, folder, { git: { repo }, sandbox: { warm: 0 } });
  const boot = await timed(() => kernel.boot());
  const { write_file } = api.tgpTools(kernel);
  /** @type {import('./machine.mjs').Written[]} */
  const writes = [];
  const end = performance.now() + 1000 * seconds;
  for (let id = 0; id < most && (id < 2 || performance.now() < end); id++) {
    const [path, content] = [`tools/${name}/t${id}.ts`, toolText(id)];
    const { ms, value, code } = await timed(() => write_file.execute({ path, content }));
    writes.push({ path, content, ms, persisted: value?.persisted, commit: value?.commit, code });
  }
  if (name === 'after') await kernel.sync();
  const shutdown = await timed(() => kernel.shutdown());
  return { bootMs: boot.ms, shutdownMs: shutdown.ms, writes };
}
