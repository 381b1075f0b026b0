/** Shim of `node:stream`: the package `readable-stream`. */

module.exports = require('readable-stream/lib/stream.js');
