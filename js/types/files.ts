/** Text files below one root. All paths are relative to it, with `/`. */
export type VFSAdapter = {
  /** The text of a file. Rejects when it does not exist. */
  readFile(path: string): Promise<string>;
  /** Like `readFile`, synchronous. */
  readSync(path: string): string;
  /** Writes a text file and creates its folders. */
  writeFile(path: string, content: string): Promise<void>;
  /** Removes a file; does nothing if it does not exist. */
  remove(path: string): Promise<void>;
  exists(path: string): Promise<boolean>;
  /** The files in a folder, or with `recursive` all files below it; empty if it does not exist. */
  listFiles(dir: string, recursive?: boolean): Promise<string[]>;
  /**
   * A version of the file that changes with its text, such as a row version. Optional: the kernel does not read a file again
   * while its stamp is unchanged.
   */
  stamp?(path: string): Promise<string | number>;
};
