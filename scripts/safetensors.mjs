/** Reads a safetensors file: a length, a JSON table, and the numbers in sequence. */

/**
 * The 32-bit tensors by name; each is a view or a copy of its part of the file.
 * @param {Buffer} file
 * @returns {Map<string, Float32Array>}
 */
export function readTensors(file) {
  const table = Number(file.readBigUInt64LE(0));
  const body = 8 + table;
  /** @type {Record<string, { dtype?: string, data_offsets?: [number, number] }>} */
  const entries = JSON.parse(file.toString('utf8', 8, body));
  const tensors = new Map();
  for (const [name, { dtype, data_offsets: place }] of Object.entries(entries)) {
    if (dtype !== 'F32' || !place) continue;
    // A copy, because the numbers need not be aligned to four bytes.
    const bytes = Uint8Array.from(file.subarray(body + place[0], body + place[1]));
    tensors.set(name, new Float32Array(bytes.buffer));
  }
  return tensors;
}
