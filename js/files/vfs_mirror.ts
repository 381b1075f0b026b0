/** Mirrors an application's file adapter in a temporary folder. */

import { createHash } from 'node:crypto';
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { readFileAtMost } from '../boundary/bounded_read.js';
import { IoError, TGPError } from '../boundary/errors.js';
import type { VFSAdapter } from '../types/files.js';
import type { Logger } from '../types/kernel.js';
import { ForeignVfs, MAX_FILE_BYTES } from './foreign_vfs.js';
import { makeTempFolder, removeTempFolder } from './temp_folder.js';
import { createNodeVFS, RESULT_FOLDER } from './vfs.js';

/** A file on one side, with its text if it was read. */
type Version = { hash: string; stamp?: string; text?: string };

const NOT_IN_GIT =
  'The files are in the adapter passed as "vfs", and "git.repo" is not set, so they are not kept in Git.';

type ChangeReport = { commit?: unknown; persisted?: unknown; written?: object };

/** Derived by the kernel: written to the adapter, never read from it. */
const META_FILE = 'meta.json';
/** Number of files read concurrently. */
const CONCURRENCY = 16;

/**
 * A private temporary folder with the files of an application's adapter, for the native kernel. It is synchronised from the adapter
 * before every call and to it after every change. If both sides have changed a file, the adapter's version wins.
 */
export class VfsMirror {
  readonly root: string;

  #vfs;
  #logger;
  #files;
  /** The last synchronised version of each path. */
  #agreed = new Map<string, Version & { seen?: string }>();
  /** Files that one side cannot represent, with the hash of the skipped version. */
  #leftOut = new Map<string, string>();
  /** Serialises all operations: the sides differ during a change. */
  #last: Promise<unknown> = Promise.resolve();
  /** A pending refresh, shared by all callers. */
  #waiting: Promise<void> | undefined;

  /** @param timeoutMs timeout of the adapter per file */
  constructor(vfs: VFSAdapter, logger: Logger, timeoutMs?: number) {
    this.#vfs = new ForeignVfs(vfs, timeoutMs);
    this.#logger = logger;
    this.root = makeTempFolder('tgp-vfs-');
    this.#files = createNodeVFS(this.root);
  }

  /** Synchronises both sides. */
  refresh() {
    this.#waiting ??= this.#inTurn(() => {
      this.#waiting = undefined;
      return this.#reconcile();
    });
    return this.#waiting;
  }

  /** Makes a change in the kernel, then in the adapter, atomically. */
  write<Done>(change: () => Promise<Done>): Promise<Done> {
    return this.#inTurn(async () => {
      await this.#reconcile();
      const done = await change();
      await this.#deliver();
      return done;
    });
  }

  remove() {
    return removeTempFolder(this.root);
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => {});
    return done;
  }

  async #reconcile() {
    const theirs = await this.#theirs();
    const ours = await this.#ours();
    for (const name of new Set([...theirs.keys(), ...ours.keys(), ...this.#agreed.keys()])) {
      if (name === META_FILE) continue;
      const [their, our, agreed] = [theirs.get(name), ours.get(name), this.#agreed.get(name)];
      if (their?.hash === our?.hash) this.#agree(name, their && { ...their, ...our });
      else if (their?.hash !== agreed?.hash) await this.#take(name, their);
      else await this.#vfs.attempt(name, () => this.#give(name));
    }
  }

  /** Copies the adapter's version of a file to the kernel. */
  async #take(name: string, their: Version | undefined) {
    if (their === undefined) {
      await this.#files.remove(name);
      return this.#agree(name, undefined);
    }
    try {
      await this.#files.writeFile(name, their.text ?? (await this.#vfs.attempt(name, () => this.#vfs.read(name))));
    } catch (error) {
      if (!(error instanceof TGPError) || error.code === 'ERR_IO') throw error;
      return this.#leaveOut(name, their.hash, error.message);
    }
    this.#agree(name, { ...their, seen: await this.#seen(name) });
  }

  /** Copies the kernel's changes to the adapter. On failure both sides are restored. */
  async #deliver() {
    const ours = await this.#ours();
    const changed = [...new Set([...ours.keys(), ...this.#agreed.keys()])]
      .filter((name) => ours.get(name)?.hash !== this.#agreed.get(name)?.hash)
      .sort((left, right) => Number(left === META_FILE) - Number(right === META_FILE));
    const undo: [string, string | undefined][] = [];
    try {
      for (const name of changed) {
        const before = await this.#vfs.attempt(name, () => this.#vfs.readIfThere(name));
        if (name !== META_FILE && before !== undefined && hashOf(before) !== this.#agreed.get(name)?.hash) {
          throw new IoError(
            `"${name}" was not written: it was changed in "vfs" meanwhile. Read it again, then retry the change.`,
          );
        }
        undo.push([name, before]);
        await this.#vfs.attempt(name, () => this.#give(name));
      }
    } catch (error) {
      // Marks the kernel's versions as outdated, so that the next synchronisation takes the adapter's.
      for (const name of changed)
        this.#agree(name, name === META_FILE ? undefined : (ours.get(name) ?? { hash: 'gone' }));
      const stuck = await this.#restore(undo);
      if (stuck.length > 0) this.#logger.error(`Failed to restore files of "vfs": ${stuck.join(', ')}.`);
      throw error;
    }
  }

  async #restore(undo: [string, string | undefined][]) {
    const stuck: string[] = [];
    for (const [name, before] of undo.reverse()) {
      await this.#vfs.attempt(name, () => this.#vfs.restore(name, before)).catch(() => stuck.push(name));
    }
    return stuck;
  }

  /** Copies the kernel's version of a file to the adapter. */
  async #give(name: string) {
    const our = await this.#ourVersion(name);
    if (our === undefined) {
      await this.#vfs.remove(name);
      return this.#agree(name, undefined);
    }
    if (our.text === undefined) return this.#leaveOut(name, our.hash, 'it is not UTF-8 text');
    await this.#vfs.write(name, our.text);
    this.#agree(name, { ...our, stamp: await this.#vfs.stamp(name) });
  }

  async #theirs(): Promise<Map<string, Version>> {
    const found = new Map<string, Version>();
    const wanted = (await this.#vfs.names()).filter((name) => name !== META_FILE && !isResult(name));
    for (let at = 0; at < wanted.length; at += CONCURRENCY) {
      const some = wanted.slice(at, at + CONCURRENCY).map(async (name) => {
        const version = await this.#vfs.attempt(name, () => this.#theirVersion(name));
        if (this.#leftOut.get(name) !== version.hash) found.set(name, version);
      });
      await Promise.all(some);
    }
    return found;
  }

  async #theirVersion(name: string): Promise<Version> {
    const stamp = await this.#vfs.stamp(name);
    const last = this.#agreed.get(name);
    if (stamp !== undefined && last?.stamp === stamp) return { hash: last.hash, stamp };
    const text = await this.#vfs.read(name);
    return { hash: hashOf(text), stamp, text };
  }

  async #ours(): Promise<Map<string, Version & { seen?: string }>> {
    const found = new Map();
    for (const name of await this.#files.listFiles('', true)) {
      if (isResult(name)) continue;
      const seen = await this.#seen(name);
      const last = this.#agreed.get(name);
      if (seen === undefined) continue;
      const version = last?.seen === seen ? { hash: last.hash, seen } : await this.#ourVersion(name);
      if (version && this.#leftOut.get(name) !== version.hash) found.set(name, { hash: version.hash, seen });
    }
    return found;
  }

  /** @returns without `text` if it is not UTF-8 */
  async #ourVersion(name: string): Promise<(Version & { seen?: string }) | undefined> {
    const seen = await this.#seen(name);
    if (seen === undefined) return undefined;
    const bytes = await readFileAtMost(join(this.root, name), MAX_FILE_BYTES);
    const text = bytes.toString('utf8');
    return { hash: hashOf(bytes), seen, text: Buffer.from(text).equals(bytes) ? text : undefined };
  }

  /** A fingerprint of the kernel's file. */
  async #seen(name: string) {
    const file = await lstat(join(this.root, name), { bigint: true }).catch(() => undefined);
    return file && `${file.ino}.${file.size}.${file.mtimeNs}.${file.ctimeNs}`;
  }

  #agree(name: string, version: (Version & { seen?: string }) | undefined) {
    this.#leftOut.delete(name);
    if (version === undefined) this.#agreed.delete(name);
    else this.#agreed.set(name, { hash: version.hash, stamp: version.stamp, seen: version.seen });
  }

  #leaveOut(name: string, hash: string, why: string) {
    this.#agreed.delete(name);
    this.#leftOut.set(name, hash);
    this.#logger.warn(`Skipped "${name}" of "vfs": ${why}`);
  }
}

/** Whether a file is a temporary result of this kernel, which is not mirrored. */
function isResult(name: string) {
  return name.startsWith(`${RESULT_FOLDER}/`);
}

function hashOf(content: string | Buffer) {
  return createHash('sha256').update(content).digest('base64');
}

/** The report of a change whose Git history is lost with the kernel. */
export function withoutGit<Written extends object>(written: Written): Written {
  const { commit: _commit, ...rest }: ChangeReport = written;
  if (rest.written !== undefined) return { ...rest, written: withoutGit(rest.written) } as Written;
  if (rest.persisted === undefined) return written;
  return { ...rest, persisted: false, problem: NOT_IN_GIT } as Written;
}
