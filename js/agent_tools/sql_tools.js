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
import { listPage } from '../tool_shape/pages.js';
import { ownedTools } from '../tool_shape/tool_owner.js';
import { agentOwner, guardedTools } from './agent_owner.js';
import { checkedTool } from './checked_tool.js';
import { fewer } from './file_answers.js';
import { toldCalls } from './told_calls.js';
import { DescribeSchemaParams, ExecSqlParams, TgpToolsOptionsSchema } from './tool_parameters.js';

/** Rows of a dry run that are shown. */
const PREVIEW_ROWS = 20;
/** How the rows are got that were not shown. */
const PAGING = 'Add ORDER BY with LIMIT and OFFSET, or select fewer columns or a sum.';

/** @type {typeof import('../../index.js').createSqlTools} */
export function createSqlTools(given, options = {}) {
  const { source, settings, access, owner } = databaseOf(given, options);
  const { adapter, rules } = openSource(source, settings);
  const { dialect, once } = adapter;

  /**
   * A run around `work`, rolled back where that is possible when it fails or the caller gives up.
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
   * Work that a kernel's ledger has, where the database is a kernel's.
   * @template T
   * @param {Pick<import('../kernel/kernel_calls.js').OwnCall, 'tool' | 'effect' | 'args' | 'changes'>} call
   * @param {() => Promise<T>} work
   * @param {import('../kernel/kernel_calls.js').CallerIdentity} [who]
   */
  const recorded = (call, work, who) => (access ? access.own({ ...call, who }, work) : work());
  /** @param {import('../sql/dry_sql.js').SqlRun} run @param {string} sql @param {any} params */
  const execute = (run, sql, params) => {
    const judged = access?.sqlDetail() ?? 'nothing';
    return run.execute(sql, params, { judged, isOnly: true, openTables: access?.openTables });
  };
  const dry = drySql(adapter, { ...settings, ...options });
  // What is only looked up needs no transaction.
  const lookedUp = once ? { dialect, once } : adapter;

  const tools = {
    exec_sql: checkedTool(
      'exec_sql',
      `Run one SQL statement against the application database${holdsTransactions(adapter) ? ', in a transaction of its own' : ''}. Returns the rows; a statement without rows returns [{ affected }]. Values go into params: an array for ? or $1, an object for :name.`,
      ExecSqlParams,
      async ({ sql, params }, signal) => {
        const changes = !/^\s*select\b/i.test(sql);
        const call = { tool: 'exec_sql', effect: 'sql', changes, args: { sql, params } };
        const answer = await recorded(call, () => inRun(adapter, (run) => execute(run, sql, params), rules, signal));
        const rows = answerRows(answer);
        if (!rules.options.dryRun) return listPage(rows, fewer(PAGING));
        return { dryRun: /** @type {const} */ (true), affected: answer.affected, rows: rows.slice(0, PREVIEW_ROWS) };
      },
      {
        isAlways: false,
        preview: async ({ sql, params }, signal) => {
          const call = { tool: 'exec_sql', effect: 'sql', changes: false, args: { sql, params } };
          const work = () => during(dry.begin(), (run) => execute(run, sql, params), signal);
          const answer = await recorded(call, work, { dryRun: true });
          const result = answerRows(answer).slice(0, PREVIEW_ROWS);
          return dryRunResult({ result, sql: await dry.listed(sql, params, answer) });
        },
      },
    ),
    describe_schema: checkedTool(
      'describe_schema',
      'Tables of the application database with columns, types, keys and estimated row counts. Call it before writing SQL.',
      DescribeSchemaParams,
      ({ table }, signal) =>
        recorded({ tool: 'describe_schema', effect: 'read', changes: false, args: { table } }, () =>
          describeSchema(adapter, rules, (...args) => inRun(lookedUp, ...args), table, signal, access?.openTables),
        ),
    ),
  };
  const result = { maxChars: () => rules.options.resultChars };
  if (owner === undefined) return boundedTools(tools, result);
  return ownedTools(
    boundedTools(
      guardedTools(
        tools,
        owner,
        toldCalls(async (_, args) => args),
      ),
      result,
    ),
    owner,
  );
}

/**
 * A database by itself, or that of a kernel with what its tools may do there, and for whom.
 * @param {any} given
 * @param {import('../../index.js').SqlToolOptions & import('../../index.js').TGPToolsOptions} options
 */
function databaseOf(given, options) {
  const isKernel = typeof given === 'object' && given !== null && typeof given[SQL] === 'function';
  if (!isKernel) return { source: given, settings: { ...options }, access: undefined, owner: undefined };
  /** @type {import('../kernel/tgp.js').TGP} */
  const kernel = given;
  const { session, model, agent, token, approve, approval, ...own } = { ...options };
  const named = Object.entries({ session, model, agent, token, approve, approval });
  const asked = Object.fromEntries(named.filter(([, value]) => value !== undefined));
  const { agent: id, approval: by, ...who } = parseArguments(TgpToolsOptionsSchema, asked, 'createSqlTools options');
  const owner = agentOwner(kernel, { agent: 'agent', ...(id !== undefined && { id }), ...who }, by);
  const { source, options: settings } = settingsOf(kernel[SQL]());
  return { source, settings: { ...settings, ...own }, access: kernel[ON_BEHALF](owner.who), owner };
}
