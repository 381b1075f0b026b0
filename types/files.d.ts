import type { SecurityViolation } from './errors.js';

/** Text files below one root. All paths are relative to it, with `/`. */
export type VFSAdapter = {
  /** The text of a file. Rejects when it does not exist. */
  readFile(path: string): Promise<string>;
  /** As `readFile`, at once. */
  readSync(path: string): string;
  /** Makes `content` the text of a file, and makes the folders that it needs. */
  writeFile(path: string, content: string): Promise<void>;
  /** Removes a file; nothing when it does not exist. */
  remove(path: string): Promise<void>;
  exists(path: string): Promise<boolean>;
  /** The files in a folder, or with `recursive` all files below it; none when it does not exist. */
  listFiles(dir: string, recursive?: boolean): Promise<string[]>;
  /**
   * Anything that changes whenever the text of the file does, such as a row's version. Optional: a kernel does not read a
   * file again whose stamp it knows.
   */
  stamp?(path: string): Promise<string | number>;
};

/**
 * Files on disk below `rootDir`, which no path, symlink or race can leave. A write is all or nothing, and survives a
 * power cut. A path that would leave, or that belongs to `.git`, is a {@link SecurityViolation}.
 */
export declare function createNodeVFS(rootDir: string): VFSAdapter;

/** Files in memory, with the same behaviour as those on disk. */
export declare function createMemoryVFS(initialFiles?: Record<string, string>): VFSAdapter;
