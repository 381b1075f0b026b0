/** Shim of `node:path`, POSIX only. */

const path = require('path-browserify');

path.win32 = path;
path.toNamespacedPath = (value) => value;
module.exports = path;
