/** The commands about tools: list, find, show, check and run them. */

import { readAtMost, readTextAtMost } from '../../boundary/bounded_read.js';
import { ValidationError } from '../../boundary/errors.js';
import { BadJson, isRecord, parseForeignJson } from '../../boundary/foreign_json.js';
import { messageOf } from '../../boundary/thrown.js';
import { ARGUMENTS_OF, FILES } from '../../kernel/access_symbols.js';
import type { TGP } from '../../kernel/tgp.js';
import { report } from '../../tool_shape/agent_tool.js';
import type { Diagnostic, FixResult } from '../../types/kernel.js';
import type { ReuseTally } from '../../types/memory.js';
import type { Mode } from '../../types/tests.js';
import { err } from '../terminal/output.js';
import type { Format } from '../terminal/screen.js';
import { failure, field, json, line, printPreview, styled, withProgress } from '../terminal/screen.js';
import { findTool, isTest, toolPaths, withWorkspace } from '../workspace/workspace.js';

/** The largest `argsBytes` that a configuration can set. */
const MAX_ARGUMENT_BYTES = 64 << 20;

type Options = { config?: string; format: Format };

const SHORT_HASH = 7;

const COLOURS: Record<Diagnostic['severity'], 'red' | 'yellow' | 'cyan'> = {
  error: 'red',
  warning: 'yellow',
  advice: 'cyan',
};

/** `tgp list`: all tools. */
export async function list({ format, config }: Options) {
  const entries = await withWorkspace({ config }, async (kernel) => kernel.registry.list());
  const tools = entries.map(({ path, name, description, parameters, kind }) => ({
    path,
    name,
    description,
    parameters,
    kind,
  }));
  if (format === 'json') {
    json(tools);
    return 0;
  }
  const rows = tools.map(({ path, description }) => [field(path), field(description)]);
  const width = rows.reduce((most, [path = '']) => Math.max(most, path.length), 0);
  for (const [path = '', description = ''] of rows) {
    line(`${path.padEnd(width)}  ${styled('dim', description)}`.trimEnd());
  }
  if (tools.length === 0) line('There are no tools yet. Agents forge them; "tgp demo" shows how.');
  return 0;
}

/** `tgp find`: searches tools by meaning or words. */
export async function find(query: string, { format, config, limit }: Options & { limit?: number }) {
  const found = await withWorkspace({ config }, (kernel) => kernel.find(query, { limit }));
  if (format === 'json') {
    json(found);
    return 0;
  }
  for (const { score, path, description } of found) {
    line(`${score.toFixed(2)}  ${field(path)}  ${styled('dim', field(description))}`.trimEnd());
  }
  if (found.length === 0) line('No matching tool. "tgp list" lists all tools.');
  return 0;
}

/** `tgp stats`: how often tools were forged and reused. */
export async function stats({ format, config }: Options) {
  const stats = await withWorkspace({ config }, (kernel) => kernel.stats());
  if (format === 'json') {
    json(stats);
    return 0;
  }
  const { total, days, memory } = stats;
  for (const { day, ...tally } of days) line(`${styled('dim', day)}  ${tallied(tally)}`);
  line(`${days.length > 0 ? 'all days    ' : ''}${tallied(total)}`);
  line(memory.by === 'meaning' ? 'Search: by meaning and by words.' : 'Search: by words only.');
  return 0;
}

function tallied({ forged, reused, duplicate, refused }: ReuseTally) {
  return `${forged} forged, ${reused} reused, ${duplicate} duplicate, ${refused} refused`;
}

/** `tgp show`: the source of a tool and its findings. */
export async function show(tool: string, { format, config }: Options) {
  const shown = await withWorkspace({ config }, async (kernel) => {
    const path = await findTool(kernel, tool);
    return { path, source: await kernel[FILES].read('read_file', { path }), check: await kernel.check(path) };
  });
  if (format === 'json') {
    json(shown);
    return 0;
  }
  line(styled('bold', field(shown.path)));
  line(shown.check.valid ? styled('green', 'valid') : styled('red', shown.check.errors.join('\n')));
  if (shown.check.notice !== undefined) line(styled('yellow', shown.check.notice));
  line(`\n${shown.source.trimEnd()}`);
  return 0;
}

/** @param tools all tools if empty */
export async function check(tools: string[], { format, config, fix, yes }: Options & { fix?: boolean; yes?: boolean }) {
  const checked = await withProgress(format, 'Checking', () =>
    withWorkspace({ config, yes }, async (kernel) => {
      const paths =
        tools.length === 0 ? await toolPaths(kernel) : await Promise.all(tools.map((tool) => findTool(kernel, tool)));
      // One at a time: each fix is a commit.
      const repairs = new Map();
      if (fix) for (const path of paths) repairs.set(path, await repaired(kernel, path));
      return Promise.all(
        paths.map(async (path) => ({ path, ...(fix && { fixed: repairs.get(path) }), ...(await kernel.check(path)) })),
      );
    }),
  );
  const invalid = checked.filter(({ valid }) => !valid).length;
  if (format === 'json') {
    json(checked);
  } else {
    for (const { path, fixed } of checked) if (fixed?.applied > 0) printRepair(path, fixed);
    for (const { path, diagnostics } of checked) for (const found of diagnostics) printDiagnostic(path, found);
    const verdict = invalid === 0 ? styled('green', 'all valid') : styled('red', `${invalid} not valid`);
    const untyped = checked.filter(({ typesChecked }) => !typesChecked);
    line(`${checkedText(checked)} checked, ${verdict}${typesMissing(untyped)}`);
  }
  return invalid === 0 ? 0 : 1;
}

/** Counts tools and test files separately. */
function checkedText(checked: { path: string }[]) {
  const tests = checked.filter(({ path }) => isTest(path)).length;
  const tools = checked.length - tests;
  const counted = [
    ...(tools > 0 || tests === 0 ? [`${tools} ${tools === 1 ? 'tool' : 'tools'}`] : []),
    ...(tests > 0 ? [`${tests} ${tests === 1 ? 'test file' : 'test files'}`] : []),
  ];
  return counted.join(' and ');
}

/** Fixes a tool if there is something to fix, so that no approval is requested otherwise. */
async function repaired(kernel: TGP, path: string): Promise<FixResult> {
  const { diagnostics } = await kernel.check(path);
  return diagnostics.some(({ fix }) => fix !== undefined) ? kernel.fix(path) : { applied: 0 };
}

/**
 * A note about tools whose types were not checked.
 * @param untyped tools whose types were not checked
 */
function typesMissing(untyped: { path: string; notice?: string }[]) {
  const notices = new Set(untyped.map(({ notice }) => notice));
  if (untyped.length === 0) return '';
  const whose = untyped.length === 1 ? field(untyped[0]?.path) : `${untyped.length} of them`;
  return `; ${styled('yellow', `types not checked: ${whose}`)}\n${[...notices].join('\n')}`;
}

function printRepair(path: string, { applied, written }: FixResult) {
  const repairs = `${applied} ${applied === 1 ? 'repair' : 'repairs'}`;
  const commit = written?.commit === undefined ? '' : `, commit ${written.commit.slice(0, SHORT_HASH)}`;
  line(`${field(path)}  ${styled('green', 'fixed')}  ${repairs}${commit}`);
}

/** `tgp exec`: runs a tool. */
export async function exec(
  tool: string,
  {
    format,
    config,
    args,
    yes,
    ...limits
  }: Options & { args?: string; timeoutMs?: number; memoryMb?: number; yes?: boolean; dryRun?: boolean; mode?: Mode },
) {
  const values = await readArguments(args);
  let cause: unknown;
  const outcome = await withWorkspace({ config, yes }, async (kernel, approver) => {
    const path = await findTool(kernel, tool);
    const fitting = await kernel[ARGUMENTS_OF](path, values);
    const run = kernel.exec(path, fitting, limits).catch((error) => {
      cause = approver.explained(error);
      throw cause;
    });
    return report(run);
  });
  if (outcome.dryRun === true) return printPreview(format, outcome);
  if (format === 'json') {
    if (outcome.success) json(outcome);
    else failure(format, cause);
  } else {
    for (const { level, message } of outcome.logs) err(`${level}: ${message}\n`);
    if (outcome.success) json(outcome.result);
    else err(`${outcome.error} [${outcome.code}]\n${stackOf(outcome)}`);
  }
  return outcome.success ? 0 : 1;
}

/** @param text JSON text, `@file`, or `-` for standard input */
export async function readArguments(text = '{}'): Promise<Record<string, unknown>> {
  const source = text === '-' || text.startsWith('@') ? await readSource(text) : text;
  let problem = 'is not a JSON object';
  try {
    const value = parseForeignJson(source);
    if (isRecord(value)) return value;
  } catch (error) {
    problem = `is not valid JSON: ${messageOf(error instanceof BadJson ? (error.cause ?? error) : error)}`;
  }
  throw new ValidationError(
    `--args ${problem}. Use an object such as '{"n": 10}', @file.json, or - for standard input.`,
    { details: { field: 'args' } },
  );
}

/** @param name `@file`, or `-` for standard input */
async function readSource(name: string) {
  try {
    if (name === '-') return (await readAtMost(process.stdin, MAX_ARGUMENT_BYTES)).toString('utf8');
    return await readTextAtMost(name.slice(1), MAX_ARGUMENT_BYTES);
  } catch (error) {
    const source = name === '-' ? 'Standard input' : `The file "${name.slice(1)}"`;
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    const problem = isMissing ? 'does not exist' : 'cannot be read';
    throw new ValidationError(`${source}, named by --args, ${problem}.`, { details: { field: 'args' } });
  }
}

function stackOf({ error, stack }: { error: string; stack?: string }) {
  if (stack === undefined) return '';
  // Drops the message, which may have several lines and is printed already.
  const start = stack.indexOf(error);
  const frames = start < 0 ? stack : stack.slice(start + error.length).replace(/^\n/, '');
  return frames === '' ? '' : `${frames}\n`;
}

function printDiagnostic(path: string, { line: row, column, severity, rule, message, help }: Diagnostic) {
  line(`${field(path)}:${row}:${column}  ${styled(COLOURS[severity], severity)}  ${message}  ${styled('dim', rule)}`);
  if (help !== undefined) line(`    ${help}`);
}
