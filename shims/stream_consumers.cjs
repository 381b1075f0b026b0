const { Buffer } = require('tgp:buffer');

async function buffer(stream) {
  const parts = [];
  for await (const part of stream) parts.push(Buffer.from(part));
  return Buffer.concat(parts);
}

const text = async (stream) => new TextDecoder().decode(await buffer(stream));

module.exports = {
  buffer,
  text,
  json: async (stream) => JSON.parse(await text(stream)),
  arrayBuffer: async (stream) => Uint8Array.from(await buffer(stream)).buffer,
};
