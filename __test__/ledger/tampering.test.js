/** Verification finds every manipulation of the ledger, at the first changed event. */

import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import canonicalize from 'canonicalize';
import { beforeAll, describe, expect, test } from 'vitest';
import { runCli } from '../../tools/run_cli.mjs';
import { howOften } from '../helpers/how_often.js';
import { editLedger, exported, ledgerFile, ledgerFiles, ledgerFolder, sha256 } from '../helpers/ledger.js';
import { usedLedger } from '../helpers/used_ledger.js';

/** The number of an event in the middle. */
const MIDDLE = 12;
const { use, open, copied, verified } = usedLedger();

/** The number of events. */
let events = 0;
/** A copy of the workspace after some of its events. */
let older = '';

beforeAll(async () => {
  ({ events, older } = await use());
});

/** @param {import('better-sqlite3').Database} database */
const columnsOf = (database) =>
  /** @type {string[]} */ (database.pragma('table_info(events)').map((/** @type {any} */ { name }) => name));

test('an unmodified ledger verifies, also after further use', async () => {
  const { folder } = await copied();
  expect(await verified(folder)).toMatchObject({ ok: true, head: expect.stringMatching(/^[0-9a-f]{64}$/) });
  const again = await verified(folder);
  expect(again).not.toHaveProperty('problem');
  expect(again.events).toBeGreaterThan(events);
});

describe('verification finds', () => {
  test('a changed value in any column of events', async () => {
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

  test('a changed name that events share', async () => {
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

  test('a removed event', async () => {
    const { folder, root } = await copied();
    editLedger(root, (database) => database.prepare('DELETE FROM events WHERE seq = ?').run(MIDDLE));
    expect(await verified(folder)).toMatchObject({ ok: false, problem: { kind: 'missing', seq: MIDDLE } });
  });

  test('two swapped events', async () => {
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

  test('an inserted event', async () => {
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

  test('a changed event with a recomputed chain, but without the key', async () => {
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
    // Before the next checkpoint.
    expect(problem?.seq).toBeLessThanOrEqual(events);
  });

  test.each([
    ['changed', 'UPDATE blobs SET bytes = zeroblob(9)', 'changed'],
    ['removed', 'DELETE FROM blobs', 'missing'],
  ])('a large value that was %s', async (_, statement, kind) => {
    const { folder, root } = await copied();
    editLedger(root, (database) => database.exec(statement));
    expect(await verified(folder)).toMatchObject({ ok: false, problem: { kind, seq: expect.any(Number) } });
  });
});

describe('verification of the end finds', () => {
  /** @type {(root: string, last: number) => void} */
  const cut = (root, last) =>
    editLedger(root, (database) => {
      database.prepare('DELETE FROM events WHERE seq > ?').run(last);
      database.prepare('DELETE FROM checkpoints WHERE size > ?').run(last);
    });
  /** @param {string} root */
  const checkpointFile = (root) => join(ledgerFolder(root), 'checkpoints');

  test('a truncated ledger, from its checkpoint file', async () => {
    const { folder, root } = await copied();
    cut(root, MIDDLE);
    expect(await verified(folder)).toMatchObject({ ok: false, problem: { kind: 'truncated' } });
  });

  test('a truncated ledger without checkpoints, from the commits of tools', async () => {
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

  test('an older copy of the whole folder, from the commits of tools', async () => {
    const { folder, root } = await copied();
    const own = ledgerFolder(root);
    await rm(own, { recursive: true });
    await cp(ledgerFolder(join(older, '.tgp')), own, { recursive: true });
    expect(await verified(folder)).toMatchObject({ ok: false, problem: { kind: 'truncated' } });
  });

  test('a checkpoint signed with another key', async () => {
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

describe('an export', () => {
  /**
   * @param {(lines: string[]) => string[]} edit
   * @returns {Promise<{ code: number, found: any }>}
   */
  async function verifyEdited(edit) {
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
  /** The line of the event in the middle: checkpoints have their own lines. @param {string[]} lines */
  const middleLine = (lines) => lines.findIndex((line) => line.startsWith(`{"seq":${MIDDLE},`));

  test('that was not modified verifies', async () => {
    const { code, found } = await verifyEdited((lines) => lines);
    expect({ code, ok: found.ok, note: found.note }).toEqual({ code: 0, ok: true, note: undefined });
  });

  test('with a changed character is reported as changed', async () => {
    const edit = (/** @type {string[]} */ lines) =>
      lines.with(middleLine(lines), String(lines[middleLine(lines)]).replace('"session":"s"', '"session":"t"'));
    expect(await verifyEdited(edit)).toMatchObject({ code: 3, found: { problem: { kind: 'changed', seq: MIDDLE } } });
  });

  test('with a removed line is reported as missing', async () => {
    const edit = (/** @type {string[]} */ lines) => lines.toSpliced(middleLine(lines), 1);
    expect(await verifyEdited(edit)).toMatchObject({ code: 3, found: { problem: { kind: 'missing', seq: MIDDLE } } });
  });

  test('with two swapped lines is reported as out of order', async () => {
    const { code, found } = await verifyEdited((lines) => {
      const at = middleLine(lines);
      const next = lines.findIndex((line, index) => index > at && line.startsWith('{"seq":'));
      return lines.with(at, String(lines[next])).with(next, String(lines[at]));
    });
    expect(code).toBe(3);
    expect(found.problem).toMatchObject({ kind: 'order', seq: MIDDLE });
  });

  test('without its end is reported as truncated', async () => {
    const { code, found } = await verifyEdited((lines) => lines.slice(0, middleLine(lines) + 1));
    expect({ code, kind: found.problem?.kind }).toEqual({ code: 4, kind: 'truncated' });
    const kept = await verifyEdited((lines) => [...lines.slice(0, middleLine(lines) + 1), String(lines.at(-1))]);
    expect({ code: kept.code, kind: kept.found.problem?.kind }).toEqual({ code: 4, kind: 'truncated' });
  });

  test('that was cut after an inner checkpoint has no signed end, and cannot get one', async () => {
    const inner = (/** @type {string[]} */ lines) => lines.findIndex((line) => line.startsWith('{"checkpoint":')) + 1;
    const cut = await verifyEdited((lines) => lines.slice(0, inner(lines)));
    expect(cut.found).toMatchObject({ ok: true, note: expect.stringContaining('no signed end') });
    expect(cut.found.events).toBeLessThan(MIDDLE);
    const ended = await verifyEdited((lines) => [...lines.slice(0, inner(lines)), String(lines.at(-1))]);
    expect(ended).toMatchObject({ code: 4, found: { problem: { kind: 'truncated' } } });
    // As written by versions that did not sign the end.
    const old = await verifyEdited((lines) => lines.slice(0, -1));
    expect(old).toMatchObject({ code: 0, found: { ok: true, note: expect.any(String) } });
  });

  test('with events after its end, or with a forged end, is reported', async () => {
    const { folder, root } = await copied();
    const kernel = open(folder);
    const lines = await exported(kernel);
    await kernel.shutdown();
    const { seq, hash } = JSON.parse(String(lines.findLast((line) => line.startsWith('{"seq":'))));
    const content = canonicalize({ type: 'APPLICATION', ts: '2026-01-01T00:00:00.000Z' });
    const sha = (/** @type {string} */ text) => createHash('sha256').update(text).digest('hex');
    const id = sha(String(content));
    const next = sha(`tgp-ledger-1\n${hash}\n${seq + 1}\n${id}\n`);
    const more = `{"seq":${seq + 1},"id":"${id}",${String(content).slice(1, -1)},"prev":"${hash}","hash":"${next}"}`;
    const { end } = JSON.parse(String(lines.at(-1)));
    const forged = JSON.stringify({ end: { ...end, hash: next, size: seq + 1 } });
    const verdict = async (/** @type {string[]} */ edited) => {
      const file = join(folder, 'export.ndjson');
      writeFileSync(file, `${edited.join('\n')}\n`);
      const key = join(ledgerFolder(root), 'ledger.pub');
      const { stdout } = await runCli(folder, ['ledger', 'verify', '--file', file, '--key', key, '--json']);
      return JSON.parse(stdout).problem?.kind;
    };
    expect(await verdict(lines)).toBeUndefined();
    expect(await verdict([...lines, more])).toBe('changed');
    expect(await verdict([...lines.slice(0, -1), more, String(lines.at(-1))])).toBe('changed');
    expect(await verdict([...lines.slice(0, -1), more, forged])).toBe('signature');
  });

  test('with other line breaks or blanks is reported as changed', async () => {
    for (const edit of [
      (/** @type {string[]} */ lines) => lines.map((line) => `${line}\r`),
      (/** @type {string[]} */ lines) => [...lines, ''],
      (/** @type {string[]} */ lines) => lines.map((line) => line.replace('{"checkpoint":"', '{"checkpoint": "')),
    ]) {
      expect(await verifyEdited(edit), String(edit)).toMatchObject({
        code: 3,
        found: { problem: { kind: 'changed' } },
      });
    }
  });

  test('of another key is reported as wrongly signed', async () => {
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

test('a flipped bit anywhere in the file is reported, or does not change an event', async () => {
  const untouched = open((await copied()).folder);
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
 * A different value of the same type.
 * @param {unknown} value
 */
function another(value) {
  if (typeof value === 'number') return value + 1;
  if (typeof value === 'string') return `${value.slice(0, -1)}${value.endsWith('~') ? '-' : '~'}`;
  if (Buffer.isBuffer(value)) return Buffer.from(value.map((byte, index) => (index === 0 ? byte ^ 1 : byte)));
  return 1;
}
