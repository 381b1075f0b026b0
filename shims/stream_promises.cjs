module.exports = require('tgp:stream').promises;
