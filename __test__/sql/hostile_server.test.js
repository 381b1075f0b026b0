import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  completed,
  described,
  failed,
  int32,
  message,
  ready,
  row,
  startFakePostgres,
} from '../helpers/fake_postgres.js';
import { MAX_MB, runAttacks } from '../helpers/run_attacks.js';

/** @typedef {import('../helpers/fake_postgres.js').Script} Script */

const MB = 1 << 20;
const CHUNK = Buffer.alloc(MB, 'x');
const text = described([{ name: 'word', type: 25 }]);

/** Bytes that follow the header of a message. @param {import('../helpers/fake_postgres.js').Answering} to @param {number} count */
async function filler({ send }, count) {
  for (let left = count; left > 0; left -= CHUNK.length) {
    if (!(await send(CHUNK.subarray(0, Math.min(left, CHUNK.length))))) return;
  }
}

/** @param {string} type @param {number} size */
const header = (type, size) => Buffer.concat([Buffer.from(type), int32(size + 4)]);

/** A row with one value of a type. @param {number} type @param {string} value @returns {Script} */
const value =
  (type, value) =>
  ({ send }) =>
    send(Buffer.concat([described([{ name: 'word', type }]), row([value]), completed('SELECT 1'), ready]));

/**
 * What the server does, whether the connection survives it, and the outcome of the call.
 * @type {Record<string, { script: Script, survives: boolean, outcome: object }>}
 */
const SCENARIOS = {
  'a row longer than any string of JavaScript': {
    script: async (to) => {
      const size = 600 * MB;
      await to.send(Buffer.concat([text, header('D', size + 6), Buffer.from([0, 1]), int32(size)]));
      await filler(to, size);
      await to.send(Buffer.concat([completed('SELECT 1'), ready]));
    },
    survives: true,
    outcome: { code: 'ERR_SQL', reason: 'maxBytes' },
  },
  'endless rows until the cancel request': {
    script: async ({ send, isStopped }) => {
      await send(text);
      const rows = Buffer.concat(Array(100).fill(row(['x'.repeat(10_000)])));
      while (!isStopped() && (await send(rows)));
      await send(Buffer.concat([failed('canceling statement due to user request', '57014'), ready]));
    },
    survives: true,
    outcome: { code: 'ERR_SQL', reason: 'maxBytes' },
  },
  'an error of 100 MB': {
    script: async (to) => {
      await to.send(Buffer.concat([header('E', 20 + 100 * MB), Buffer.from('SERROR\0CXX000\0M'.padEnd(20, 'm'))]));
      await filler(to, 100 * MB - 2);
      await to.send(Buffer.concat([Buffer.from([0, 0]), ready]));
    },
    survives: true,
    outcome: { code: 'ERR_SQL', reason: 'database', length: expect.closeTo(2_050, -3) },
  },
  'a flood of notices': {
    script: async (to) => {
      await to.send(text);
      for (let count = 0; count < 100; count += 1) {
        await to.send(Buffer.concat([header('N', MB + 12), Buffer.from('SNOTICE\0Mnn')]));
        await filler(to, MB - 1);
        await to.send(Buffer.from([0, 0]));
      }
      await to.send(Buffer.concat([row(['told']), completed('SELECT 1'), ready]));
    },
    survives: true,
    outcome: { ok: true },
  },
  'invalid JSON': { script: value(114, '{"a":1'), survives: true, outcome: { ok: true } },
  'json nested 100 000 deep': {
    script: value(3802, '['.repeat(100_000) + ']'.repeat(100_000)),
    survives: true,
    outcome: { code: 'ERR_SQL', reason: 'depth' },
  },
  'an array without an end': {
    script: value(1009, '{a,"b'),
    survives: true,
    outcome: { code: 'ERR_SQL', reason: 'value' },
  },
  'an invalid array': { script: value(1007, 'no'), survives: true, outcome: { code: 'ERR_SQL', reason: 'value' } },
  'an array nested 100 000 deep': {
    script: value(1007, '{'.repeat(100_000) + '}'.repeat(100_000)),
    survives: true,
    outcome: { code: 'ERR_SQL', reason: 'depth' },
  },
  'an invalid integer': {
    script: value(20, 'seven'),
    survives: true,
    outcome: { code: 'ERR_SQL', reason: 'value' },
  },
  'a message of unknown type': {
    script: ({ send }) => send(Buffer.concat([text, message('?', 'what')])),
    survives: false,
    outcome: { code: 'ERR_SQL', reason: 'database' },
  },
  'a message of negative length': {
    script: ({ send }) => send(Buffer.concat([text, Buffer.from('D'), int32(-5)])),
    survives: false,
    outcome: { code: 'ERR_SQL', reason: 'database' },
  },
  'a hundred settings of 1 MB': {
    script: async ({ send }) => {
      await send(text);
      for (let count = 0; count < 100; count += 1) {
        if (!(await send(message('S', Buffer.concat([Buffer.from(`x${count}\0`), CHUNK, Buffer.from([0])]))))) return;
      }
      await send(Buffer.concat([row(['told']), completed('SELECT 1'), ready]));
    },
    survives: false,
    outcome: { code: 'ERR_SQL', reason: 'database' },
  },
  'columns described in 100 MB': {
    script: async (to) => {
      await to.send(header('T', 100 * MB));
      await filler(to, 100 * MB);
    },
    survives: false,
    outcome: { code: 'ERR_SQL', reason: 'database' },
  },
  'the connection cut in the middle of a row': {
    script: async ({ socket, send }) => {
      await send(Buffer.concat([text, header('D', 5_000), Buffer.from('abc')]));
      socket.destroy();
    },
    survives: false,
    outcome: { code: 'ERR_SQL', reason: 'database' },
  },
  'the connection reset before any answer': {
    script: ({ socket }) => socket.resetAndDestroy(),
    survives: false,
    outcome: { code: 'ERR_SQL', reason: 'database' },
  },
};

const attacks = Object.keys(SCENARIOS).map((name) => ({
  name,
  sql: `SELECT '${name}'`,
  // Far above the time of any of them, so that none ends by timeout.
  options: { statementTimeoutMs: 60_000 },
}));

describe('a malicious PostgreSQL server', () => {
  /** @type {Awaited<ReturnType<typeof startFakePostgres>>} */
  let server;
  beforeAll(async () => {
    const scripts = Object.entries(SCENARIOS).map(([name, { script }]) => [name, script]);
    server = await startFakePostgres(Object.fromEntries(scripts));
  });
  afterAll(() => server.stop());

  it.each(['pg pool', 'postgres.js', 'knex over pg'])('%s: fails only the call', async (source) => {
    server.received.length = 0;
    const outcomes = await runAttacks(source, { postgres: server.port }, attacks);
    expect(outcomes.map(({ attack }) => attack)).toEqual(Object.keys(SCENARIOS));
    for (const outcome of outcomes) {
      expect(outcome, outcome.attack).toMatchObject({ ...SCENARIOS[outcome.attack]?.outcome, next: GOOD });
      expect(outcome.pool, outcome.attack).toEqual(source === 'postgres.js' ? 'unknown' : { busy: 0, waiting: 0 });
      expect(outcome.peakMb, outcome.attack).toBeLessThanOrEqual(MAX_MB);
      // Postgres.js alternates between its connections.
      if (source === 'postgres.js') continue;
      const at = server.received.findIndex(({ sql }) => sql.includes(`'${outcome.attack}'`));
      const next = server.received.slice(at).find(({ sql }) => sql.includes("'fine'"));
      const survived = server.received[at]?.connection === next?.connection;
      expect(survived, outcome.attack).toBe(SCENARIOS[outcome.attack]?.survives);
    }
  });
});

const GOOD = JSON.stringify([{ word: 'fine' }]);
