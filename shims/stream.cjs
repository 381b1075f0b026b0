/** Node's own streams, as the package `readable-stream` has them. */

module.exports = require('readable-stream/lib/stream.js');
