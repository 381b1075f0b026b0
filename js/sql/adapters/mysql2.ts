/** SQL adapter for mysql2. */

import { guarded, ignored } from '../../boundary/guarded.js';
import type { SqlAdapter } from '../../types/sql.js';
import type { SqlConnection } from '../adapter.js';
import { defineAdapter, refuseOptions } from '../adapter.js';
import type { MysqlConnection, MysqlPool } from '../drivers.js';
import { runOnMysql } from '../mysql/mysql_statement.js';
import { RowCollector } from '../rows/row_collector.js';
import { savepointTexts } from '../run/savepoint.js';
import { FairLock } from '../waiting/fair_lock.js';
import { beforeDeadline, notAnswered } from '../waiting/statement_deadline.js';
import { Stopper } from '../waiting/stopper.js';
import { MysqlWire } from '../wire/mysql_wire.js';

/** The owner of a connection. */
type Lender = {
  takeBack: () => unknown;
  /** Closes the connection. */
  discard: () => unknown;
  /** Whether another connection can replace a discarded one. */
  hasOthers: boolean;
};

/** Timeout for KILL QUERY. */
const KILL_TIMEOUT_MS = 2_000;

/**
 * A pool or connection of `mysql2`, with callbacks or promises. MySQL commits at DDL, so tools cannot use that. Versions
 * before 3.24 send whole numbers among the parameters as text; where the type itself matters, as in `SELECT ?` or
 * `JSON_OBJECT('n', ?)`, write `CAST(? AS SIGNED)` there.
 */
// biome-ignore lint/suspicious/noExplicitAny: the application's driver, of any version
export function mysql2(source: any): SqlAdapter;
// biome-ignore lint/suspicious/noExplicitAny: the application's driver, of any version
export function mysql2(source: any, none?: object): SqlAdapter {
  refuseOptions('mysql2', none);
  const turns = new FairLock();
  return defineAdapter({
    dialect: 'mysql',
    beginsReadOnly: true,
    connect: async ({ signal }) => {
      if (typeof source.getConnection === 'function') {
        const pooled = await promising(source).getConnection();
        const lender = { takeBack: () => pooled.release(), discard: () => pooled.destroy(), hasOthers: true };
        return mysqlConnection(pooled.connection, lender);
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

/** Closes a connection in an unknown state. @internal */
export function discardMysql(core: MysqlConnection) {
  // An 'error' event without a listener would crash the process.
  core.on('error', ignored);
  core.destroy();
}

function promising(source: MysqlPool) {
  return typeof source.promise === 'function' ? source.promise() : source;
}

/**
 * One `mysql2` connection, reserved for a run.
 * @param core the connection with callbacks
 * @internal
 */
export function mysqlConnection(core: MysqlConnection, lender: Lender): SqlConnection {
  let lose: (reason: unknown) => void = ignored;
  /** The driver reports a lost connection on the connection, not on the running statement. */
  const loss = new Promise<never>((_, reject) => {
    lose = reject;
  });
  loss.catch(ignored);
  const lost = () => lose(new Error('the connection was closed'));
  core.on('error', lose);
  core.on('end', lost);
  const wire = new MysqlWire(core);
  const control = (sql: string) => Promise.race([execute(core, sql), loss]);
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
      // Not every server can prepare savepoint statements.
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
      // A late KILL QUERY could hit the next statement, so the connection is discarded if the pool has others.
      const mustDiscard = state === 'broken' || (stopper.hasAsked && lender.hasOthers);
      const released = mustDiscard ? lender.discard() : lender.takeBack();
      // `discard` closes gracefully; without the filter the driver would continue in the middle of a filtered message.
      if (mustDiscard) core.stream.destroy();
      wire.close();
      return released;
    },
  };
}

function execute(core: MysqlConnection, sql: string): Promise<{ warningStatus: number }> {
  return new Promise((resolve, reject) => {
    core.query(sql, (error, answer) => (error ? reject(error) : resolve(answer)));
  });
}

/** Stops the running statement of a connection, using a second connection. */
function kill(core: MysqlConnection): Promise<void> {
  return new Promise((resolve) => {
    const Connection = '_pool' in core ? Object.getPrototypeOf(core.constructor) : core.constructor;
    const helper = new Connection({ config: core.config });
    const end = () => {
      clearTimeout(timer);
      helper.destroy();
      resolve();
    };
    const timer = setTimeout(guarded(end, end), KILL_TIMEOUT_MS);
    helper.on('error', guarded(end, end));
    helper.query(`KILL QUERY ${Number(core.threadId)}`, guarded(end, end));
  });
}
