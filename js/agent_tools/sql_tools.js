import { throwIfAborted, untilAborted } from '../boundary/abort.js';
import { parseArguments } from '../boundary/validation.js';
import { ON_BEHALF, SQL } from '../kernel/agent_access.js';
import { dryRunResult } from '../kernel/dry_run.js';
import { answerRows } from '../sql/answer_text.js';
import { describeSchema } from '../sql/describe_schema.js';
import { drySql } from '../sql/dry_sql.js';
import { holdsTransactions, sqlRun } from '../sql/sql_run.js';
import { openSource, settingsOf } from '../sql/sql_settings.js';
import { boundedTools } from '../tool_shape/bounded_result.js';
import { KERNEL_TOOLS } from '../tool_shape/kernel_tool_table.js';
import { listPage } from '../tool_shape/pages.js';
import { ownedTools } from '../tool_shape/tool_owner.js';
import { agentOwner, guardedTools } from './agent_owner.js';
import { kernelTools } from './checked_tool.js';
import { fewer } from './file_answers.js';
import { policyCalls } from './policy_calls.js';
import { TgpToolsOptionsSchema } from './tools_options.js';

/** Maximum number of rows in the result of a dry run. */
const PREVIEW_ROWS = 20;
/** Advice for rows that are not shown. */
const PAGING = 'Add ORDER BY with LIMIT and OFFSET, or select fewer columns or a sum.';

/** @type {typeof import('../../index.js').createSqlTools} */
export function createSqlTools(database, options = {}) {
  const { source, settings, access, owner } = databaseOf(database, options);
  const { adapter, rules } = openSource(source, settings);
  const { dialect, once } = adapter;

  /**
   * Runs `work` in a transaction if possible; it is rolled back when `work` fails or is aborted.
   * @template T
   * @param {import('../sql/adapter.js').SqlAdapter} database
   * @param {(run: import('../sql/dry_sql.js').SqlRun) => Promise<T>} work
   * @param {import('../sql/rules.js').SqlRules} under
   * @param {AbortSignal | undefined} signal
   */
  const inRun = (database, work, under, signal) => during(sqlRun(database, under), work, signal);
  /**
   * @template T
   * @param {import('../sql/dry_sql.js').SqlRun} run
   * @param {(run: import('../sql/dry_sql.js').SqlRun) => Promise<T>} work
   * @param {AbortSignal | undefined} signal
   */
  const during = async (run, work, signal) => {
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
  /**
   * Records `work` in the kernel's ledger, if the database is a kernel's.
   * @template T
   * @param {Pick<import('../kernel/kernel_calls.js').OwnCall, 'tool' | 'effect' | 'args' | 'changes'>} call
   * @param {() => Promise<T>} work
   * @param {import('../kernel/kernel_calls.js').Caller} [caller]
   */
  const recorded = (call, work, caller) => (access ? access.own({ ...call, caller }, work) : work());
  /** @param {import('../sql/dry_sql.js').SqlRun} run @param {string} sql @param {any} params */
  const execute = (run, sql, params) => {
    const judged = access?.sqlDetail() ?? 'nothing';
    return run.execute(sql, params, { judged, isOnly: true, openTables: access?.openTables });
  };
  const dry = drySql(adapter, { ...settings, ...options });
  // Schema lookups need no transaction.
  const lookup = once ? { dialect, once } : adapter;

  const { description } = KERNEL_TOOLS.exec_sql;
  const tools = kernelTools(false, {
    exec_sql: {
      description: holdsTransactions(adapter)
        ? description.replace('.', ', in a transaction of its own.')
        : description,
      run: async ({ sql, params }, signal) => {
        const changes = !/^\s*select\b/i.test(sql);
        const call = { tool: 'exec_sql', effect: 'sql', changes, args: { sql, params } };
        const answer = await recorded(call, () => inRun(adapter, (run) => execute(run, sql, params), rules, signal));
        const rows = answerRows(answer);
        if (!rules.options.dryRun) return listPage(rows, fewer(PAGING));
        return { dryRun: /** @type {const} */ (true), affected: answer.affected, rows: rows.slice(0, PREVIEW_ROWS) };
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
  if (owner === undefined) return /** @type {any} */ (boundedTools(tools, result));
  const descriptions = policyCalls(async (_, args) => args);
  return /** @type {any} */ (ownedTools(boundedTools(guardedTools(tools, owner, descriptions), result), owner));
}

/**
 * The database source and settings: of a plain source, or of a kernel, then with access and owner.
 * @param {any} database
 * @param {import('../../index.js').SqlToolOptions & import('../../index.js').TGPToolsOptions} options
 */
function databaseOf(database, options) {
  const isKernel = typeof database === 'object' && database !== null && typeof database[SQL] === 'function';
  if (!isKernel) return { source: database, settings: { ...options }, access: undefined, owner: undefined };
  /** @type {import('../kernel/tgp.js').TGP} */
  const kernel = database;
  const { session, model, agent, token, approve, approval, ...own } = { ...options };
  const entries = Object.entries({ session, model, agent, token, approve, approval });
  const defined = Object.fromEntries(entries.filter(([, value]) => value !== undefined));
  const {
    agent: id,
    approval: by,
    ...caller
  } = parseArguments(TgpToolsOptionsSchema, defined, 'createSqlTools options');
  const owner = agentOwner(kernel, { agent: 'agent', ...(id !== undefined && { id }), ...caller }, by);
  const { source, options: settings } = settingsOf(kernel[SQL]());
  return { source, settings: { ...settings, ...own }, access: kernel[ON_BEHALF](owner.caller), owner };
}
