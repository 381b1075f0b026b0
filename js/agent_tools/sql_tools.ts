import { throwIfAborted, untilAborted } from '../boundary/abort.js';
import type { Caller } from '../boundary/caller.js';
import { parseArguments } from '../boundary/validation.js';
import { ON_BEHALF, SQL } from '../kernel/access_symbols.js';
import type { OwnCall } from '../kernel/calls/kernel_calls.js';
import { dryRunResult } from '../kernel/runs/dry_run.js';
import type { TGP } from '../kernel/tgp.js';
import type { DatabaseAdapter } from '../sql/adapter.js';
import { describeSchema } from '../sql/catalogue/describe_schema.js';
import { answerRows } from '../sql/rows/answer_text.js';
import type { SqlRules } from '../sql/rules.js';
import type { SqlRun } from '../sql/run/dry_sql.js';
import { drySql } from '../sql/run/dry_sql.js';
import { holdsTransactions, sqlRun } from '../sql/run/sql_run.js';
import { openSource, settingsOf } from '../sql/sql_settings.js';
import { AGENT_TOOLS } from '../tool_shape/agent_tool_table.js';
import { boundedTools } from '../tool_shape/bounded_result.js';
import { listPage } from '../tool_shape/pages.js';
import { ownedTools } from '../tool_shape/tool_owner.js';
import type { SqlSource, SqlToolOptions, SqlTools } from '../types/sql.js';
import type { TGPToolsOptions } from '../types/tools.js';
import { agentOwner, guardedTools } from './agent_owner.js';
import { implementedTools } from './checked_tool.js';
import { policyCalls } from './policy_calls.js';
import { fewer } from './tool_answers.js';
import { TgpToolsOptionsSchema } from './tools_options.js';

/** Maximum number of rows in the result of a dry run. */
const PREVIEW_ROWS = 20;
/** Advice for rows that are not shown. */
const PAGING = 'Add ORDER BY with LIMIT and OFFSET, or select fewer columns or a sum.';

/**
 * Creates tools for an agent to query a database directly. Each `exec_sql` is one statement in its own transaction.
 *
 * Rows: integers beyond 2^53 and decimals are strings, dates are ISO text, bytes are `{ $base64: '…' }`, JSON and arrays
 * are values, NaN and the infinities are their names. Parameters take the same, and BigInt, Date and Uint8Array; NaN is
 * refused. Parameters of `tgp.exec_sql` in a tool cross as JSON first: bytes are passed as `{ $base64: '…' }`, a BigInt
 * arrives as its decimal text and NaN as NULL.
 *
 * With a kernel they use its database and its SQL settings; `options` override them, and set the identity of the caller like those of
 * {@link tgpTools}. If the database is set in the config, boot the kernel first.
 *
 * @example
 * const tools = { ...tgpTools(kernel), ...createSqlTools(pool, { readOnly: true }) };
 * @example
 * await kernel.boot();
 * const tools = { ...tgpTools(kernel), ...createSqlTools(kernel) };
 */
export function createSqlTools(source: SqlSource | TGP, options: SqlToolOptions & TGPToolsOptions = {}): SqlTools {
  const { database, settings, access, owner } = databaseOf(source, options);
  const { adapter, rules } = openSource(database, settings);
  const { dialect, once } = adapter;

  /** Runs `work` in a transaction if possible; it is rolled back when `work` fails or is aborted. */
  const inRun = <T>(
    database: DatabaseAdapter,
    work: (run: SqlRun) => Promise<T>,
    under: SqlRules,
    signal: AbortSignal | undefined,
  ) => during(sqlRun(database, under), work, signal);
  const during = async <T>(run: SqlRun, work: (run: SqlRun) => Promise<T>, signal: AbortSignal | undefined) => {
    throwIfAborted(signal);
    try {
      const value = await untilAborted(work(run), signal);
      await run.commit();
      return value;
    } catch (error) {
      await run.rollback();
      throw error;
    }
  };
  /** Records `work` in the kernel's ledger, if the database is a kernel's. */
  const recorded = <T>(call: Omit<OwnCall, 'caller'>, work: () => Promise<T>, caller?: Caller) =>
    access ? access.own({ ...call, caller }, work) : work();
  const execute = (run: SqlRun, sql: string, params: unknown) => {
    const judged = access?.sqlDetail() ?? 'nothing';
    return run.execute(sql, params, { judged, isOnly: true, openTables: access?.openTables });
  };
  const dry = drySql(adapter, { ...settings, ...options });
  // Schema lookups need no transaction.
  const lookup = once ? { dialect, once } : adapter;

  const { description } = AGENT_TOOLS.exec_sql;
  const tools = implementedTools(false, {
    exec_sql: {
      description: holdsTransactions(adapter) ? `${description} Each call is a transaction of its own.` : description,
      run: async ({ sql, params }, signal) => {
        const call = { tool: 'exec_sql', effect: 'sql', changes: true, args: { sql, params } };
        const answer = await recorded(call, () => inRun(adapter, (run) => execute(run, sql, params), rules, signal));
        const rows = answerRows(answer);
        if (!rules.options.dryRun) return listPage(rows, fewer(PAGING));
        return { dryRun: true as const, affected: answer.affected, rows: rows.slice(0, PREVIEW_ROWS) };
      },
      preview: async ({ sql, params }, signal) => {
        const call = { tool: 'exec_sql', effect: 'sql', changes: false, args: { sql, params } };
        const work = () => during(dry.begin(), (run) => execute(run, sql, params), signal);
        const answer = await recorded(call, work, { dryRun: true });
        const result = answerRows(answer).slice(0, PREVIEW_ROWS);
        return dryRunResult({ result, sql: await dry.listed(sql, params, answer) });
      },
    },
    describe_schema: {
      run: ({ table }, signal) =>
        recorded({ tool: 'describe_schema', effect: 'read', changes: false, args: { table } }, () =>
          describeSchema(adapter, rules, (...args) => inRun(lookup, ...args), table, signal, access?.openTables),
        ),
    },
  });
  const result = { maxChars: () => rules.options.resultChars };
  if (owner === undefined) return boundedTools(tools, result) as SqlTools;
  const descriptions = policyCalls(async (_, args) => args);
  return ownedTools(boundedTools(guardedTools(tools, owner, descriptions), result), owner) as SqlTools;
}

/** The database source and settings: of a plain source, or of a kernel, then with access and owner. */
function databaseOf(source: SqlSource | TGP, options: SqlToolOptions & TGPToolsOptions) {
  if (!isKernel(source)) return { database: source, settings: { ...options }, access: undefined, owner: undefined };
  const { session, model, agent, token, approve, approval, ...own } = { ...options };
  const entries = Object.entries({ session, model, agent, token, approve, approval });
  const defined = Object.fromEntries(entries.filter(([, value]) => value !== undefined));
  const {
    agent: id,
    approval: by,
    ...caller
  } = parseArguments(TgpToolsOptionsSchema, defined, 'createSqlTools options');
  const owner = agentOwner(source, { agent: 'agent', ...(id !== undefined && { id }), ...caller }, by);
  const { source: database, options: settings } = settingsOf(source[SQL]());
  return { database, settings: { ...settings, ...own }, access: source[ON_BEHALF](owner.caller), owner };
}

function isKernel(source: unknown): source is TGP {
  return typeof source === 'object' && source !== null && typeof (source as Partial<TGP>)[SQL] === 'function';
}
