/** The paths of POSIX: the sandbox has no others. */

const path = require('path-browserify');

path.win32 = path;
path.toNamespacedPath = (value) => value;
module.exports = path;
