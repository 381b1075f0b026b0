import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSqlTools, sqlite } from '../../index.js';
import { sqlKernel } from '../helpers/sql_kernel.js';
import { createSubscriptionBusiness, USERS } from '../helpers/subscription_business.js';

describe('tasks on the database of a subscription business with 50 000 users', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tgp-stories-'));
  /** @type {import('better-sqlite3').Database} */
  let db;
  /** @type {import('../../index.js').SqlAdapter} */
  let source;

  beforeAll(() => {
    const file = join(folder, 'business.db');
    db = createSubscriptionBusiness(file);
    source = sqlite(file);
  });
  afterAll(async () => {
    await source.close?.();
    db.close();
    rmSync(folder, { recursive: true });
  });

  const one = (/** @type {string} */ sql, /** @type {any[]} */ ...params) =>
    /** @type {any} */ (db.prepare(sql).get(...params)).n;

  it('describe_schema: tables, row counts and foreign keys', async () => {
    const { tables } = await createSqlTools(source).describe_schema.execute({});
    expect(tables.map(({ name, rows }) => [name, rows])).toContainEqual(['users', USERS]);
    expect(tables.find(({ name }) => name === 'plan_changes')?.foreignKeys).toHaveLength(3);
  });

  it('reporting: users who downgraded in June, pipe-delimited', async () => {
    const { forge } = await sqlKernel({ source, readOnly: true });
    const run = await forge(
      `type Args = { from: string; to: string; delimiter: string };
      type Row = { id: number; name: string; email: string; old_plan: string; new_plan: string };
      export default async function downgrades(args: Args) {
        const rows: Row[] = await tgp.exec_sql(
          \`SELECT u.id, u.name, u.email, o.name AS old_plan, n.name AS new_plan
           FROM plan_changes c JOIN users u ON u.id = c.user_id JOIN plans o ON o.id = c.from_plan JOIN plans n ON n.id = c.to_plan
           WHERE c.changed_at >= :from AND c.changed_at < :to AND n.price_cents < o.price_cents ORDER BY u.id\`,
          { from: args.from, to: args.to },
        );
        const cell = (value: unknown) => String(value).replaceAll(args.delimiter, ' ');
        const header = ['id', 'name', 'email', 'old_plan', 'new_plan'];
        return [header, ...rows.map((row) => [row.id, row.name, row.email, row.old_plan, row.new_plan].map(cell))]
          .map((line) => line.join(args.delimiter)).join('\\n');
      }`,
      'tools/reports/downgrade.ts',
    );
    const { result } = await run({ from: '2024-06-01', to: '2024-07-01', delimiter: '|' });
    const lines = result.split('\n');
    const wanted = one(
      "SELECT count(*) AS n FROM plan_changes WHERE changed_at LIKE '2024-06-%' AND to_plan < from_plan",
    );
    expect(wanted).toBeGreaterThan(100);
    expect(lines).toHaveLength(wanted + 1);
    expect(lines.every((/** @type {string} */ line) => line.split('|').length === 5)).toBe(true);
  });

  it("clean-up: the typo in 'Ohiio' for active users, atomically", async () => {
    const typo = "SELECT count(*) AS n FROM users WHERE state = 'Ohiio' AND active = ?";
    const before = { active: one(typo, 1), inactive: one(typo, 0) };
    expect(before.active).toBeGreaterThan(100);
    const { forge } = await sqlKernel(source);
    const run = await forge(
      `type Args = { wrong: string; right: string; expected?: number };
      export default async function fixTypo(args: Args) {
        const [{ affected }] = await tgp.exec_sql(
          'UPDATE users SET state = :right WHERE state = :wrong AND active = 1', { right: args.right, wrong: args.wrong });
        if (args.expected !== undefined && affected !== args.expected) throw new Error(\`expected \${args.expected}, would change \${affected}\`);
        return { fixed: affected };
      }`,
      'tools/maintenance/fix_typo.ts',
    );
    await expect(run({ wrong: 'Ohiio', right: 'Ohio', expected: 1 })).rejects.toThrow(/would change/);
    expect(one(typo, 1)).toBe(before.active);
    expect((await run({ wrong: 'Ohiio', right: 'Ohio', expected: before.active })).result).toEqual({
      fixed: before.active,
    });
    expect([one(typo, 1), one(typo, 0)]).toEqual([0, before.inactive]);
  });

  it('logic: dimensional weight, deterministic', async () => {
    const { forge } = await sqlKernel({ source, readOnly: true });
    const run = await forge(
      `type Args = { divisor: number; limit: number };
      type Parcel = { id: number; length: number; width: number; height: number; weight: number };
      export default async function dimWeight({ divisor, limit }: Args) {
        if (!(divisor > 0)) throw new Error('divisor must be above 0');
        const parcels: Parcel[] = await tgp.exec_sql('SELECT id, length, width, height, weight FROM parcels ORDER BY id LIMIT ?', [limit]);
        return parcels.map(({ id, length, width, height, weight }) => {
          const dimensional = (length * width * height) / divisor;
          return { id, dimensional, billable: Math.ceil(Math.max(dimensional, weight)) };
        });
      }`,
      'tools/shipping/dim_weight.ts',
    );
    const first = await run({ divisor: 139, limit: 1_000 }, { timeoutMs: 1_000 });
    expect(first.result).toHaveLength(1_000);
    const { length, width, height, weight } = /** @type {any} */ (
      db.prepare('SELECT * FROM parcels ORDER BY id').get()
    );
    const dimensional = (length * width * height) / 139;
    expect(first.result[0]).toMatchObject({ dimensional, billable: Math.ceil(Math.max(dimensional, weight)) });
    expect((await run({ divisor: 139, limit: 1_000 }, { timeoutMs: 1_000 })).result).toEqual(first.result);
    await expect(run({ divisor: 0, limit: 1 })).rejects.toThrow('divisor must be above 0');
  });
});
