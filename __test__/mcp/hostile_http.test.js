import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { serveMcp } from '../../dist/mcp.js';
import { createKernel } from '../helpers/create_kernel.js';
import { MAX_EXTRA_MB } from '../helpers/host_cost.js';
import { mcpProcess, sendRaw } from '../helpers/mcp_process.js';

const HOST = 'Host: 127.0.0.1\r\n';
const POST = `POST /mcp HTTP/1.1\r\n${HOST}Accept: application/json, text/event-stream\r\nContent-Type: application/json\r\n`;
const withLength = (body) => `${POST}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
const nested = (depth) => `${'['.repeat(depth)}${']'.repeat(depth)}`;

/** Invalid requests, and the status codes that they may get; an empty list is a closed connection. */
const REQUESTS = {
  'a path that is not a URL': [`GET // HTTP/1.1\r\n${HOST}\r\n`, [404]],
  'more slashes': [`GET ///// HTTP/1.1\r\n${HOST}\r\n`, [404]],
  'a scheme without a host': [`GET http:// HTTP/1.1\r\n${HOST}\r\n`, [404]],
  'an absolute form': [`GET http://evil.example/mcp HTTP/1.1\r\n${HOST}\r\n`, [404]],
  'an invalid port': [`GET http://a:99999/ HTTP/1.1\r\n${HOST}\r\n`, [404]],
  'an asterisk': [`OPTIONS * HTTP/1.1\r\n${HOST}\r\n`, [404]],
  'broken escapes': [`GET /%zz%00%ff HTTP/1.1\r\n${HOST}\r\n`, [404]],
  'a path that only resolves to the right one': [`GET /x/../mcp HTTP/1.1\r\n${HOST}\r\n`, [404]],
  'no Host': ['GET /mcp HTTP/1.1\r\n\r\n', [400]],
  'an empty Host': ['GET /mcp HTTP/1.1\r\nHost:\r\n\r\n', [403]],
  'an invalid Host': ['GET /mcp HTTP/1.1\r\nHost: [::1\r\n\r\n', [403]],
  'two Hosts': [`GET /mcp HTTP/1.1\r\n${HOST}Host: evil.example\r\n\r\n`, [400, 403]],
  'an Origin that is not a URL': [`GET /mcp HTTP/1.1\r\n${HOST}Origin: ://\r\n\r\n`, [403]],
  'HTTP/1.0 without a Host': ['GET /mcp HTTP/1.0\r\n\r\n', [403]],
  'HTTP/2': ['PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', [400, 505]],
  'an unknown version': [`GET /mcp HTTP/9.9\r\n${HOST}\r\n`, [400, 505]],
  CONNECT: [`CONNECT evil.example:443 HTTP/1.1\r\n${HOST}\r\n`, []],
  'an upgrade': [`GET /mcp HTTP/1.1\r\n${HOST}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n`, [400]],
  'an unknown method': [`BREW /mcp HTTP/1.1\r\n${HOST}\r\n`, [400]],
  'a session and an odd method': [`PATCH /mcp HTTP/1.1\r\n${HOST}Mcp-Session-Id: x\r\n\r\n`, [404]],
  'a header of 100 kB': [`GET /mcp HTTP/1.1\r\n${HOST}X: ${'x'.repeat(100_000)}\r\n\r\n`, [431]],
  'ten thousand headers': [`GET /mcp HTTP/1.1\r\n${HOST}${'X: y\r\n'.repeat(10_000)}\r\n`, [431]],
  'a NUL in a header': [`GET /mcp HTTP/1.1\r\n${HOST}X: a\0b\r\n\r\n`, [400]],
  'a folded header': [`GET /mcp HTTP/1.1\r\n${HOST}X: a\r\n b\r\n\r\n`, [400]],
  'a TLS handshake': ['\x16\x03\x01\x02\x00\x01\x00', [400]],
  'lengths that disagree': [`${POST}Content-Length: 3\r\nContent-Length: 5\r\n\r\nabcde`, [400]],
  'a length and chunks': [`${POST}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`, [400]],
  'a negative length': [`${POST}Content-Length: -1\r\n\r\n`, [400]],
  'a length that does not fit a number': [`${POST}Content-Length: 99999999999999999999\r\n\r\n{}`, [400, 413]],
  'chunks of garbage': [`${POST}Transfer-Encoding: chunked\r\n\r\nZZZ\r\nabc\r\n`, [400]],
  'an unknown expectation': [`${POST}Expect: miracle\r\nContent-Length: 2\r\n\r\n{}`, [417]],
  'an empty body': [withLength(''), [400]],
  'a body that is not JSON': [withLength('{'), [400]],
  'a body that is null': [withLength('null'), [400]],
  'a body of bytes': [withLength('\0\xff\xfe'), [400]],
  'a body that is a number': [withLength('1e999'), [400]],
  'a body nested a million levels deep': [withLength(nested(1_000_000)), [400]],
  'an "initialize" with deeply nested parameters': [
    withLength(`{"method":"initialize","params":${nested(400_000)}}`),
    [400],
  ],
  'an "initialize" without parameters': [withLength('{"method":"initialize"}'), [400]],
  'a prototype': [withLength('{"__proto__":{"method":"initialize"},"jsonrpc":"2.0","id":1}'), [400]],
  'a batch of ten thousand': [withLength(`[${'{},'.repeat(9999)}{}]`), [400]],
  'a body that is too large': [withLength(JSON.stringify('x'.repeat(5 << 20))), [413]],
  'a chunked body that is too large': [
    `${POST}Transfer-Encoding: chunked\r\n\r\n${`10000\r\n${'x'.repeat(0x10000)}\r\n`.repeat(80)}`,
    [413],
  ],
  'a hundred pipelined requests': [`GET / HTTP/1.1\r\n${HOST}\r\n`.repeat(100), [404]],
  'garbage after the body': [`${withLength('{}')}garbage\r\n\r\n`, [400]],
};

test('every invalid request ends with a response or a closed connection, and the server continues', async () => {
  const { port, initialize, peakMb, residentMb } = await mcpProcess();
  await initialize();
  const idle = residentMb();
  for (const [name, [request, allowed]] of Object.entries(REQUESTS)) {
    const { statuses, closed } = await sendRaw(port, [Buffer.from(String(request), 'latin1')]);
    expect(closed, name).toBe(true);
    for (const status of statuses) expect(allowed, name).toContain(status);
  }
  await initialize();
  expect(peakMb() - idle).toBeLessThan(MAX_EXTRA_MB);
});

test('a body of very many values does not block other requests', async () => {
  const { post, initialize, peakMb, residentMb } = await mcpProcess();
  const headers = { 'mcp-session-id': await initialize(), 'mcp-protocol-version': '2025-06-18' };
  const idle = residentMb();
  const many = Object.fromEntries(Array.from({ length: 400_000 }, (_, index) => [index.toString(36), 1]));
  for (const message of [
    { jsonrpc: '2.0', id: 1, method: 'ping', params: { _meta: many } },
    { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_files', arguments: many } },
    { jsonrpc: '2.0', id: 1, result: many },
    many,
  ]) {
    const response = await post(message, headers);
    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining('50000 values')]);
  }
  expect(peakMb() - idle).toBeLessThan(MAX_EXTRA_MB);
});

test('a body in chunks of one byte takes no more memory than another', async () => {
  const { port, initialize, peakMb, residentMb } = await mcpProcess();
  await initialize();
  const idle = residentMb();
  const body = `${'1\r\nx\r\n'.repeat(700_000)}0\r\n\r\n`;
  const sent = await sendRaw(port, [`${POST}Transfer-Encoding: chunked\r\n\r\n${body}`], { waitMs: 25_000 });
  expect(sent.statuses).toEqual([400]);
  expect(peakMb() - idle).toBeLessThan(MAX_EXTRA_MB);
});

/** Reproducible random numbers. */
function seededRandom(seed) {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state >>> 8) % below;
  };
}

test('random requests end with a response or a closed connection', async () => {
  const { port, initialize, died } = await mcpProcess();
  const next = seededRandom(2);
  const pick = (all) => all[next(all.length)];
  const bytes = (most) => Buffer.from(Array.from({ length: next(most) }, () => next(256))).toString('latin1');
  const LINES = ['GET', 'POST', 'DELETE', 'PUT', 'HEAD', 'CONNECT', 'OPTIONS', 'TRACE', 'get', '', '\0'];
  const PLACES = [
    '/mcp',
    '//',
    '/',
    '*',
    'http://',
    '/mcp?',
    '//mcp',
    '/mcp#x',
    'mcp',
    '/%',
    'http://127.0.0.1/mcp',
    '\\',
    ':80',
  ];
  const HEADERS = [
    HOST,
    'Host: localhost\r\n',
    'Host: \r\n',
    'Host: %\r\n',
    'Accept: application/json, text/event-stream\r\n',
    'Content-Type: application/json\r\n',
    'Content-Length: 2\r\n',
    'Content-Length: 9999\r\n',
    'Transfer-Encoding: chunked\r\n',
    'Transfer-Encoding: gzip, chunked\r\n',
    'Connection: close\r\n',
    'Connection: upgrade\r\nUpgrade: h2c\r\n',
    'Expect: 100-continue\r\n',
    'Mcp-Session-Id: x\r\n',
    'Mcp-Protocol-Version: 1\r\n',
    'Origin: null\r\n',
    'Origin: http://[\r\n',
    'Authorization: Bearer \r\n',
    ': \r\n',
    'X\r\n',
  ];
  const BODIES = [
    '',
    '{}',
    '[]',
    '0\r\n\r\n',
    '2\r\n{}\r\n0\r\n\r\n',
    'ffffffffffff\r\n',
    '{"jsonrpc":"2.0","id":1,"method":"initialize"}',
    nested(2000),
  ];
  const request = () => {
    const headers = Array.from({ length: next(7) }, () => pick(HEADERS)).join('');
    const text = `${pick(LINES)} ${pick(PLACES)} HTTP/1.${next(3)}\r\n${next(3) ? HOST : ''}${headers}\r\n${pick(BODIES)}`;
    if (next(4) > 0) return text;
    const at = next(text.length);
    return text.slice(0, at) + bytes(6) + text.slice(at + next(4));
  };
  for (let round = 0; round < 40; round++) {
    const sent = Array.from({ length: 25 }, () => {
      const parts = Array.from({ length: 1 + next(3) }, () => Buffer.from(request(), 'latin1'));
      return sendRaw(port, parts, { destroy: next(5) === 0 });
    });
    for (const { statuses, closed } of await Promise.race([Promise.all(sent), died])) {
      expect(closed).toBe(true);
      for (const status of statuses) expect(String(status)).toMatch(/^(?:[24]\d\d|100|503|505)$/);
    }
  }
  await initialize();
});

test('connections that are aborted at any byte leak no memory', async () => {
  const { port, initialize, post, residentMb, peakMb } = await mcpProcess();
  const id = await initialize();
  const idle = residentMb();
  const call = { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'list_files', arguments: { dir: '.' } } };
  const text = withLength(JSON.stringify(call)).replace('\r\n\r\n', `\r\nMcp-Session-Id: ${id}\r\n\r\n`);
  for (let round = 0; round < 10; round++) {
    const cuts = Array.from({ length: 40 }, (_, index) =>
      sendRaw(port, [text.slice(0, Math.ceil((text.length * (index + 1)) / 40))], { destroy: true }),
    );
    await Promise.all(cuts);
  }
  expect((await post(call, { 'mcp-session-id': id })).status).toBe(200);
  expect(peakMb() - idle).toBeLessThan(MAX_EXTRA_MB);
});

describe('with limits', () => {
  test('slow requests and idle connections are cut off', async () => {
    const { port, initialize } = await mcpProcess({ limits: { headersMs: 400, requestMs: 800 } });
    const slow = [
      sendRaw(port, [], { end: false, waitMs: 10_000 }),
      sendRaw(port, [`GET /mcp HTTP/1.1\r\n${HOST}X: `], { end: false, waitMs: 10_000 }),
      sendRaw(port, [`${POST}Content-Length: 100\r\n\r\n{`], { end: false, waitMs: 10_000 }),
    ];
    for (const { closed } of await Promise.all(slow)) expect(closed).toBe(true);
    await initialize();
  });

  test('the number of connections is limited, and the server recovers when they close', async () => {
    const { port, initialize } = await mcpProcess({ limits: { connections: 8, headersMs: 60_000 } });
    const sockets = Array.from({ length: 40 }, () => connect(port, '127.0.0.1').on('error', () => {}));
    const open = () => sockets.filter((socket) => !socket.destroyed && socket.readable).length;
    await expect.poll(open, { timeout: 10_000 }).toBeLessThanOrEqual(8);
    for (const socket of sockets) socket.destroy();
    await expect.poll(() => initialize().catch(() => undefined), { timeout: 10_000 }).toEqual(expect.any(String));
  });

  test('all bodies together do not exceed limits.allBodiesBytes', async () => {
    const bodyBytes = 1 << 20;
    const { port, initialize } = await mcpProcess({ limits: { bodyBytes, allBodiesBytes: 2 * bodyBytes } });
    const most = `${POST}Content-Length: ${bodyBytes}\r\n\r\n${'x'.repeat(bodyBytes - 1)}`;
    /** @type {import('node:net').Socket[]} */
    let sockets = [];
    /** @type {unknown[]} */
    let statuses = [];
    // A third that arrives before both bodies are buffered takes the room of one of them.
    for (let waitMs = 300; waitMs < 6_000; waitMs *= 2) {
      for (const socket of sockets) socket.destroy();
      sockets = Array.from({ length: 2 }, () => connect(port, '127.0.0.1').on('error', () => {}));
      for (const socket of sockets) socket.write(most);
      await sleep(waitMs);
      // A client whose connection is reset while it still sends may not receive the response.
      ({ statuses } = await sendRaw(port, [most]));
      if (statuses[0] === 503) break;
    }
    expect(statuses).toEqual([503]);
    // A body that is only announced takes no room.
    const announcing = Array.from({ length: 20 }, () => connect(port, '127.0.0.1').on('error', () => {}));
    for (const socket of announcing) socket.write(`${POST}Content-Length: ${bodyBytes}\r\n\r\n{`);
    sockets[0]?.destroy();
    await expect.poll(() => initialize().catch(() => undefined), { timeout: 10_000 }).toEqual(expect.any(String));
    for (const socket of announcing) socket.destroy();
    for (const socket of sockets) socket.destroy();
    await expect.poll(() => initialize().catch(() => undefined), { timeout: 10_000 }).toEqual(expect.any(String));
  });

  test('100 Continue is sent only when the body will be accepted', async () => {
    const { port } = await mcpProcess();
    const expecting = (length, headers = HOST) =>
      `POST /mcp HTTP/1.1\r\n${headers}Expect: 100-continue\r\nContent-Length: ${length}\r\n\r\n`;
    expect((await sendRaw(port, [expecting(9 << 20)])).statuses).not.toContain(100);
    expect((await sendRaw(port, [expecting(2, 'Host: evil.example\r\n')])).statuses).toEqual([403]);
    expect((await sendRaw(port, [expecting(2), '{}'])).statuses).toEqual([100, 400]);
  });

  test('the number of sessions is limited', async () => {
    const { initialize, peakMb, residentMb } = await mcpProcess({ limits: { sessions: 16 } });
    for (let n = 0; n < 20; n++) await initialize();
    const idle = residentMb();
    for (let round = 0; round < 6; round++) await Promise.all(Array.from({ length: 16 }, initialize));
    expect(peakMb() - idle).toBeLessThan(MAX_EXTRA_MB);
  });

  test('an unknown or invalid limit is refused by its name', async () => {
    const { kernel } = await createKernel();
    for (const [limits, field] of [
      [{ bodies: 1 }, 'limits.bodies'],
      [{ bodyBytes: -1 }, 'limits.bodyBytes'],
      [{ sessions: '5' }, 'limits.sessions'],
    ]) {
      const refused = serveMcp(kernel, { limits: /** @type {any} */ (limits) });
      await expect(refused).rejects.toMatchObject({ code: 'ERR_VALIDATION', details: { field } });
    }
  });
});

test('a body full of small objects does not exhaust memory', async () => {
  const { initialize, post, residentMb, peakMb } = await mcpProcess();
  const id = await initialize();
  const idle = residentMb();
  const args = { path: 'tools/none.ts', args: { list: Array.from({ length: 49_000 }, () => ({})) } };
  const call = { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'exec_tool', arguments: args } };
  const response = await post(call, { 'mcp-session-id': id });
  expect(response.status).toBe(200);
  expect(await response.text()).toContain('"isError":true');
  expect(peakMb() - idle).toBeLessThan(MAX_EXTRA_MB);
});

test('thousands of initialized notifications add one listener', async () => {
  const { initialize, post, residentMb, peakMb } = await mcpProcess();
  const id = await initialize();
  const ready = Array.from({ length: 100 }, () => ({ jsonrpc: '2.0', method: 'notifications/initialized' }));
  const idle = residentMb();
  for (let round = 0; round < 20; round++) {
    expect((await post(ready, { 'mcp-session-id': id })).status).toBe(202);
  }
  // Each listener would scan the files every two seconds.
  await sleep(2_500);
  const begun = performance.now();
  expect((await post({ jsonrpc: '2.0', id: 2, method: 'tools/list' }, { 'mcp-session-id': id })).status).toBe(200);
  expect(performance.now() - begun).toBeLessThan(5_000);
  expect(peakMb() - idle).toBeLessThan(MAX_EXTRA_MB);
});
