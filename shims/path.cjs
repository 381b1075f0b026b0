/** Shim of `node:path`: POSIX paths, and those of Windows as `win32`. The working directory is `/`. */

const { invalidType, needType } = require('tgp:node_error');

const needText = (value, name = 'path') => needType(name, 'string', value);
const withDot = (ext) => (ext && ext[0] !== '.' ? `.${ext}` : (ext ?? ''));

/**
 * @typedef {{ device: string, drive: number, length: number, isAbsolute: boolean }} Root the device of a path, the length of its
 *   drive letter and of its root, and whether it begins at the root
 * @param {string} sep
 * @param {RegExp} separators one separator
 * @param {(path: string) => Root} rootOf
 * @param {(tail: string, path: string) => string} safe keeps a relative path from being read as one with a device
 * @param {(text: string) => string} folded for comparisons
 */
function newPath(sep, separators, rootOf, safe, folded) {
  const isSeparator = (character) => character !== undefined && separators.test(character);
  const partsOf = (text) => text.split(separators).filter((part) => part !== '');

  /** Resolves `.` and `..` in what follows the root. */
  function normalized(text, isAbsolute) {
    const parts = [];
    for (const part of partsOf(text)) {
      if (part === '.') continue;
      if (part !== '..') parts.push(part);
      else if (parts.length > 0 && parts.at(-1) !== '..') parts.pop();
      else if (!isAbsolute) parts.push('..');
    }
    return parts.join(sep);
  }

  /** Start and end of the last part, without separators at the end. */
  function lastPart(path, from) {
    let end = path.length;
    while (end > from && isSeparator(path[end - 1])) end -= 1;
    let start = end;
    while (start > from && !isSeparator(path[start - 1])) start -= 1;
    return [start, end];
  }

  const extension = (base) => {
    const dot = base.lastIndexOf('.');
    return dot <= 0 || base === '..' ? '' : base.slice(dot);
  };

  function normalize(path) {
    needText(path);
    if (path === '') return '.';
    const { device, length, isAbsolute } = rootOf(path);
    let tail = normalized(path.slice(length), isAbsolute);
    if (tail === '' && !isAbsolute) tail = '.';
    if (tail !== '' && isSeparator(path.at(-1))) tail += sep;
    return isAbsolute ? `${device}${sep}${tail}` : `${device}${device === '' ? safe(tail, path) : tail}`;
  }

  function join(...paths) {
    for (const path of paths) needText(path);
    const parts = paths.filter((path) => path !== '');
    if (parts.length === 0) return '.';
    const joined = parts.join(sep);
    // Only the first part can name a server.
    const isServer = /^[\\/]{2}[^\\/]/.test(parts[0]);
    return normalize(sep === '/' || isServer ? joined : joined.replace(/^[\\/]{2,}/, sep));
  }

  function resolve(...paths) {
    let [device, tail, isAbsolute] = ['', '', false];
    for (let i = paths.length - 1; i >= -1 && !(isAbsolute && (sep === '/' || device !== '')); i--) {
      const path = i < 0 ? '/' : paths[i];
      needText(path, `paths[${i}]`);
      if (path === '') continue;
      const root = rootOf(path);
      if (root.device !== '' && device !== '' && folded(root.device) !== folded(device)) continue;
      device ||= root.device;
      if (isAbsolute) continue;
      tail = `${path.slice(root.length)}${sep}${tail}`;
      isAbsolute = root.isAbsolute;
    }
    tail = normalized(tail, isAbsolute);
    return isAbsolute ? `${device}${sep}${tail}` : `${device}${tail}` || '.';
  }

  function relative(from, to) {
    needText(from, 'from');
    needText(to, 'to');
    const [start, end] = [resolve(from), resolve(to)];
    if (folded(start) === folded(end)) return '';
    const [left, right] = [partsOf(start), partsOf(end)];
    let same = 0;
    while (same < left.length && same < right.length && folded(left[same]) === folded(right[same])) same += 1;
    // Windows paths may be on different drives.
    if (same === 0 && sep === '\\' && left.length > 0 && right.length > 0) return end;
    return [...left.slice(same).map(() => '..'), ...right.slice(same)].join(sep);
  }

  function dirname(path) {
    needText(path);
    if (path === '') return '.';
    const { length } = rootOf(path);
    const [start] = lastPart(path, length);
    if (start === length) return length > 0 ? path.slice(0, length) : '.';
    // As POSIX allows, two slashes at the start are kept.
    return start === 2 && sep === '/' && length === 1 ? '//' : path.slice(0, start - 1);
  }

  function basename(path, suffix) {
    if (suffix !== undefined) needText(suffix, 'suffix');
    needText(path);
    const base = path.slice(...lastPart(path, rootOf(path).drive));
    if (suffix && base === '' && suffix !== path && suffix.length <= path.length) return path.slice(rootOf(path).drive);
    if (!suffix || !base.endsWith(suffix) || (base === suffix && path !== suffix)) return base;
    return base.slice(0, base.length - suffix.length);
  }

  function extname(path) {
    needText(path);
    return extension(path.slice(...lastPart(path, rootOf(path).drive)));
  }

  function parse(path) {
    needText(path);
    const { length } = rootOf(path);
    const [root, [start, end]] = [path.slice(0, length), lastPart(path, length)];
    const base = path.slice(start, end);
    const ext = extension(base);
    const dir = start > length ? path.slice(0, start - 1) : root;
    return { root, dir, base, ext, name: base.slice(0, base.length - ext.length) };
  }

  function format(parts) {
    if (parts === null || typeof parts !== 'object') throw invalidType('pathObject', ['object'], parts);
    const dir = parts.dir || parts.root;
    const base = parts.base || `${parts.name || ''}${withDot(parts.ext)}`;
    if (!dir) return base;
    return dir === parts.root ? `${dir}${base}` : `${dir}${sep}${base}`;
  }

  function isAbsolute(path) {
    needText(path);
    return rootOf(path).isAbsolute;
  }

  return { resolve, normalize, isAbsolute, join, relative, dirname, basename, extname, format, parse, sep };
}

/** @param {string} path @returns {Root} */
const posixRoot = (path) => ({ device: '', drive: 0, length: path[0] === '/' ? 1 : 0, isAbsolute: path[0] === '/' });

/** @param {string} path @returns {Root} */
function windowsRoot(path) {
  const drive = /^[a-z]:/i.exec(path)?.[0];
  if (drive !== undefined) {
    const isAbsolute = /[\\/]/.test(path[2] ?? '');
    return { device: drive, drive: 2, length: isAbsolute ? 3 : 2, isAbsolute };
  }
  const isAbsolute = /^[\\/]/.test(path);
  const place = /^[\\/]{2}([.?])[\\/]/.exec(path);
  if (place) return { device: `\\\\${place[1]}`, drive: 0, length: 4, isAbsolute };
  const server = /^[\\/]{2}([^\\/]+)[\\/]+([^\\/]+)([\\/]?)/.exec(path);
  if (server) return { device: `\\\\${server[1]}\\${server[2]}`, drive: 0, length: server[0].length, isAbsolute };
  return { device: '', drive: 0, length: isAbsolute ? 1 : 0, isAbsolute };
}

/** `.\\` before what could be read as a device: `a/../C:b`, `CON:`. */
const withoutDevice = (tail, path) => (/^[a-z]:/i.test(tail) || /:(?:[\\/]|$)/.test(path) ? `.\\${tail}` : tail);

const same = (text) => text;
const posix = newPath('/', /\//, posixRoot, same, same);
const win32 = newPath('\\', /[\\/]/, windowsRoot, withoutDevice, (text) => text.toLowerCase());
Object.assign(posix, { delimiter: ':', toNamespacedPath: same, win32, posix });
Object.assign(win32, { delimiter: ';', toNamespacedPath: same, win32, posix });

module.exports = posix;
