/** SQL adapter for synchronous SQLite drivers on Node's own thread. */

import type { SqlConnection } from '../adapter.js';
import { defineAdapter } from '../adapter.js';
import { rowText } from '../rows/json_writer.js';
import { RowCollector } from '../rows/row_collector.js';
import { savepointTexts } from '../run/savepoint.js';
import { FairLock } from '../waiting/fair_lock.js';
import { timedOut } from '../waiting/statement_deadline.js';

/** The common interface of synchronous SQLite drivers. */
export type SyncDatabase = {
  exec: (sql: string) => unknown;
  rows: (sql: string, values: unknown[], returns: 'rows' | 'count') => Iterable<object>;
  totalChanges: () => number;
  inTransaction?: () => boolean;
};

/**
 * An adapter for a driver that runs on Node's thread (opt-in). Its statements cannot be interrupted, so the time limit is checked
 * between rows and at the end; a statement that took too long is rolled back.
 */
export function syncSqlite(database: SyncDatabase) {
  const turns = new FairLock();
  return defineAdapter({
    dialect: 'sqlite',
    connect: async ({ signal }) => syncConnection(database, await turns.acquire(signal)),
  });
}

/** A connection through a synchronous driver. */
export function syncConnection(database: SyncDatabase, release: (state: 'clean' | 'broken') => unknown): SqlConnection {
  let queryOnly = false;
  let ownTimeout: number | undefined;
  return {
    begin: async ({ access, limits }) => {
      const current = lockTimeout(database);
      if (current > limits.statementTimeoutMs) {
        ownTimeout = current;
        setLockTimeout(database, limits.statementTimeoutMs);
      }
      queryOnly = limits.readOnly;
      if (queryOnly) database.exec('PRAGMA query_only = ON');
      database.exec(access === 'read' || limits.readOnly ? 'BEGIN' : 'BEGIN IMMEDIATE');
    },
    query: async ({ sql, values, returns }, limits) => {
      const deadline = performance.now() + limits.statementTimeoutMs;
      const before = database.totalChanges();
      const rows = new RowCollector(limits, () => {});
      for (const row of database.rows(sql, values.map(toSqlite), returns)) {
        rows.add((room) => rowText(row, room));
        if (rows.excess) throw rows.excess;
        if (performance.now() > deadline) throw timedOut(limits.statementTimeoutMs);
      }
      if (performance.now() > deadline) throw timedOut(limits.statementTimeoutMs);
      return { rows: returns === 'rows' ? rows.text() : undefined, affected: database.totalChanges() - before };
    },
    savepoint: async (action, number) => {
      for (const text of savepointTexts(action, number)) database.exec(text);
    },
    commit: async () => {
      if (database.inTransaction?.() === false) throw new Error('the transaction had been rolled back by the database');
      database.exec('COMMIT');
    },
    rollback: async () => {
      if (database.inTransaction?.() !== false) database.exec('ROLLBACK');
    },
    cancel: () => {},
    release: (state) => {
      try {
        if (queryOnly) database.exec('PRAGMA query_only = OFF');
        if (ownTimeout !== undefined) setLockTimeout(database, ownTimeout);
      } finally {
        release(state);
      }
    },
  };
}

/** How long the connection waits for a lock, in milliseconds. A longer wait than the time limit of a statement is shortened. */
function lockTimeout(database: SyncDatabase) {
  const [row] = [...database.rows('PRAGMA busy_timeout', [], 'rows')];
  return row === undefined ? 0 : Number(Object.values(row)[0]);
}

function setLockTimeout(database: SyncDatabase, ms: number) {
  database.exec(`PRAGMA busy_timeout = ${ms}`);
}

/** A value for these drivers: SQLite has no booleans, and numbers are stored as floats unless they are BigInts. */
function toSqlite(value: unknown) {
  if (typeof value === 'boolean') return value ? 1n : 0n;
  if (typeof value === 'number' && Number.isSafeInteger(value)) return BigInt(value);
  if (typeof value === 'object' && value !== null && !Buffer.isBuffer(value)) return JSON.stringify(value);
  return value;
}
