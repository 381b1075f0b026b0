/** Shim of `node:string_decoder`: the package of this name, with decoders that can be used again after `end`. */

const { StringDecoder: Decoder } = require('string_decoder/');

class StringDecoder extends Decoder {
  constructor(encoding) {
    super(encoding);
    const { end } = this;
    this.end = (bytes) => {
      const text = end.call(this, bytes);
      this.lastNeed = 0;
      this.lastTotal = 0;
      return text;
    };
  }
}

module.exports = { StringDecoder };
