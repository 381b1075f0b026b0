/**
 * `kernel.vfs` of an application without files of its own: those on disk, once the boot has said where they are.
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
