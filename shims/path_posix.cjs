module.exports = require('tgp:path');
