const { refusingModule } = require('tgp:refusing');

module.exports = { ...refusingModule('tty', { ReadStream: true, WriteStream: true }), isatty: () => false };
