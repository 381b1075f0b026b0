import mysql from 'mysql2/promise';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SqlRules } from '../../dist/sql/rules.js';
import { createSqlTools } from '../../index.js';
import { hasServer } from '../../tools/database_server.mjs';
import { oddStatements } from '../helpers/odd_statements.js';
import { refusedOrdinary, SECRET, violations } from '../helpers/rule_bench.js';
import { ownDatabase } from '../helpers/shared_servers.js';
import { sqlKernel } from '../helpers/sql_kernel.js';

/** Attempts to bypass the rules: by spelling, by hiding, and by side effects of MariaDB. */
const ATTEMPTS = [
  // Comments that are executed, and text that is not a comment.
  'SELECT 1 /*! INTO OUTFILE "/tmp/tgp-x" */',
  '/*! DELETE FROM t */',
  '/*M! DELETE FROM t */',
  '/*!50000 DELETE FROM t */',
  '/*m! DELETE FROM t */',
  'SELECT /*!99999 1 */ 2 /*! FROM secrets */',
  'SELECT * FROM /*! secrets */',
  'SELECT * FROM t /*! UNION SELECT * FROM secrets */',
  'SELECT /*+ SET_VAR(foreign_key_checks=OFF) */ 1',
  'SELECT 1 --1; DELETE FROM t',
  'SELECT 1 -- x\n; DELETE FROM t',
  'SELECT 1 --\u{1}x\n; DELETE FROM t',
  'SELECT 1 # x\n; DELETE FROM t',
  'SELECT 1 #\r; DELETE FROM t',
  'SELECT 1; DELETE FROM t',
  'SELECT /* /* */ 1; DELETE FROM t -- */',
  // Quotations under each sql_mode.
  "SELECT '\\'; DELETE FROM t; -- '",
  'SELECT "\\"; DELETE FROM t; -- "',
  "SELECT 'a\\\\'; DELETE FROM t; -- '",
  'SELECT `a``; DELETE FROM t; -- `',
  "SELECT 1 AS [x']; DELETE FROM t; -- ']",
  "SELECT n'\\'; DELETE FROM t; -- '",
  "SELECT x'41''; DELETE FROM t; -- '",
  "SELECT _latin1'\\'; DELETE FROM t; -- '",
  "SELECT 'a' 'b\\'; DELETE FROM t; -- '",
  'SELECT \\N; DELETE FROM t',
  // Names.
  'SELECT * FROM `secrets`',
  'SELECT * FROM "secrets"',
  'SELECT * FROM shop.secrets',
  'SELECT * FROM shop . `secrets`',
  'SELECT * FROM .secrets',
  'SELECT * FROM {oj secrets}',
  'SELECT * FROM t STRAIGHT_JOIN secrets',
  'SELECT * FROM t, secrets',
  'SELECT * FROM t NATURAL JOIN secrets',
  'SELECT (SELECT max(s) FROM secrets)',
  'SELECT * FROM secrets PARTITION (p0)',
  'SELECT * FROM SECRETS',
  'SELECT * FROM `İsecrets`',
  "UPDATE IGNORE secrets SET s = 'gone'",
  "UPDATE LOW_PRIORITY secrets SET s = 'gone'",
  "UPDATE LOW_PRIORITY IGNORE secrets SET s = 'gone'",
  'DELETE LOW_PRIORITY QUICK IGNORE FROM secrets',
  "REPLACE DELAYED INTO secrets VALUES (1, 'gone')",
  'WITH secrets AS (SELECT 1) SELECT * FROM shop.secrets',
  'WITH secrets AS (SELECT * FROM secrets) SELECT * FROM secrets',
  'WITH Secrets AS (SELECT 1) SELECT * FROM secrets',
  'WITH c AS (SELECT 1) DELETE FROM t',
  'SELECT * FROM 1e5secrets',
  'SELECT 1e5UNION SELECT s FROM secrets',
  'SELECT 1.5UNION SELECT s FROM secrets',
  'SELECT .5UNION SELECT s FROM secrets',
  'SELECT 0x1UNION SELECT s FROM secrets',
  'SELECT $1 UNION SELECT s FROM secrets',
  'SHOW COLUMNS FROM secrets',
  'SHOW CREATE TABLE secrets',
  'DESCRIBE secrets',
  'EXPLAIN SELECT * FROM secrets',
  'SELECT * FROM information_schema.processlist',
  'SHOW FULL PROCESSLIST',
  'SHOW BINLOG EVENTS',
  'SHOW WARNINGS',
  'SHOW ERRORS',
  'SHOW CREATE USER root',
  'SHOW CREATE FUNCTION erase',
  'SHOW ENGINE INNODB STATUS',
  'SELECT * FROM mysql.column_stats',
  'SELECT * FROM `mysql`.global_priv',
  'SELECT * FROM performance_schema.events_statements_history',
  // Verbs that do more than they say, and other statements.
  'ANALYZE DELETE FROM t',
  'ANALYZE FORMAT=JSON DELETE FROM t',
  'EXPLAIN DELETE FROM t',
  "REPLACE INTO t (id, a) VALUES (1, 'gone')",
  "REPLACE t SET id = 1, a = 'gone'",
  "INSERT INTO t (id, a) VALUES (1, 'x') ON DUPLICATE KEY UPDATE a = 'gone'",
  "INSERT t SET a = 'new'",
  'DELETE t FROM t JOIN secrets',
  'DELETE FROM t RETURNING a',
  'UPDATE t, secrets SET t.a = secrets.s',
  'INSERT INTO t (a) SELECT s FROM secrets',
  'SELECT * FROM t FOR UPDATE',
  'SELECT a FROM t INTO @x',
  'SELECT @x := 1',
  'SELECT nextval(counter)',
  'SELECT NEXT VALUE FOR counter',
  'SELECT setval(counter, 4711)',
  'SELECT erase()',
  'UPDATE t SET a = erase()',
  'INSERT INTO t (a) VALUES (shop . `erase` ())',
  "SELECT LOAD_FILE('/etc/passwd')",
  "SELECT GET_LOCK('a', 0)",
  'HANDLER t OPEN',
  'DO erase()',
  'CALL p()',
  "PREPARE x FROM 'DELETE FROM t'",
  "EXECUTE IMMEDIATE 'DELETE FROM t'",
  'BEGIN NOT ATOMIC DELETE FROM t; END',
  'SET STATEMENT max_statement_time = 1 FOR DELETE FROM t',
  'SET @x = 1',
  'START TRANSACTION READ WRITE',
  'COMMIT',
  'LOCK TABLES t WRITE',
  "LOAD DATA INFILE '/etc/passwd' INTO TABLE t",
  'CREATE TEMPORARY TABLE t (a INT)',
  'CREATE TABLE copied SELECT * FROM secrets',
  'CREATE OR REPLACE TABLE t (a INT)',
  'TRUNCATE t',
  'RENAME TABLE secrets TO plain',
  'DROP TABLE t',
  'WITH c AS (SELECT 1) DELETE\u{feff}FROM t',
  'DELETE\u{a0}FROM t',
  'DELETE\u{b}FROM t',
];

/** @type {[any, string][]} */
const ORDINARY = [
  [
    {},
    "SELECT a, 5--1 AS six, 0x41, 1e5, .5, 'it''s', _utf8mb4'x', `a` AS `odd``name` FROM t WHERE a LIKE 'o%' # done",
  ],
  [{}, "INSERT INTO t (a) VALUES ('x') ON DUPLICATE KEY UPDATE a = 'y'"],
  [{}, 'INSERT INTO t (a) VALUES (1) RETURNING id'],
  [{}, 'SELECT * FROM 2024_sales'],
  [{}, "SELECT @@version, sleep(0), json_value('{\"a\":[1]}', '$.a[0]')"],
  [{}, 'SHOW TABLES'],
  [{}, 'SHOW FULL COLUMNS FROM t'],
  [{}, 'DESCRIBE t'],
  [{ readOnly: true }, 'SELECT count(*) FROM t JOIN secrets USING (id)'],
  [{ allow: { verbs: ['select', 'replace'] } }, "REPLACE INTO t (id, a) VALUES (1, 'x')"],
  [{ allow: { tables: ['t'] } }, "SELECT max(a) FROM t AS x WHERE a <> 'secrets'"],
  [{ allow: { tables: ['t'] } }, 'UPDATE t SET a = (SELECT 1) WHERE id = 1'],
  [{ deny: { tables: ['2024_sales'] } }, "SELECT 'secrets' AS word"],
];

describe.skipIf(!hasServer('mariadb'))('rules on MariaDB', () => {
  /** @type {import('../helpers/shared_servers.js').Database} */
  let server;
  /** @type {mysql.Pool} */
  let pool;
  /** @type {mysql.Connection} */
  let oracle;

  beforeAll(async () => {
    server = await ownDatabase('mariadb', 'shop');
    const settings = { ...server.settings, multipleStatements: true };
    oracle = await mysql.createConnection(settings);
    await oracle.query(`CREATE TABLE t (id INT AUTO_INCREMENT PRIMARY KEY, a VARCHAR(100)) ENGINE=InnoDB;
      CREATE TABLE secrets (id INT PRIMARY KEY, s VARCHAR(100)) ENGINE=InnoDB;
      CREATE TABLE 2024_sales (a INT);
      CREATE SEQUENCE counter;
      INSERT INTO 2024_sales VALUES (7);
      CREATE FUNCTION erase() RETURNS INT BEGIN DELETE FROM t WHERE id = 1; RETURN 1; END;
      CREATE PROCEDURE p() DELETE FROM t`);
    await reset();
    pool = mysql.createPool({ ...settings, connectionLimit: 1 });
  });

  afterAll(async () => {
    await pool?.end();
    await oracle?.end();
    await server?.stop();
  });

  const reset = () =>
    oracle.query(`DROP TABLE IF EXISTS plain, copied; ALTER SEQUENCE counter RESTART; TRUNCATE t; TRUNCATE secrets;
      INSERT INTO t (a) VALUES ('one'), ('two'), ('three');
      INSERT INTO secrets VALUES (1, '${SECRET}'), (2, 'other');
      ANALYZE TABLE secrets PERSISTENT FOR ALL`);

  const state = async () => {
    const [tables] = /** @type {[any[], any]} */ (
      await oracle.query("SHOW FULL TABLES WHERE Table_type = 'BASE TABLE'")
    );
    /** @type {Record<string, string[]>} */
    const rows = {};
    for (const { Tables_in_shop: name } of tables) {
      const [found] = /** @type {[any[], any]} */ (await oracle.query(`SELECT * FROM \`${name}\``));
      rows[name] = found.map((row) => JSON.stringify(row));
    }
    const [counter] = await oracle.query('SELECT next_not_cached_value FROM counter');
    return { rows, rest: JSON.stringify([tables, counter]) };
  };

  it.each(['', 'ANSI_QUOTES', 'NO_BACKSLASH_ESCAPES', 'MSSQL', 'ORACLE'])(
    'no attempt makes a forbidden change or reveals the secret, with sql_mode %j',
    async (mode) => {
      expect(ATTEMPTS.length).toBeGreaterThan(60);
      await pool.query(`SET SESSION sql_mode = '${mode}'`);
      expect(await violations(pool, ATTEMPTS, state, reset)).toEqual([]);
    },
  );

  it('rules that allow only reading apply to functions and sequences too', async () => {
    for (const options of [
      { readOnly: true },
      { allow: { verbs: ['select'] } },
      {
        deny: {
          verbs: ['insert', 'update', 'delete', 'replace', 'merge', 'truncate', 'create', 'alter', 'drop', 'maintain'],
        },
      },
    ]) {
      const { exec_sql } = createSqlTools(pool, { ddl: true, .../** @type {any} */ (options) });
      for (const sql of ['SELECT erase()', 'SELECT nextval(counter)', 'SELECT NEXT VALUE FOR counter']) {
        await expect(exec_sql.execute({ sql }), sql).rejects.toThrow(/READ ONLY/);
      }
    }
  });

  it('writes to a table without transactions are refused, because a run could not be rolled back', async () => {
    await oracle.query(`CREATE TABLE log (a VARCHAR(100)) ENGINE=MyISAM; CREATE TABLE aria (a INT) ENGINE=Aria TRANSACTIONAL=0;
      CREATE VIEW log_view AS SELECT a FROM log; INSERT INTO log VALUES ('first')`);
    try {
      const { exec_sql } = createSqlTools(pool, { ddl: true });
      for (const sql of [
        "INSERT INTO log VALUES ('x')",
        'INSERT IGNORE INTO `shop`.`log` SELECT a FROM t',
        'REPLACE aria VALUES (1)',
        "UPDATE log SET a = 'x'",
        'DELETE FROM log',
        "UPDATE t JOIN log ON true SET log.a = 'x'",
        'DELETE log FROM log JOIN t ON true',
        "INSERT INTO log_view VALUES ('x')",
        "UPDATE shop.log_view SET a = 'x'",
      ]) {
        await expect(exec_sql.execute({ sql }), sql).rejects.toMatchObject({ code: 'ERR_SECURITY_VIOLATION' });
      }
      expect(await exec_sql.execute({ sql: 'SELECT a FROM log' })).toEqual([{ a: 'first' }]);
      expect(await exec_sql.execute({ sql: 'INSERT INTO t (a) SELECT a FROM log' })).toEqual([{ affected: 1 }]);
    } finally {
      await oracle.query('DROP VIEW log_view; DROP TABLE log, aria');
      await reset();
    }
  });

  it('writes to views over such a table are refused, and to views whose definition cannot be read', async () => {
    await oracle.query(`CREATE TABLE log (a VARCHAR(100)) ENGINE=MyISAM; CREATE VIEW log_1 AS SELECT a FROM log;
      CREATE VIEW log_2 AS SELECT a FROM log_1; CREATE VIEW \`log 3\` AS SELECT a FROM log_2;
      CREATE VIEW t_1 AS SELECT id, a FROM t; CREATE VIEW t_2 AS SELECT id, a FROM t_1;
      CREATE OR REPLACE USER viewer; GRANT SELECT, INSERT ON shop.t_1 TO viewer`);
    const viewer = mysql.createPool({ ...server.settings, user: 'viewer' });
    try {
      const { exec_sql } = createSqlTools(pool);
      for (const sql of [
        "INSERT INTO log_2 VALUES ('x')",
        "REPLACE shop.`log 3` VALUES ('x')",
        "UPDATE log_2 SET a = 'x'",
        'DELETE FROM `log 3`',
        "UPDATE t JOIN log_2 ON true SET log_2.a = 'x'",
      ]) {
        await expect(exec_sql.execute({ sql }), sql).rejects.toMatchObject({
          code: 'ERR_SECURITY_VIOLATION',
          message: expect.stringContaining('MyISAM'),
        });
      }
      const sql = "INSERT INTO t_1 (a) VALUES ('x')";
      expect(await exec_sql.execute({ sql })).toEqual([{ affected: 1 }]);
      expect(await exec_sql.execute({ sql: "UPDATE t_2 SET a = 'y' WHERE a = 'x'" })).toEqual([{ affected: 1 }]);
      await expect(createSqlTools(viewer).exec_sql.execute({ sql })).rejects.toThrow(/SHOW VIEW/);
      expect((await oracle.query('SELECT count(*) AS n FROM log'))[0]).toEqual([{ n: 0 }]);
    } finally {
      await viewer.end();
      await oracle.query('DROP USER viewer; DROP VIEW t_1, t_2, log_1, log_2, `log 3`; DROP TABLE log');
      await reset();
    }
  });

  it('a trigger that writes to a table without transactions is reported', async () => {
    await oracle.query(`CREATE TABLE log (a VARCHAR(100)) ENGINE=MyISAM;
      CREATE TRIGGER logged AFTER UPDATE ON t FOR EACH ROW INSERT INTO log VALUES ('x')`);
    try {
      /** @type {unknown[]} */
      const warned = [];
      const logger = { ...console, warn: (/** @type {unknown} */ text) => warned.push(text) };
      const { forge } = await sqlKernel(pool, { logger });
      const run = await forge(
        "export default async () => { await tgp.exec_sql(\"UPDATE t SET a = 'y' WHERE id = 1\"); throw new Error('no'); };",
      );
      await expect(run()).rejects.toMatchObject({ code: 'ERR_TOOL_THROWN' });
      expect(warned.join('\n')).toContain('did not confirm that the statements of a run were rolled back');
    } finally {
      await oracle.query('DROP TRIGGER logged; DROP TABLE log');
      await reset();
    }
  });

  it('a table whose name begins with digits is denied by its name', async () => {
    const { exec_sql } = createSqlTools(pool, { deny: { tables: ['2024_sales'] } });
    for (const sql of ['SELECT * FROM 2024_sales', 'SELECT * FROM shop.2024_sales', 'SELECT * FROM `2024_sales`']) {
      await expect(exec_sql.execute({ sql }), sql).rejects.toMatchObject({ code: 'ERR_SECURITY_VIOLATION' });
    }
  });

  it('ordinary statements pass', async () => {
    await pool.query("SET SESSION sql_mode = ''");
    expect(await refusedOrdinary(pool, ORDINARY)).toEqual([]);
  });

  it('statements classified as reads run in a read-only transaction', async () => {
    const rules = new SqlRules();
    let ran = 0;
    for (const sql of oddStatements(1_500)) {
      let judged;
      try {
        judged = await rules.judge(sql, [], 'mysql');
      } catch {
        continue;
      }
      if (judged.access !== 'read') continue;
      await oracle.query('START TRANSACTION READ ONLY');
      const error = await oracle.query(judged.sql).then(
        () => undefined,
        (/** @type {any} */ caught) => caught,
      );
      await oracle.query('ROLLBACK');
      expect(error?.errno, sql).not.toBe(1792);
      if (!error) ran += 1;
    }
    expect(ran).toBeGreaterThan(20);
  });
});
