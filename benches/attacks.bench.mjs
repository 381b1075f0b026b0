/**
 * Attacks on the host: outcome and duration of the call, and the increase of the process's memory above idle. Each runs in a
 * separate process with a timeout. `TGP_BEFORE=/path/to/index.js` compares another build. Peak memory is that of the
 * application's process only.
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureBetterSqlite3 } from '../tools/better_sqlite3.mjs';
import { hasServer, startServer } from '../tools/database_server.mjs';
import { record } from './record.mjs';

const CUT_OFF_MS = 40_000;
const LOOK_MS = 5;

const BUILDS = {
  ...(process.env.TGP_BEFORE && { before: new URL(process.env.TGP_BEFORE, 'file:').href }),
  now: new URL('../index.js', import.meta.url).href,
};

/** The code with which an application opens each database. */
const OPEN = {
  pg: `new (await import('pg')).default.Pool({ host: '127.0.0.1', port: ports.postgres, user: 'postgres', database: 'postgres' })`,
  postgresJs: `(await import('postgres')).default({ host: '127.0.0.1', port: ports.postgres, user: 'postgres', database: 'postgres' })`,
  mysql2: `(await import('mysql2/promise')).default.createPool({ host: '127.0.0.1', port: ports.mariadb, user: 'root', database: 'mysql' })`,
  embedded: `tgp.sqlite('app.db')`,
  betterSqlite3: `new (await import('better-sqlite3')).default('app.db')`,
};

/**
 * @param {keyof typeof OPEN} source
 * @param {string} sql
 * @param {string} [options]
 */
const query = (source, sql, options = '{}') => ({
  setup: `const { exec_sql } = tgp.createSqlTools(${OPEN[source]}, ${options}); await exec_sql.execute({ sql: 'SELECT 1 AS one' });`,
  attack: `await exec_sql.execute({ sql: ${JSON.stringify(sql)} })`,
});

const KERNEL = `const kernel = new tgp.TGP({ config: { rootDir: '.tgp', ...CONFIG }, logger: { debug() {}, info() {}, warn() {}, error() {} } });
  const tools = tgp.tgpTools(kernel); await kernel.boot();`;

/** @param {string} config */
const kernel = (config = '{}') => KERNEL.replace('CONFIG', config);

/** @type {Record<string, { setup: string, attack: string }>} */
const ATTACKS = {
  'pg: JSON nested 5 000 deep': query('pg', "SELECT (repeat('[', 5000) || repeat(']', 5000))::json AS j"),
  'pg: a row of 300 MB of quotes': query('pg', `SELECT repeat('"', 300000000) AS q`, '{ statementTimeoutMs: 30000 }'),
  'postgres.js: 10 columns of 50 MB': query(
    'postgresJs',
    `SELECT ${Array.from({ length: 10 }, (_, n) => `repeat('x', 50000000) AS c${n}`).join(', ')}`,
    '{ statementTimeoutMs: 30000 }',
  ),
  'mysql2: 8 columns of 15 MB': query(
    'mysql2',
    `SELECT ${Array.from({ length: 8 }, (_, n) => `repeat('x', 15000000) AS c${n}`).join(', ')}`,
    '{ statementTimeoutMs: 30000 }',
  ),
  'embedded SQLite: randomblob(900 MB)': query('embedded', 'SELECT length(randomblob(900000000)) AS n'),
  'better-sqlite3: an endless count': query(
    'betterSqlite3',
    'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) AS n FROM n',
  ),
  'embedded SQLite: a delete that looks like a read': {
    setup: `const source = ${OPEN.embedded}; const all = tgp.createSqlTools(source, { ddl: true }).exec_sql;
      await all.execute({ sql: 'CREATE TABLE t (a)' }); await all.execute({ sql: 'INSERT INTO t VALUES (1)' });
      const { exec_sql } = tgp.createSqlTools(source, { allow: { verbs: ['select'] } });`,
    attack: `await exec_sql.execute({ sql: "WITH c AS (SELECT $::a(')) DELETE FROM t -- '))" }).catch(() => {});
      const [{ n }] = await all.execute({ sql: 'SELECT count(*) AS n FROM t' }); throw Object.assign(new Error(), { code: n === 0 ? 'rows deleted' : 'rows kept' })`,
  },
  'apply_diff: a small diff that fits nowhere': {
    setup: `${kernel()}
      const line = (n) => Array.from({ length: 12 }, (_, i) => 'abcdefghijkl'[(n * 7 + i * i) % 12]).join('');
      const content = Array.from({ length: 6000 }, (_, n) => line(n)).join('\\n');
      await tools.write_file.execute({ path: 'data/big.txt', content });
      const diff = '<<<<<<< SEARCH\\n' + Array.from({ length: 300 }, (_, n) => line(n * 3 + 1) + 'x').join('\\n') + '\\n=======\\ny\\n>>>>>>> REPLACE';`,
    attack: `await tools.apply_diff.execute({ path: 'data/big.txt', diff })`,
  },
  'a tool that fans out, and a good one beside it': {
    setup: `${kernel('{ sandbox: { workers: 2 } }')}
      await tools.write_file.execute({ path: 'tools/spin.ts', content: 'const end = Date.now() + 40; while (Date.now() < end);' });
      await tools.write_file.execute({ path: 'tools/fan.ts', content: "await Promise.all(Array.from({ length: 300 }, () => tgp.exec_tool('tools/spin.ts', {}).catch(() => 0)))" });
      await tools.write_file.execute({ path: 'tools/good.ts', content: 'return 1' });
      await kernel.exec('tools/good.ts');`,
    attack: `const bad = kernel.exec('tools/fan.ts', {}, { wallMs: 20000 }).catch(() => {});
      await new Promise((done) => setTimeout(done, 200));
      await kernel.exec('tools/good.ts'); process.stdout.write('\\n')`,
  },
  'a tool that logs empty lines': {
    setup: `${kernel()} await tools.write_file.execute({ path: 'tools/log.ts', content: "for (let i = 0; i < 300000; i++) console.log('')" });`,
    attack: `const { logs } = await kernel.exec('tools/log.ts', {}, { timeoutMs: 5000 }); throw Object.assign(new Error(), { code: logs.length + ' lines' })`,
  },
  'MCP: GET //': {
    setup: `${kernel()}
      const { serveMcp } = await import(new URL('mcp.js', index).href); const { url } = await serveMcp(kernel);
      const { connect } = await import('node:net');`,
    attack: `await new Promise((done) => { const s = connect(new URL(url).port, '127.0.0.1'); s.on('error', done); s.on('close', done); s.resume(); s.end('GET // HTTP/1.1\\r\\nHost: 127.0.0.1\\r\\nConnection: close\\r\\n\\r\\n'); })`,
  },
  'a remote with a file of mode 100600': {
    setup: `const { execFileSync } = await import('node:child_process');
      const git = (args, input) => execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: 'r.git', input, encoding: 'utf8' }).trim();
      execFileSync('git', ['init', '-q', '--bare', '-b', 'main', 'r.git']);
      const blob = git(['hash-object', '-w', '--stdin'], 'return 1');
      const tree = git(['hash-object', '-t', 'tree', '-w', '--stdin', '--literally'], Buffer.concat([Buffer.from('100600 a.ts\\0'), Buffer.from(blob, 'hex')]));
      git(['update-ref', 'refs/heads/main', git(['commit-tree', tree, '-m', 'x'])]);
      const kernel = new tgp.TGP({ config: { rootDir: 'root', git: { repo: process.cwd() + '/r.git' } }, logger: { debug() {}, info() {}, warn() {}, error() {} } });`,
    attack: `await kernel.boot(); await kernel.shutdown()`,
  },
};

/**
 * @param {string} index
 * @param {Record<string, number>} ports
 * @param {{ setup: string, attack: string }} attack
 */
async function suffer(index, ports, { setup, attack }) {
  const folder = mkdtempSync(join(tmpdir(), 'tgp-bench-attacks-'));
  const program = `
    const index = ${JSON.stringify(index)}; const ports = ${JSON.stringify(ports)};
    const tgp = await import(index);
    ${setup.replace(/import\('((?!node:)[^']+)'\)/g, (_, name) => `import(${JSON.stringify(import.meta.resolve(name))})`)}
    globalThis.gc?.();
    process.stdout.write('ready\\n');
    const begun = performance.now();
    let outcome = 'ok';
    try { ${attack} } catch (error) { outcome = error.details?.reason ? error.code + ' ' + error.details.reason : (error.code ?? String(error)); }
    process.stdout.write(JSON.stringify({ outcome, ms: Math.round(performance.now() - begun) }) + '\\n');
    process.exit();`;
  const child = spawn(process.execPath, ['--expose-gc', '--input-type=module', '-e', program], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let printed = '';
  let idleKb = 0;
  let begun = 0;
  child.stdout.on('data', (chunk) => {
    printed += chunk;
    if (idleKb > 0 || !printed.includes('ready\n')) return;
    idleKb = memoryKb(child.pid, 'VmRSS');
    begun = performance.now();
  });
  let peakKb = 0;
  const look = setInterval(() => {
    peakKb = Math.max(peakKb, memoryKb(child.pid, 'VmHWM'));
  }, LOOK_MS);
  const cut = setTimeout(() => child.kill('SIGKILL'), CUT_OFF_MS);
  const [code, signal] = await once(child, 'exit');
  clearInterval(look);
  clearTimeout(cut);
  rmSync(folder, { recursive: true, force: true });
  const report = printed.split('\n').find((line) => line.startsWith('{'));
  const { outcome, ms } = report
    ? JSON.parse(report)
    : {
        outcome: signal === 'SIGKILL' ? 'still at it' : `the process ends (${signal ?? code})`,
        ms: Math.round(performance.now() - begun),
      };
  return `${outcome}, ${ms} ms, ${Math.max(0, Math.round((peakKb - idleKb) / 1024))} MB`;
}

/**
 * @param {number | undefined} pid
 * @param {string} key
 */
function memoryKb(pid, key) {
  try {
    return Number(new RegExp(`${key}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
  } catch {
    return 0;
  }
}

ensureBetterSqlite3();
const servers = /** @type {const} */ (['postgres', 'mariadb']).filter((name) => hasServer(name));
const running = await Promise.all(servers.map((name) => startServer(name)));
const ports = Object.fromEntries(servers.map((name, at) => [name, running[at]?.port ?? 0]));
process.stdout.write(
  `| attack | ${Object.keys(BUILDS).join(' | ')} |\n| --- | ${Object.keys(BUILDS)
    .map(() => '---')
    .join(' | ')} |\n`,
);
for (const [name, attack] of Object.entries(ATTACKS)) {
  const cells = [];
  for (const index of Object.values(BUILDS)) cells.push(await suffer(index, ports, attack));
  record(name, [], {
    group: 'attack',
    facts: Object.fromEntries(cells.map((cell, at) => [Object.keys(BUILDS)[at] ?? '', cell])),
  });
  process.stdout.write(`| ${name} | ${cells.join(' | ')} |\n`);
}
await Promise.all(running.map((server) => server.stop()));
