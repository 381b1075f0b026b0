import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import { TGP } from '../../index.js';
import { CLI } from '../../tools/run_cli.mjs';
import { MAX_EXTRA_MB } from '../helpers/host_cost.js';
import { tempRoot } from '../helpers/temp_root.js';

/** A process with `tgp mcp`, and its messages. */
async function server() {
  const folder = await tempRoot();
  await writeFile(join(folder, 'tgp.config.json'), '{}');
  const kernel = new TGP({ configFile: join(folder, 'tgp.config.json') });
  await kernel.boot();
  await kernel.shutdown();
  const child = spawn(process.execPath, [CLI, 'mcp'], { cwd: folder, stdio: ['pipe', 'pipe', 'ignore'] });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  child.stdin.on('error', () => {});
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const megabytes = (key) =>
    Number(new RegExp(`${key}:\\s+(\\d+)`).exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) / 1024;
  const nextMessage = async () => JSON.parse((await lines.next()).value);
  let last = 0;
  return {
    child,
    nextMessage,
    peakMb: () => megabytes('VmHWM'),
    residentMb: () => megabytes('VmRSS'),
    write: (text) => new Promise((resolve) => child.stdin.write(text, resolve)),
    request: async (method, params = {}) => {
      last += 1;
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: last, method, params })}\n`);
      for (;;) {
        const message = await nextMessage();
        if (message.id === last) return message;
      }
    },
  };
}

const CLIENT = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'raw', version: '1' } };

test('lines that are not messages get an error, and the server continues', async () => {
  const { nextMessage, write, request } = await server();
  expect(await request('initialize', CLIENT)).toMatchObject({ result: { serverInfo: { name: 'tgp' } } });
  const deep = `${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}`;
  for (const [line, code] of [
    ['garbage', -32700],
    ['{"jsonrpc":"2.0"', -32700],
    ['\0\0\0', -32700],
    ['"text"', -32600],
    ['null', -32600],
    ['[]', -32600],
    ['{"__proto__":null}', -32600],
    [deep, -32700],
    [`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"x","arguments":{"a":${deep}}}}`, -32700],
    [Buffer.from([0xff, 0xfe, 0xfd]), -32700],
  ]) {
    await write(line);
    await write('\n');
    expect(await nextMessage(), String(line).slice(0, 60)).toMatchObject({ id: null, error: { code } });
  }
  await write('\n\r\n  \n');
  expect(await request('ping')).toMatchObject({ result: {} });
  expect(await request('tools/call', { name: 'read_file', arguments: { path: [[[]]] } })).toMatchObject({
    result: { isError: true },
  });
});

test('an endless line is dropped without exhausting memory', async () => {
  const { nextMessage, write, request, residentMb, peakMb } = await server();
  await request('initialize', CLIENT);
  const idle = residentMb();
  const megabyte = Buffer.alloc(1 << 20, 'x');
  for (let n = 0; n < 300; n++) await write(megabyte);
  await write('\n');
  expect(await nextMessage()).toMatchObject({ id: null, error: { code: -32600 } });
  expect(await request('ping')).toMatchObject({ result: {} });
  expect(peakMb() - idle).toBeLessThan(MAX_EXTRA_MB);
});

test('the server stops reading from a client that does not read its responses', async () => {
  const { child, request, residentMb, peakMb } = await server();
  await request('initialize', CLIENT);
  const idle = residentMb();
  child.stdout.pause();
  const message = `${JSON.stringify({ jsonrpc: '2.0', id: 'x'.repeat(1000), method: 'tools/list' })}\n`;
  const flood = message.repeat(2000);
  for (let n = 0; n < 40; n++) child.stdin.write(flood);
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  expect(peakMb() - idle).toBeLessThan(MAX_EXTRA_MB);
  // Most of the input is still buffered here.
  expect(child.stdin.writableLength).toBeGreaterThan(20 * flood.length);
});

test('the server exits with code 0 when its client disconnects', async () => {
  for (const disconnect of [(child) => child.stdin.end(), (child) => child.stdout.destroy()]) {
    const { child, request } = await server();
    await request('initialize', CLIENT);
    const exited = once(child, 'exit');
    disconnect(child);
    child.stdin.write('{"jsonrpc":"2.0","id":9,"method":"tools/list"}\n');
    child.stdin.write('{"jsonrpc":"2.0","id":10,"method":"tools/list"}\n');
    expect(await exited).toEqual([0, null]);
  }
});
