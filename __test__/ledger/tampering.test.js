/** Whatever is done to the record is found, at the first place that is not as it was written. */

import { execFileSync } from 'node:child_process';
import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TGP, tgpTools } from '../../index.js';
import { git } from '../helpers/git_remote.js';
import { howOften } from '../helpers/how_often.js';
import { editLedger, exported, ledgerFile, ledgerFiles, ledgerFolder, sha256 } from '../helpers/ledger.js';
import { runCli } from '../helpers/run_cli.js';
import { tempRoot } from '../helpers/temp_root.js';

/** An event in the middle, and one after which nothing is left but the end. */
const MIDDLE = 12;
const silent = { debug() {}, info() {}, warn() {}, error() {} };

/** @type {string} a workspace that nobody touches: each test works on a copy */
let original;
/** How it was after some of its events. @type {string} */
let older;
let events = 0;

/** @param {string} folder */
const open = (folder) =>
  new TGP({
    config: { rootDir: join(folder, '.tgp'), sandbox: { warm: 0 }, ledger: { checkpointEvents: 5 } },
    logger: silent,
  });

beforeAll(async () => {
  const { mkdtemp } = await import('node:fs/promises');
  const { tmpdir } = await import('node:os');
  original = await mkdtemp(join(tmpdir(), 'tgp-test-ledger-'));
  older = await mkdtemp(join(tmpdir(), 'tgp-test-ledger-'));
  const use = async (/** @type {number} */ from) => {
    const kernel = open(original);
    const tools = tgpTools(kernel, { session: 's' });
    for (let n = from; n < from + 5; n++) {
      await tools.write_file.execute({ path: `tools/t${n}.ts`, content: `return ${n}` });
      await tools.read_file.execute({ path: `tools/t${n}.ts` });
    }
    await kernel.ledger.append({ large: 'large '.repeat(2_000) });
    ({ length: events } = await kernel.ledger.query({ limit: 10_000 }));
    await kernel.shutdown();
  };
  await use(0);
  await cp(original, older, { recursive: true });
  await use(5);
});

afterAll(async () => {
  for (const folder of [original, older]) await rm(folder, { recursive: true, force: true });
});

/** A copy that an attacker has for himself. */
async function copied() {
  const folder = await tempRoot();
  await cp(original, folder, { recursive: true });
  return { folder, root: join(folder, '.tgp') };
}

/** @param {string} folder */
async function verified(folder) {
  const kernel = open(folder);
  try {
    return await kernel.ledger.verify();
  } finally {
    await kernel.shutdown();
  }
}

/** @param {import('better-sqlite3').Database} database */
const columnsOf = (database) =>
  /** @type {string[]} */ (database.pragma('table_info(events)').map((/** @type {any} */ { name }) => name));

test('what nobody touched is whole, before and after it is used again', async () => {
  const { folder } = await copied();
  expect(await verified(folder)).toMatchObject({ ok: true, head: expect.stringMatching(/^[0-9a-f]{64}$/) });
  const again = await verified(folder);
  expect(again).not.toHaveProperty('problem');
  expect(again.events).toBeGreaterThan(events);
});

describe('events', () => {
  test('a value that was changed, in any column', async () => {
    const { root } = await copied();
    /** @type {string[]} */
    let columns = [];
    editLedger(root, (database) => {
      columns = columnsOf(database);
    });
    expect(columns.length).toBeGreaterThan(2);
    for (const column of columns.filter((name) => name !== 'seq')) {
      const { folder, root: own } = await copied();
      editLedger(own, (database) => {
        const { value } = /** @type {any} */ (
          database.prepare(`SELECT "${column}" AS value FROM events WHERE seq = ?`).get(MIDDLE)
        );
        database.prepare(`UPDATE events SET "${column}" = ? WHERE seq = ?`).run(another(value), MIDDLE);
      });
      expect(await verified(folder), column).toMatchObject({ ok: false, problem: { kind: 'changed', seq: MIDDLE } });
    }
  });

  test('a name that events share', async () => {
    const { folder, root } = await copied();
    let first = 0;
    editLedger(root, (database) => {
      const { id } = /** @type {any} */ (database.prepare("SELECT id FROM names WHERE text = 'tools/t3.ts'").get());
      ({ first } = /** @type {any} */ (
        database.prepare('SELECT min(seq) AS first FROM events WHERE path = ?').get(id)
      ));
      database.prepare("UPDATE names SET text = 'tools/t3.js' WHERE id = ?").run(id);
    });
    expect(await verified(folder)).toMatchObject({ ok: false, problem: { kind: 'changed', seq: first } });
  });

  test('one that was taken out', async () => {
    const { folder, root } = await copied();
    editLedger(root, (database) => database.prepare('DELETE FROM events WHERE seq = ?').run(MIDDLE));
    expect(await verified(folder)).toMatchObject({ ok: false, problem: { kind: 'missing', seq: MIDDLE } });
  });

  test('two that were swapped', async () => {
    const { folder, root } = await copied();
    editLedger(root, (database) => {
      const move = database.prepare('UPDATE events SET seq = ? WHERE seq = ?');
      for (const [to, from] of [
        [-1, MIDDLE],
        [MIDDLE, MIDDLE + 1],
        [MIDDLE + 1, -1],
      ])
        move.run(to, from);
    });
    expect(await verified(folder)).toMatchObject({
      ok: false,
      problem: { kind: expect.stringMatching(/^(order|changed)$/), seq: MIDDLE },
    });
  });

  test('one that was put in', async () => {
    const { folder, root } = await copied();
    editLedger(root, (database) => {
      const rest = columnsOf(database)
        .filter((name) => name !== 'seq')
        .map((name) => `"${name}"`)
        .join(', ');
      database.prepare('UPDATE events SET seq = -seq - 1 WHERE seq > ?').run(MIDDLE);
      database.prepare('UPDATE events SET seq = -seq WHERE seq < 0').run();
      database.prepare(`INSERT INTO events (seq, ${rest}) SELECT ?, ${rest} FROM events WHERE seq = 3`).run(MIDDLE + 1);
    });
    expect(await verified(folder)).toMatchObject({
      ok: false,
      problem: { kind: expect.stringMatching(/^(order|changed)$/), seq: MIDDLE + 1 },
    });
  });

  test('all that were chained anew by somebody who knows how, and has no key', async () => {
    const { folder, root } = await copied();
    editLedger(root, (database) => {
      const row = /** @type {any} */ (database.prepare('SELECT content FROM events WHERE seq = ?').get(MIDDLE));
      const content = String(row.content).replace('"session":"s"', '"session":"t"');
      database.prepare('UPDATE events SET content = ? WHERE seq = ?').run(content, MIDDLE);
      let prev = '';
      for (const { seq, content: text, hash } of /** @type {any[]} */ (
        database.prepare('SELECT seq, content, hash FROM events ORDER BY seq').all()
      )) {
        const own = seq < MIDDLE ? hash.toString('hex') : sha256(`tgp-ledger-1\n${prev}\n${seq}\n${sha256(text)}\n`);
        database.prepare('UPDATE events SET hash = ? WHERE seq = ?').run(Buffer.from(own, 'hex'), seq);
        prev = own;
      }
    });
    const { ok, problem } = await verified(folder);
    expect(ok).toBe(false);
    expect(problem?.seq).toBeGreaterThanOrEqual(MIDDLE);
    // Within the stretch that the next checkpoint vouches for.
    expect(problem?.seq).toBeLessThanOrEqual(events);
  });

  test.each([
    ['changed', 'UPDATE blobs SET bytes = zeroblob(9)', 'changed'],
    ['taken out', 'DELETE FROM blobs', 'missing'],
  ])('a large value that was %s', async (_, statement, kind) => {
    const { folder, root } = await copied();
    editLedger(root, (database) => database.exec(statement));
    expect(await verified(folder)).toMatchObject({ ok: false, problem: { kind, seq: expect.any(Number) } });
  });
});

describe('the end', () => {
  /** @type {(root: string, last: number) => void} */
  const cut = (root, last) =>
    editLedger(root, (database) => {
      database.prepare('DELETE FROM events WHERE seq > ?').run(last);
      database.prepare('DELETE FROM checkpoints WHERE size > ?').run(last);
    });
  /** @param {string} root */
  const checkpointFile = (root) => join(ledgerFolder(root), 'checkpoints');

  test('that was cut off, by the checkpoints beside', async () => {
    const { folder, root } = await copied();
    cut(root, MIDDLE);
    expect(await verified(folder)).toMatchObject({ ok: false, problem: { kind: 'truncated' } });
  });

  test('that was cut off with its checkpoints, by the commits of tools', async () => {
    const { folder, root } = await copied();
    cut(root, MIDDLE);
    writeFileSync(checkpointFile(root), '');
    expect(await verified(folder)).toMatchObject({ ok: false, problem: { kind: 'truncated' } });
  });

  test('an older copy of the database', async () => {
    const { folder, root } = await copied();
    for (const file of ledgerFiles(root)) if (file.startsWith(`${ledgerFile(root)}-`)) await rm(file);
    writeFileSync(ledgerFile(root), readFileSync(ledgerFile(join(older, '.tgp'))));
    expect(await verified(folder)).toMatchObject({ ok: false, problem: { kind: 'truncated' } });
  });

  test('an older copy of the whole folder, by the commits of tools', async () => {
    const { folder, root } = await copied();
    const own = ledgerFolder(root);
    await rm(own, { recursive: true });
    await cp(ledgerFolder(join(older, '.tgp')), own, { recursive: true });
    expect(await verified(folder)).toMatchObject({ ok: false, problem: { kind: 'truncated' } });
  });

  test('a checkpoint that another key has signed', async () => {
    const { folder, root } = await copied();
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    const raw = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32);
    const forged = (/** @type {string} */ note) => {
      const [text = '', signatures = ''] = note.split('\n\n');
      const name = signatures.split(' ')[1] ?? '';
      const id = createHash('sha256')
        .update(`${name}\n`)
        .update(Buffer.from([1]))
        .update(raw)
        .digest()
        .subarray(0, 4);
      const signed = sign(null, Buffer.from(`${text}\n`), privateKey);
      return `${text}\n\n— ${name} ${Buffer.concat([id, signed]).toString('base64')}\n`;
    };
    let size = 0;
    editLedger(root, (database) => {
      const row = /** @type {any} */ (database.prepare('SELECT * FROM checkpoints ORDER BY size DESC LIMIT 1').get());
      size = row.size;
      database.prepare('UPDATE checkpoints SET note = ? WHERE size = ?').run(forged(row.note), size);
    });
    expect(await verified(folder)).toMatchObject({ ok: false, problem: { kind: 'signature', seq: size } });
  });
});

describe('the beginning', () => {
  /** Takes the oldest events away up to a checkpoint, as retention does. @type {(root: string, size: number) => void} */
  const forget = (root, size) =>
    editLedger(root, (database) => {
      const { hash } = /** @type {any} */ (database.prepare('SELECT hash FROM events WHERE seq = ?').get(size));
      database.prepare('INSERT OR REPLACE INTO base (one, size, hash) VALUES (1, ?, ?)').run(size, hash);
      database.prepare('DELETE FROM events WHERE seq <= ?').run(size);
      database.prepare('DELETE FROM blobs WHERE last <= ?').run(size);
      database.prepare('DELETE FROM checkpoints WHERE size < ?').run(size);
    });
  /** @param {string} root */
  const checkpoints = (root) => {
    /** @type {number[]} */
    let sizes = [];
    editLedger(root, (database) => {
      const rows = /** @type {any[]} */ (database.prepare('SELECT DISTINCT size FROM checkpoints ORDER BY size').all());
      sizes = rows.map(({ size }) => size);
    });
    return sizes;
  };

  test('that was taken away up to any checkpoint, in the ledger and in an export of it', async () => {
    const { root: looked } = await copied();
    const sizes = checkpoints(looked);
    expect(sizes.length).toBeGreaterThan(3);
    for (const size of [sizes[0], sizes[Math.floor(sizes.length / 2)], sizes.at(-1)]) {
      const { folder, root } = await copied();
      forget(root, Number(size));
      expect(await verified(folder), String(size)).toMatchObject({ ok: false, problem: { kind: 'missing', seq: 1 } });
      const kernel = open(folder);
      const lines = await exported(kernel);
      await kernel.shutdown();
      const file = join(folder, 'export.ndjson');
      writeFileSync(file, `${lines.join('\n')}\n`);
      const { code, stdout } = await runCli(folder, ['ledger', 'verify', '--file', file, '--json']);
      expect([code, JSON.parse(stdout).problem.seq], String(size)).toEqual([3, 1]);
    }
  });

  test('that retention let go is whole, with a signed event that says so', async () => {
    const { folder } = await copied();
    const keeping = (/** @type {object} */ ledger) =>
      new TGP({ config: { rootDir: join(folder, '.tgp'), sandbox: { warm: 0 }, ledger }, logger: silent });
    const kernel = keeping({ checkpointEvents: 5, retainEvents: 10 });
    const [said] = await kernel.ledger.tail({ type: 'RETENTION' });
    expect(said).toMatchObject({ upTo: expect.any(Number), head: expect.any(String), signature: expect.any(String) });
    const found = await kernel.ledger.verify();
    expect(found).toMatchObject({ ok: true, first: Number(said?.upTo) + 1 });
    await expect(kernel.ledger.append(/** @type {any} */ ({ type: 'RETENTION', upTo: 1 }))).rejects.toMatchObject({
      code: 'ERR_VALIDATION',
    });
    await kernel.shutdown();
    expect(await verified(folder)).toMatchObject({ ok: true });
    // More than was said.
    const next = checkpoints(join(folder, '.tgp')).find((size) => size > Number(said?.upTo));
    forget(join(folder, '.tgp'), Number(next));
    expect(await verified(folder)).toMatchObject({ ok: false, problem: { kind: 'missing', seq: 1 } });
  });
});

describe('the witness in commits', () => {
  test('raises no alarm for what the key of the ledger has not signed', async () => {
    const { folder, root } = await copied();
    const last = git(root, 'log', '-1', '--format=%B').split('\n').at(-1) ?? '';
    const [, , head, key, signature] = last.split(' ');
    expect(last).toMatch(/^TGP-Ledger: \d+ [0-9a-f]{64} [0-9a-f]{8} [A-Za-z0-9+/=]{92}$/);
    for (const forged of [
      `TGP-Ledger: 999999 ${head} ${key}`,
      `TGP-Ledger: 999999 ${head} ${key} ${signature}`,
      `TGP-Ledger: 2 ${'0'.repeat(64)} ${key} ${signature}`,
    ]) {
      git(root, 'commit', '-q', '--allow-empty', '-m', `Forge: x\n\n${forged}`);
    }
    expect(await verified(folder)).toMatchObject({ ok: true });
  });

  test('is found behind any number of commits of others, whatever times they name', async () => {
    const { folder, root } = await copied();
    const stream = Array.from({ length: 10_050 }, (_, n) => {
      const at = 4_000_000_000 + n;
      const from = n === 0 ? 'from refs/heads/main^0\n' : '';
      const message = `TGP-Ledger: ${n} ${'0'.repeat(64)} 00000000`;
      return `commit refs/heads/main\ncommitter X <x@x> ${at} +0000\ndata ${message.length}\n${message}\n${from}\n`;
    });
    execFileSync('git', ['-C', root, 'fast-import', '--quiet', '--force'], { input: stream.join('') });
    const own = ledgerFolder(root);
    await rm(own, { recursive: true });
    await cp(ledgerFolder(join(older, '.tgp')), own, { recursive: true });
    expect(await verified(folder)).toMatchObject({ ok: false, problem: { kind: 'truncated' } });
  });
});

describe('an export', () => {
  /**
   * @param {(lines: string[]) => string[]} edit
   * @returns {Promise<{ code: number, found: any }>}
   */
  async function judged(edit) {
    const { folder } = await copied();
    const kernel = open(folder);
    const lines = await exported(kernel);
    await kernel.shutdown();
    const file = join(folder, 'export.ndjson');
    writeFileSync(file, `${edit(lines).join('\n')}\n`);
    const { code, stdout, stderr } = await runCli(folder, ['ledger', 'verify', '--file', file, '--json']);
    if (stderr !== '') throw new Error(stderr);
    return { code, found: JSON.parse(stdout) };
  }
  /** Where the event in the middle stands: checkpoints have lines of their own. @param {string[]} lines */
  const placeIn = (lines) => lines.findIndex((line) => line.startsWith(`{"seq":${MIDDLE},`));

  test('that nobody touched is whole', async () => {
    expect(await judged((lines) => lines)).toMatchObject({ code: 0, found: { ok: true } });
  });

  test('with a character that was changed', async () => {
    const edit = (/** @type {string[]} */ lines) =>
      lines.with(placeIn(lines), String(lines[placeIn(lines)]).replace('"session":"s"', '"session":"t"'));
    expect(await judged(edit)).toMatchObject({ code: 3, found: { problem: { kind: 'changed', seq: MIDDLE } } });
  });

  test('with a line that was taken out', async () => {
    const edit = (/** @type {string[]} */ lines) => lines.toSpliced(placeIn(lines), 1);
    expect(await judged(edit)).toMatchObject({ code: 3, found: { problem: { kind: 'missing', seq: MIDDLE } } });
  });

  test('with two lines that were swapped', async () => {
    const { code, found } = await judged((lines) => {
      const at = placeIn(lines);
      const next = lines.findIndex((line, index) => index > at && line.startsWith('{"seq":'));
      return lines.with(at, String(lines[next])).with(next, String(lines[at]));
    });
    expect(code).toBe(3);
    expect(found.problem).toMatchObject({ kind: 'order', seq: MIDDLE });
  });

  test('whose end was cut off', async () => {
    const { code, found } = await judged((lines) => lines.slice(0, placeIn(lines) + 1));
    expect({ code, kind: found.problem?.kind }).toEqual({ code: 4, kind: 'truncated' });
    const kept = await judged((lines) => [...lines.slice(0, placeIn(lines) + 1), String(lines.at(-1))]);
    expect({ code: kept.code, kind: kept.found.problem?.kind }).toEqual({ code: 4, kind: 'truncated' });
  });

  test('that another key has signed', async () => {
    const { folder, root } = await copied();
    const other = join(folder, 'other.pub');
    const mine = readFileSync(join(ledgerFolder(root), 'ledger.pub'), 'utf8').trim();
    const [, name = '', key = ''] = /^([^+]*)\+[^+]*\+(.*)$/.exec(mine) ?? [];
    const raw = Buffer.from(key, 'base64');
    raw[5] = Number(raw[5]) ^ 1;
    const id = createHash('sha256').update(`${name}\n`).update(raw).digest('hex').slice(0, 8);
    writeFileSync(other, `${name}+${id}+${raw.toString('base64')}\n`);
    const file = join(folder, 'export.ndjson');
    const kernel = open(folder);
    writeFileSync(file, (await exported(kernel)).join('\n'));
    await kernel.shutdown();
    const verify = (/** @type {string} */ keyFile) =>
      runCli(folder, ['ledger', 'verify', '--file', file, '--key', keyFile, '--json']);
    expect(await verify(join(ledgerFolder(root), 'ledger.pub'))).toMatchObject({ code: 0 });
    const { code, stdout } = await verify(other);
    expect(code).toBe(3);
    expect(JSON.parse(stdout)).toMatchObject({ problem: { kind: 'signature' } });
    expect(await verify(file)).toMatchObject({ code: 1 });
  });
});

test('any byte of the file: it is found, or what is recorded is the same', async () => {
  const untouched = open(original);
  const expected = (await exported(untouched)).slice(0, events);
  await untouched.shutdown();
  for (let round = 0; round < howOften({ usual: 15, long: 300 }); round++) {
    const { folder, root } = await copied();
    const bytes = readFileSync(ledgerFile(root));
    const place = Math.floor(Math.random() * bytes.length);
    const flip = 1 << Math.floor(Math.random() * 8);
    bytes[place] = Number(bytes[place]) ^ flip;
    writeFileSync(ledgerFile(root), bytes);
    const kernel = open(folder);
    try {
      const { ok } = await kernel.ledger.verify();
      if (ok) expect((await exported(kernel)).slice(0, events), `byte ${place} ^ ${flip}`).toEqual(expected);
    } catch (error) {
      expect(error, `byte ${place} ^ ${flip}`).toMatchObject({ code: 'ERR_LEDGER' });
    } finally {
      await kernel.shutdown();
    }
  }
});

/**
 * A value of the same kind that is not the same.
 * @param {unknown} value
 */
function another(value) {
  if (typeof value === 'number') return value + 1;
  if (typeof value === 'string') return `${value.slice(0, -1)}${value.endsWith('~') ? '-' : '~'}`;
  if (Buffer.isBuffer(value)) return Buffer.from(value.map((byte, index) => (index === 0 ? byte ^ 1 : byte)));
  return 1;
}
