import { createSocket } from 'node:dgram';
import { isIPv6 } from 'node:net';

const TYPES = { A: 1, AAAA: 28 };
/** A response to a standard query, with recursion. */
const FLAGS = 0x8180;
/** The name of the question, by pointer. */
const NAME = 0xc00c;

/** @param {string} address */
function bytesOf(address) {
  if (!isIPv6(address)) return Buffer.from(address.split('.').map(Number));
  const [head = '', tail = ''] = address.split('::');
  const groups = (/** @type {string} */ text) => (text === '' ? [] : text.split(':'));
  const middle = Array(8 - groups(head).length - groups(tail).length).fill('0');
  const all = [...groups(head), ...middle, ...groups(tail)];
  return Buffer.from(all.map((group) => group.padStart(4, '0')).join(''), 'hex');
}

/** @param {Buffer} query @param {string[]} addresses */
function response(query, addresses) {
  const end = query.indexOf(0, 12) + 5;
  const header = Buffer.from(query.subarray(0, 12));
  header.writeUInt16BE(FLAGS, 2);
  header.writeUInt16BE(addresses.length, 6);
  header.writeUInt32BE(0, 8);
  const records = addresses.map((address) => {
    const data = bytesOf(address);
    const record = Buffer.alloc(12);
    record.writeUInt16BE(NAME, 0);
    record.writeUInt16BE(isIPv6(address) ? TYPES.AAAA : TYPES.A, 2);
    record.writeUInt16BE(1, 4);
    record.writeUInt32BE(0, 6); // No caching.
    record.writeUInt16BE(data.length, 10);
    return Buffer.concat([record, data]);
  });
  return Buffer.concat([header, query.subarray(12, end), ...records]);
}

/**
 * A DNS server on 127.0.0.1:53 that answers each address query with the current result of `answer`.
 * @param {(type: 'A' | 'AAAA') => string[]} answer addresses of that type
 */
export async function startDns(answer) {
  const socket = createSocket('udp4');
  socket.on('message', (query, { port, address }) => {
    const type = query.readUInt16BE(query.indexOf(0, 12) + 1);
    const name = type === TYPES.A ? 'A' : type === TYPES.AAAA ? 'AAAA' : undefined;
    socket.send(response(query, name ? answer(name) : []), port, address);
  });
  await new Promise((ready) => socket.bind(53, '127.0.0.1', () => ready(undefined)));
  return { close: () => socket.close() };
}
