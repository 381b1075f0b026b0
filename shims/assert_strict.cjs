module.exports = require('tgp:assert').strict;
