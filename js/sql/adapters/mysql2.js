import { guarded, ignored } from '../../boundary/guarded.js';
import { defineAdapter } from '../adapter.js';
import { FairLock } from '../fair_lock.js';
import { runOnMysql } from '../mysql_statement.js';
import { RowCollector } from '../row_collector.js';
import { savepointTexts } from '../savepoint.js';
import { beforeDeadline, notAnswered } from '../statement_deadline.js';
import { Stopper } from '../stopper.js';
import { MysqlWire } from '../wire/mysql_wire.js';

/**
 * @typedef {import('../adapter.js').SqlConnection} SqlConnection
 * @typedef {object} Lender whom a connection goes back to
 * @property {() => unknown} takeBack
 * @property {() => unknown} discard nobody may use the connection again
 * @property {boolean} hasOthers another connection can take the place of one that is discarded
 */

/** A server that does not take the request to stop within this time will not take it at all. */
const KILL_MS = 2_000;

/**
 * A pool or a connection of `mysql2`, with callbacks or promises.
 * @type {typeof import('../../../index.js').mysql2}
 */
export function mysql2(source) {
  const turns = new FairLock();
  return defineAdapter({
    dialect: 'mysql',
    beginsReadOnly: true,
    connect: async ({ signal }) => {
      if (typeof source.getConnection === 'function') {
        const held = await promising(source).getConnection();
        const lender = { takeBack: () => held.release(), discard: () => held.destroy(), hasOthers: true };
        return mysqlConnection(held.connection, lender);
      }
      const leave = await turns.acquire(signal);
      const core = source.connection ?? source;
      const discard = () => {
        discardMysql(core);
        leave();
      };
      return mysqlConnection(core, { takeBack: leave, discard, hasOthers: false });
    },
  });
}

/**
 * Ends a connection that nobody may use again: what it was doing is unknown.
 * @param {any} core
 */
export function discardMysql(core) {
  // It tells its owner of the loss, who may not be listening.
  core.on('error', ignored);
  core.destroy();
}

/** @param {any} source */
function promising(source) {
  return typeof source.promise === 'function' ? source.promise() : source;
}

/**
 * One connection of `mysql2`, held for a run.
 * @param {any} core the connection with callbacks
 * @param {Lender} lender
 * @returns {SqlConnection}
 */
export function mysqlConnection(core, lender) {
  /** @type {(reason: unknown) => void} */
  let lose = ignored;
  /** The driver tells the connection, and not the statement under way, that it is lost. @type {Promise<never>} */
  const loss = new Promise((_, reject) => {
    lose = reject;
  });
  loss.catch(ignored);
  const lost = () => lose(new Error('the connection was closed'));
  core.on('error', lose);
  core.on('end', lost);
  const wire = new MysqlWire(core);
  /** @param {string} sql */
  const control = (sql) => Promise.race([asked(core, sql), loss]);
  let waitMs = 0;
  const stopper = new Stopper(() => kill(core));
  return {
    begin: async ({ limits }) => {
      waitMs = limits.statementTimeoutMs;
      const begin = limits.readOnly ? 'START TRANSACTION READ ONLY' : 'START TRANSACTION';
      await beforeDeadline(control(begin), waitMs, ignored);
    },
    query: async (statement, limits) => {
      const rows = new RowCollector(limits, () => stopper.soon());
      const work = stopper.watch(runOnMysql(core, wire, statement, rows, limits.maxBytes));
      const ended = rows.during(Promise.race([work, loss]));
      const { returns, affected } = await beforeDeadline(ended, waitMs, () => stopper.now());
      return { rows: returns ? rows.text() : undefined, affected };
    },
    savepoint: async (action, number) => {
      // Not every server prepares these.
      for (const text of savepointTexts(action, number)) await beforeDeadline(control(text), waitMs, ignored);
    },
    commit: async () => {
      await beforeDeadline(control('COMMIT'), waitMs, ignored, notAnswered);
    },
    rollback: async () => {
      await stopper.settled;
      const { warningStatus } = await control('ROLLBACK');
      if (warningStatus > 0) throw new Error('some tables have no transactions, so not everything was rolled back');
    },
    cancel: () => stopper.now(),
    release: (state) => {
      core.removeListener('error', lose);
      core.removeListener('end', lost);
      // The server may hold a request to stop against the next statement after all: if there are others, nobody gets this.
      const isLast = state === 'broken' || (stopper.hasAsked && lender.hasOthers);
      const given = isLast ? lender.discard() : lender.takeBack();
      // The driver only says goodbye, and without the sieve would read on in the middle of what was kept from it.
      if (isLast) core.stream.destroy();
      wire.close();
      return given;
    },
  };
}

/**
 * @param {any} core
 * @param {string} sql
 * @returns {Promise<any>}
 */
function asked(core, sql) {
  return new Promise((resolve, reject) => {
    core.query(sql, (/** @type {unknown} */ error, /** @type {any} */ answer) =>
      error ? reject(error) : resolve(answer),
    );
  });
}

/**
 * Stops the statement of a connection, over a connection of its own.
 * @param {any} core
 * @returns {Promise<void>}
 */
function kill(core) {
  return new Promise((resolve) => {
    const Connection = '_pool' in core ? Object.getPrototypeOf(core.constructor) : core.constructor;
    const helper = new Connection({ config: core.config });
    const end = () => {
      clearTimeout(timer);
      helper.destroy();
      resolve();
    };
    const timer = setTimeout(guarded(end, end), KILL_MS);
    helper.on('error', guarded(end, end));
    helper.query(`KILL QUERY ${Number(core.threadId)}`, guarded(end, end));
  });
}
