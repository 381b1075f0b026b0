/**
 * A compromised worker: it uses the protocol of `tgp-sandbox`, and makes the attack that the argument `mad` of its run names.
 * Tests replace `tgp-sandbox` by it (see `compromised_workers.js`), to show what an exploit of V8 can do to a host.
 */

import { closeSync, readSync, writeSync } from 'node:fs';

const STDIN = 0;
const STDOUT = 1;
const DEEP = 1_000_000;

const varint = (/** @type {number} */ value) => {
  const bytes = [];
  for (let rest = BigInt(value); ; rest >>= 7n) {
    if (rest < 128n) return Buffer.from([...bytes, Number(rest)]);
    bytes.push(Number(rest & 127n) | 128);
  }
};
const blob = (/** @type {string | Buffer} */ content) => {
  const bytes = Buffer.from(content);
  return Buffer.concat([varint(bytes.length), bytes]);
};
const float = (/** @type {number} */ value) => {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(value);
  return bytes;
};
const frame = (/** @type {Buffer[]} */ ...parts) => {
  const body = Buffer.concat(parts);
  const head = Buffer.alloc(4);
  head.writeUInt32LE(body.length);
  return Buffer.concat([head, body]);
};

const VALUE = 0;
const THROWN = 1;
const ready = () => frame(varint(0), ...Array(8).fill(varint(0)), varint(7));
const compiled = () => frame(varint(1), varint(1), blob('bytecode'));
const started = (/** @type {number} */ run) => frame(varint(2), varint(run));
const log = (/** @type {number} */ run, /** @type {string} */ text) =>
  frame(varint(3), varint(run), varint(2), blob(text));
const call = (
  /** @type {number} */ run,
  /** @type {number} */ id,
  /** @type {string} */ name,
  /** @type {string} */ args,
) => frame(varint(4), varint(run), varint(id), blob(name), blob(args));
const ended = (/** @type {number} */ run, /** @type {Buffer} */ end, /** @type {number} */ cpu, stack = '') =>
  frame(varint(5), varint(run), end, ...[cpu, 0, 1, 0].map(float), varint(0), varint(0), blob(stack), varint(0));
const WORKS = 0;
const WAITS = 1;
const rests = (/** @type {number} */ run, /** @type {number} */ rest) => frame(varint(6), varint(run), varint(rest));
const done = (/** @type {number} */ run, /** @type {string | Buffer} */ json, cpu = 1) =>
  ended(run, Buffer.concat([varint(VALUE), blob(json)]), cpu);
const thrown = (/** @type {number} */ run, /** @type {string} */ text) =>
  ended(run, Buffer.concat([varint(THROWN), blob(text), blob(text), blob(text), varint(1), blob(text)]), 1, text);

/** @param {Buffer} bytes */
function send(bytes) {
  for (let sent = 0; sent < bytes.length; ) {
    try {
      sent += writeSync(STDOUT, bytes, sent);
    } catch (error) {
      if (/** @type {any} */ (error).code !== 'EAGAIN') process.exit(0);
    }
  }
}

let input = Buffer.alloc(0);

/** Reads the next command, or ends with the host. */
function receive() {
  for (;;) {
    if (input.length >= 4 && input.length >= 4 + input.readUInt32LE()) {
      const end = 4 + input.readUInt32LE();
      const body = input.subarray(4, end);
      input = input.subarray(end);
      return body;
    }
    const room = Buffer.alloc(1 << 16);
    const read = readSync(STDIN, room);
    if (read === 0) process.exit(0);
    input = Buffer.concat([input, room.subarray(0, read)]);
  }
}

/** @param {Buffer} body */
function reader(body) {
  let place = 0;
  const number = () => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = body[place++] ?? 0;
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return Number(value);
    }
  };
  const text = () => {
    const length = number();
    place += length;
    return body.toString('utf8', place - length, place);
  };
  const skip = (/** @type {number} */ bytes) => {
    place += bytes;
  };
  return { number, text, skip };
}

/** Number and arguments of a run; `undefined` for every other command. */
function runOf(/** @type {Buffer} */ body) {
  const { number, text, skip } = reader(body);
  if (number() !== 0) return undefined;
  const run = number();
  text();
  for (let modules = number(); modules > 0; modules--) {
    text();
    number();
    if (number() === 0) text();
    else skip(32);
    if (number() === 1) text();
    for (let links = number(); links > 0; links--) {
      text();
      text();
    }
  }
  return { run, args: JSON.parse(text()) };
}

const deep = (/** @type {string} */ open, /** @type {string} */ close, levels = DEEP) =>
  open.repeat(levels) + close.repeat(levels);
const forever = (/** @type {(n: number) => void} */ step) => {
  for (let n = 0; ; n++) step(n);
};
const sleep = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);

/** Its attacks. If one returns, the run ends normally. */
const ATTACKS = /** @type {Record<string, (run: number, args: any) => void>} */ ({
  garbage: () => send(Buffer.from(Array.from({ length: 4096 }, (_, i) => (i * 2654435761) >>> 24))),
  'a huge length': () => send(Buffer.from([255, 255, 255, 255, 1, 2, 3])),
  'a length of 1 GB': () => {
    send(Buffer.from([0, 0, 0, 64]));
    forever(() => send(Buffer.alloc(1 << 20, 65)));
  },
  'half a frame and the end': (run) => {
    send(done(run, '1').subarray(0, 7));
    process.exit(0);
  },
  'half a frame and silence': (run) => {
    send(done(run, '1').subarray(0, 7));
    sleep();
  },
  'a frame byte by byte': (run) => {
    send(started(run));
    for (const byte of log(run, 'slow')) send(Buffer.from([byte]));
  },
  'ready again': () => send(ready()),
  'endless ready messages': () => forever(() => send(ready())),
  'bytecode that was not requested': () => send(compiled()),
  'the end of another run': (run) => send(done(run + 1, '1')),
  'the end twice': (run) => send(Buffer.concat([done(run, '1'), done(run, '2')])),
  'the start twice': (run) => send(Buffer.concat([started(run), started(run)])),
  'the start of another run': (run) => send(started(run + 1)),
  'a call before the start': (run) => send(call(run, 1, 'effect', '[]')),
  'a call after the end': (run) => send(Buffer.concat([started(run), done(run, '1'), call(run, 1, 'effect', '[]')])),
  'endless log lines': (run) => {
    send(started(run));
    const lines = Buffer.concat(Array.from({ length: 1000 }, () => log(run, '')));
    forever(() => send(lines));
  },
  'endless switches between waiting and working': (run) => {
    send(started(run));
    forever(() => send(Buffer.concat([rests(run, WAITS), rests(run, WORKS)])));
  },
  'a log line that is too long': (run) => send(Buffer.concat([started(run), log(run, 'x'.repeat(1 << 20))])),
  'a log in invalid UTF-8': (run) => {
    send(started(run));
    send(frame(varint(3), varint(run), varint(2), blob(Buffer.from([255, 254, 253]))));
  },
  'endless calls without reading the answers': (run) => {
    send(started(run));
    forever((n) => send(call(run, n % 2 ** 31, 'read_file', '["tools/big.json"]')));
  },
  'endless calls to the application': (run) => {
    send(started(run));
    forever((n) => send(call(run, n % 2 ** 31, 'never', '[]')));
  },
  'large answers that are never read': (run) => {
    send(started(run));
    for (let n = 0; n < 30; n++) send(call(run, n, 'large', '[]'));
    sleep();
  },
  'arguments that are too long': (run) =>
    send(Buffer.concat([started(run), call(run, 1, 'effect', `["${'x'.repeat(5 << 20)}"]`)])),
  'many large calls in flight': (run) => {
    send(started(run));
    for (let n = 0; n < 60; n++) send(call(run, n, 'never', `["${'x'.repeat(4_000_000)}"]`));
    sleep();
  },
  'a function name of a megabyte': (run) =>
    send(Buffer.concat([started(run), call(run, 1, 'x'.repeat(1 << 20), '[]')])),
  'functions of the kernel itself': (run) => {
    send(started(run));
    for (const [n, name] of ['#bundle', '#types', '', '#', 'constructor', '__proto__'].entries()) {
      send(call(run, n, name, '["./package.json"]'));
      receive();
    }
  },
  'arguments a million levels deep': (run) => {
    send(started(run));
    const names = [
      'read_file',
      'write_file',
      'list_files',
      'exec_tool',
      '#fetch',
      '#fetch_abort',
      '#require',
      'effect',
    ];
    for (const [n, name] of names.entries()) {
      send(call(run, n, name, `["tools/good.ts",${deep('[', ']')}]`));
      receive();
      send(call(run, n, name, deep('[{"a":', '}]', DEEP / 4).replace(':}', ':0}')));
      receive();
    }
  },
  'arguments a million elements wide': (run) => {
    send(started(run));
    const wide = `[${'0,'.repeat(1_900_000)}0]`;
    for (const [n, name] of ['read_file', 'write_file', 'exec_tool', '#fetch', '#require'].entries()) {
      send(call(run, n, name, `["/tmp/x",${wide}]`));
      receive();
      send(call(run, n, name, `[{"token":1,"url":"http://x","x":${wide}}]`));
      receive();
    }
  },
  'arguments that are not JSON': (run) => {
    send(started(run));
    for (const [n, args] of ['', '[', '{}', 'null', '["a"', '[1', '"\ud800"', '\0'].entries()) {
      for (const name of ['read_file', 'exec_tool', '#fetch', '#require', '#fetch_abort']) {
        send(call(run, n, name, args));
        receive();
      }
    }
  },
  'a result that is not JSON': (run) => send(done(run, '{"a":')),
  'a result in invalid UTF-8': (run) => send(done(run, Buffer.from([34, 255, 254, 34]))),
  'a result a million levels deep': (run) => send(done(run, deep('[', ']'))),
  'objects a million levels deep': (run) => send(done(run, deep('{"a":', '}').replace(':}', ':0}'))),
  'a result of a million arrays': (run) => send(done(run, `[${'[],'.repeat(2_500_000)}0]`)),
  'a result that is too long': (run) => send(done(run, `"${'x'.repeat(9 << 20)}"`)),
  'figures that are not numbers': (run) => send(done(run, '1', Number.NaN)),
  'an error of megabytes': (run) => send(thrown(run, `Error: x\n    at f (tools/run.ts:1:1)\n`.repeat(15_000))),
  silence: () => sleep(),
  'the exit code for no memory': (run) => {
    send(started(run));
    process.exit(71);
  },
  'the exit code for a fatal error': (run) => {
    send(started(run));
    process.exit(72);
  },
  'any exit code': (run) => {
    send(started(run));
    process.exit(3);
  },
  'a fatal signal': (run) => {
    send(started(run));
    process.kill(process.pid, 'SIGSEGV');
    sleep();
  },
  'a kill': (run) => {
    send(started(run));
    process.kill(process.pid, 'SIGKILL');
    sleep();
  },
  'a forbidden system call': (run) => {
    send(started(run));
    process.kill(process.pid, 'SIGSYS');
    sleep();
  },
  'a closed pipe': (run) => {
    send(started(run));
    closeSync(STDOUT);
    sleep();
  },
  'an invalid message after the start': (run) => send(Buffer.concat([started(run), Buffer.from([255, 255, 255, 255])])),
});

send(ready());
for (;;) {
  const command = runOf(receive());
  if (command === undefined) continue;
  const { run, args } = command;
  ATTACKS[args.mad]?.(run, args);
  send(done(run, '"good"'));
}
