module.exports = require('tgp:path').win32;
