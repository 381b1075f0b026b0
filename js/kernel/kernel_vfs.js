/**
 * The default `kernel.vfs`: the root on disk. Its methods boot the kernel first.
 * @param {import('./lifecycle.js').Lifecycle} life
 * @returns {import('../../index.js').VFSAdapter}
 */
export function kernelVfs(life) {
  const booted = async () => {
    await life.ready();
    return life.disk;
  };
  return {
    readSync: (path) => life.disk.readSync(path),
    readFile: async (path) => (await booted()).readFile(path),
    writeFile: async (path, content) => (await booted()).writeFile(path, content),
    remove: async (path) => (await booted()).remove(path),
    exists: async (path) => (await booted()).exists(path),
    listFiles: async (dir, recursive) => (await booted()).listFiles(dir, recursive),
  };
}
