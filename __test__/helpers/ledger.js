/** Shared by tests of the ledger: its files, its calls with their results, and an independent computation of its hashes. */

import { createHash } from 'node:crypto';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import canonicalize from 'canonicalize';

/**
 * @typedef {import('../../index.js').LedgerEvent} LedgerEvent
 * @typedef {import('../../index.js').TGP} TGP
 */

/**
 * Every file of the ledger of a root.
 * @param {string} root
 * @returns {string[]}
 */
export function ledgerFiles(root) {
  const folder = ledgerFolder(root);
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true })
    .map((name) => join(folder, String(name)))
    .filter((path) => statSync(path).isFile());
}

/** @param {string} root */
export function ledgerFolder(root) {
  return join(root, '.git', 'tgp', 'ledger');
}

/**
 * The database file of the ledger of a root.
 * @param {string} root
 */
export function ledgerFile(root) {
  return join(ledgerFolder(root), 'ledger.db');
}

/**
 * Edits the database of a closed ledger, as an attacker would.
 * @param {string} root
 * @param {(database: import('better-sqlite3').Database) => void} work
 */
export function editLedger(root, work) {
  const database = new Database(ledgerFile(root));
  try {
    work(database);
    database.pragma('wal_checkpoint(TRUNCATE)');
  } finally {
    database.close();
  }
}

/**
 * The calls among events, each with its result.
 * @param {LedgerEvent[]} events
 */
export function callsOf(events) {
  return events
    .filter(({ type }) => type === 'CALL')
    .map((call) => ({
      ...call,
      results: events.filter((event) => event.type === 'RESULT' && event.call === call.call),
    }));
}

/** @param {string} text */
export function sha256(text) {
  return createHash('sha256').update(text).digest('hex');
}

/**
 * The expected hashes of an event, by the documentation and not by the code.
 * @param {LedgerEvent} event
 */
export function expectedHashes({ seq, id: _, prev, hash, ...content }) {
  const id = sha256(String(canonicalize(content)));
  return { id, hash: sha256(`tgp-ledger-1\n${prev}\n${seq}\n${id}\n`) };
}

/**
 * All lines of an export.
 * @param {TGP} kernel
 */
export async function exported(kernel) {
  const lines = [];
  for await (const line of kernel.ledger.export()) lines.push(line);
  return lines;
}
