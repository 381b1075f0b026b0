/** A workspace with a used ledger, for tests that edit copies of it. */

import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { TGP, tgpTools } from '../../index.js';
import { tempRoot } from './temp_root.js';

const silent = { debug() {}, info() {}, warn() {}, error() {} };

/** Called once per file; its folders are removed after the last test. */
export function usedLedger() {
  /** @type {string} a workspace that stays unchanged: each test works on a copy */
  let original;
  /** @type {string[]} */
  const folders = [];
  const folder = async () => {
    const made = await mkdtemp(join(tmpdir(), 'tgp-test-ledger-'));
    folders.push(made);
    return made;
  };
  afterAll(async () => {
    for (const made of folders) await rm(made, { recursive: true, force: true });
  });
  /** @type {(place: string, ledger?: object) => TGP} */
  const open = (place, ledger = {}) =>
    new TGP({
      config: { rootDir: join(place, '.tgp'), sandbox: { warm: 0 }, ledger: { checkpointEvents: 5, ...ledger } },
      logger: silent,
    });
  const fill = async (/** @type {number} */ from) => {
    const kernel = open(original);
    const tools = tgpTools(kernel, { session: 's' });
    for (let n = from; n < from + 5; n++) {
      await tools.write_file.execute({ path: `tools/t${n}.ts`, content: `return ${n}` });
      await tools.read_file.execute({ path: `tools/t${n}.ts` });
    }
    await kernel.ledger.append({ large: 'large '.repeat(2_000) });
    const { length } = await kernel.ledger.query({ limit: 10_000 });
    await kernel.shutdown();
    return length;
  };
  return {
    open,
    /** Uses it twice; `older` is a copy after the first time. */
    use: async () => {
      original = await folder();
      const older = await folder();
      await fill(0);
      await cp(original, older, { recursive: true });
      return { events: await fill(5), older };
    },
    /** A copy for an attack. */
    copied: async () => {
      const place = await tempRoot();
      await cp(original, place, { recursive: true });
      return { folder: place, root: join(place, '.tgp') };
    },
    verified: async (/** @type {string} */ place) => {
      const kernel = open(place);
      try {
        return await kernel.ledger.verify();
      } finally {
        await kernel.shutdown();
      }
    },
  };
}
