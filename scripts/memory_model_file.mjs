/**
 * Writes the weights file that `crates/embed/src/model_file.rs` reads: a header of 64 bytes, then the parts named by the
 * constants below, in the order of `modelFile`. Little-endian. The file depends only on the tensors, so it is the same bytes
 * on every machine.
 */

import { xxh64 } from './xxh64.mjs';

const MAGIC = 'TGPEMBED';
const VERSION = 1;
const HEADER_BYTES = 64;
/** The maximum number of tokens of a text, as in the model's training. */
const POSITIONS = 256;
/** The number of outputs computed together. */
const PANEL = 16;
const LARGEST = 127;

/**
 * @typedef {{ vocab_size: number, hidden_size: number, num_hidden_layers: number, num_attention_heads: number, intermediate_size: number }} ModelConfig
 * @typedef {Map<string, Float32Array>} Tensors
 */

/**
 * @param {ModelConfig} config
 * @param {Tensors} tensors
 * @param {Buffer} vocabulary one token per line
 */
export function modelFile(config, tensors, vocabulary) {
  const { vocab_size: words, hidden_size: hidden, num_hidden_layers: layers, intermediate_size: inner } = config;
  /** @param {string} name */
  const tensor = (name) => {
    const found = tensors.get(name);
    if (!found) throw new Error(`The model has no tensor ${name}.`);
    return found;
  };
  /** @param {string} name */
  const norm = (name) => [floats(tensor(`${name}.weight`)), floats(tensor(`${name}.bias`))];
  /** @param {number} inputs @param {string[]} names side by side */
  const linear = (inputs, ...names) => {
    const weights = joined(names.map((name) => tensor(`${name}.weight`)));
    const { rows, scales } = quantised(weights, inputs);
    return [panels(rows, inputs), floats(scales), floats(joined(names.map((name) => tensor(`${name}.bias`))))];
  };

  const embedded = quantised(tensor('embeddings.word_embeddings.weight'), hidden);
  const kinds = tensor('embeddings.token_type_embeddings.weight');
  const positions = tensor('embeddings.position_embeddings.weight').slice(0, POSITIONS * hidden);
  // There is one text at a time, so every token is of the first kind.
  const places = positions.map((value, index) => value + (kinds[index % hidden] ?? 0));
  const body = Buffer.concat([
    vocabulary,
    bytes(embedded.rows),
    floats(embedded.scales),
    floats(places),
    ...norm('embeddings.LayerNorm'),
    ...Array.from({ length: layers }, (_, layer) => {
      const at = `encoder.layer.${layer}`;
      const attention = ['query', 'key', 'value'].map((name) => `${at}.attention.self.${name}`);
      return [
        ...linear(hidden, ...attention),
        ...linear(hidden, `${at}.attention.output.dense`),
        ...norm(`${at}.attention.output.LayerNorm`),
        ...linear(hidden, `${at}.intermediate.dense`),
        ...linear(inner, `${at}.output.dense`),
        ...norm(`${at}.output.LayerNorm`),
      ];
    }).flat(),
  ]);

  const header = Buffer.alloc(HEADER_BYTES);
  header.write(MAGIC, 'latin1');
  const sizes = [VERSION, words, hidden, layers, config.num_attention_heads, inner, POSITIONS, vocabulary.length];
  for (const [index, size] of sizes.entries()) header.writeUInt32LE(size, MAGIC.length + 4 * index);
  header.writeBigUInt64LE(xxh64(body), MAGIC.length + 4 * sizes.length);
  return Buffer.concat([header, body]);
}

/**
 * Rows of integers from -127 to 127, and the scale factor of each row.
 * @param {Float32Array} values
 * @param {number} width of a row
 */
function quantised(values, width) {
  const rows = new Int8Array(values.length);
  const scales = new Float32Array(values.length / width);
  for (let row = 0; row < scales.length; row++) {
    const own = values.subarray(row * width, (row + 1) * width);
    const largest = own.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
    const scale = largest === 0 ? 1 : largest / LARGEST;
    scales[row] = scale;
    for (let column = 0; column < width; column++) rows[row * width + column] = Math.round((own[column] ?? 0) / scale);
  }
  return { rows, scales };
}

/**
 * The weights in the order of use: sixteen outputs at a time, with two inputs each.
 * @param {Int8Array} rows one per output
 * @param {number} inputs
 */
function panels(rows, inputs) {
  const packed = new Int8Array(rows.length);
  let at = 0;
  for (let first = 0; first < rows.length / inputs; first += PANEL) {
    for (let input = 0; input < inputs; input += 2) {
      for (let output = first; output < first + PANEL; output++) {
        packed[at++] = rows[output * inputs + input] ?? 0;
        packed[at++] = rows[output * inputs + input + 1] ?? 0;
      }
    }
  }
  return bytes(packed);
}

/** @param {Float32Array[]} parts */
function joined(parts) {
  const whole = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** @param {Float32Array} values */
function floats(values) {
  const buffer = Buffer.alloc(values.length * 4);
  for (const [index, value] of values.entries()) buffer.writeFloatLE(value, index * 4);
  return buffer;
}

/** @param {Int8Array} values */
function bytes(values) {
  return Buffer.from(values.buffer, values.byteOffset, values.length);
}
