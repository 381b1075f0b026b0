/** One machine: boots, waits for the start, writes one tool after the other, and returns the outcome of each. */

import { once } from 'node:events';
import { createKernel, timed, toolText } from './workspace.mjs';

/** @typedef {import('./promises.mjs').Write & { ms: number, persisted?: boolean | string, code?: string }} Written */

/**
 * @param {import('./workspace.mjs').Job & { remote: string, machine: number }} job
 * @returns {Promise<Written[]>}
 */
export default async function machine({ api, folder, seconds, remote, machine: number }) {
  const kernel = createKernel(api, folder, { git: { repo: remote }, sandbox: { warm: 0 } });
  await kernel.boot();
  const { write_file } = api.tgpTools(kernel);
  process.send?.({ ready: true });
  await once(process, 'message');
  /** @type {Written[]} */
  const written = [];
  const end = performance.now() + 1000 * seconds;
  for (let id = 0; performance.now() < end; id++) {
    const [path, content] = [`tools/machine${number}/t${id}.ts`, toolText(id)];
    const { ms, value, code } = await timed(() => write_file.execute({ path, content }));
    written.push({ path, content, ms, commit: value?.commit, persisted: value?.persisted, code });
  }
  await kernel.shutdown();
  return written;
}
