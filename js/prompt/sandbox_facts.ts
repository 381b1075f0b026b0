/** Prompt sections about the sandbox: limits, imports, files, network, database and functions, from the configuration. */

import type { SandboxConfig } from '../boundary/crossing.js';
import { oneLine } from '../boundary/harmless.js';
import type { FunctionGuide } from '../types/functions.js';
import { FUNCTIONS, GLOBALS } from './sandbox_api.js';
import { STD_API } from './std_api.js';
import { typeOf } from './typescript_signature.js';

type SqlGuide = { dialect: string | undefined; placeholders: string; readOnly: boolean; ddl: boolean; atomic: boolean };
type KnownConfig = {
  sandbox?: Partial<SandboxConfig>;
  fs?: { allowedDirs?: string[] };
  mode?: string;
  exempt?: string[];
  allowedImports?: string[];
  allowedFetchUrls?: string[];
  secrets?: Record<string, { hosts?: string[]; functions?: string[] }>;
};
/** What the sections are made from. */
export type Facts = {
  /** With its defaults; unknown members are omitted from the prompt. */
  config: KnownConfig;
  /** Undefined without a database. */
  sql: SqlGuide | undefined;
  /** Functions that the application adds to `tgp`. */
  functions: FunctionGuide[];
  /** Whether a policy applies. */
  isJudged?: boolean;
};

/** Maximum number of names in a list. */
const MAX_LISTED = 20;
const MAX_DESCRIPTION_CHARS = 160;

const STATE =
  'Nothing is kept between runs. There is no process, Buffer, eval or Node module. Never call Date.now(), new Date() or Math.random() in a tool: take time and chance as arguments, such as `now: string` and `seed: number`.';

const JUDGED =
  'A policy decides what you may do. ERR_DENIED: do not repeat the call; do what its message says is allowed. ERR_APPROVAL: the call was not approved; continue without it, or tell your user what needs approval.';

/** The path that stands for run_code. */
const CODE_PATH = 'tools/.code.ts';

const MODES: Record<string, string | undefined> = {
  strict:
    "Mode strict: test first. Write tools/x.test.ts (import { test, expect } from '@tgp/std/test'; import tool from './x'), see it fail with test_tool, write tools/x.ts, see it pass; then exec_tool may run it. ERR_STATE says which call comes first: make that one, do not work around it.",
  debug:
    'Mode debug: new tools need a test that was seen to fail (test_tool), and a tool is shared once its test passes. ERR_STATE says which call comes first.',
};

/** Whether run_code is allowed: in strict mode only if it is exempt from tests. */
export function mayRunCode({ mode, exempt = [] }: Facts['config']) {
  return mode !== 'strict' || exempt.includes(CODE_PATH);
}

/** The full section, in lines. */
export function sandboxFacts({ config, sql, isJudged }: Facts) {
  return [
    '# The sandbox',
    '',
    ...limits(config),
    STATE,
    globals(config),
    imports(config),
    files(config),
    network(config),
    secrets(config),
    database(sql, mayRunCode(config)),
    MODES[config.mode ?? 'explore'],
    isJudged ? JUDGED : undefined,
  ]
    .filter((line) => line !== undefined)
    .join('\n');
}

/** The available functions of `tgp`, as TypeScript. */
export function signatures({ config, sql, functions }: Facts) {
  const own = functions.map(({ name }) => name);
  const fetches = hasNetwork(config) && !own.includes('fetch');
  const shown = Object.entries(FUNCTIONS).filter(([name]) => {
    if (own.includes(name)) return false;
    return name === 'exec_sql' ? sql !== undefined : name === 'fetch' ? fetches : true;
  });
  const added = functions.map(addedFunction);
  const lines = [...shown.map(([, signature]) => `  ${signature}`), ...added.map((line) => `  ${line}`)];
  return ['declare const tgp: {', ...lines, '};'].join('\n');
}

/** The standard library, function by function. */
export function standardLibrary({ config }: Facts) {
  const parts = Object.entries(STD_API).filter(([part]) => part !== 'http' || hasNetwork(config));
  return [
    '@tgp/std (import { parse } from "@tgp/std/csv"); a day is text like "2024-02-29", money is { minor: bigint, currency }:',
    ...parts.map(([part, functions]) => `- ${part}: ${functions}`),
  ].join('\n');
}

/** The shortest form: names only. */
export function shortFacts({ config, sql, functions }: Facts) {
  const names = Object.keys(FUNCTIONS).filter((name) =>
    name === 'exec_sql' ? sql !== undefined : name === 'fetch' ? hasNetwork(config) : true,
  );
  const all = [...new Set([...names, ...functions.map(({ name }) => name)])];
  const forbidden = config.allowedFetchUrls === undefined ? 'process or files' : 'process, files or network';
  return `# The sandbox\n\nNo ${forbidden} but tgp.${all.join(', tgp.')}. No Date.now() or Math.random(). Import other tools and @tgp/std (${Object.keys(STD_API).join(', ')}).`;
}

function limits({ sandbox = {} }: Facts['config']) {
  const { timeoutMs, wallMs, memoryMb, argsBytes, resultBytes, logBytes } = sandbox;
  if (!timeoutMs || !wallMs || !memoryMb || !argsBytes || !resultBytes || !logBytes) return [];
  return [
    `A run has ${time(timeoutMs)} of CPU time, ${time(wallMs)} in all and ${memoryMb} MB of memory; its arguments may be ${bytes(argsBytes)} of JSON, its result ${bytes(resultBytes)}, its logs ${bytes(logBytes)}. The limits are hard: work in pages, and aggregate where the data is.`,
  ];
}

/** Globals that are implied by others, or summarised as "web streams". */
const BESIDE = /^clear|^File$|(?:Signal|Params|Stream|Reader|Writer|Strategy|Event|Target|Exception|Entry|Mark)$/;

function globals(config: Facts['config']) {
  const elsewhere = ['args', 'tgp', 'module', 'exports', 'require', ...(hasNetwork(config) ? [] : ['fetch'])];
  const own = GLOBALS.split(', ').filter((name) => !elsewhere.includes(name) && !BESIDE.test(name));
  return `Globals beside ECMAScript: ${own.join(', ')}, web streams.`;
}

function imports({ allowedImports }: Facts['config']) {
  const packages = allowedImports?.filter((name) => name !== '@tgp/std');
  const others =
    packages?.length === 0 ? '; no other package' : ` and the packages ${listed(packages ?? [])}; no other`;
  const allowed = packages === undefined ? '' : others;
  return `Imports: other tools by relative path or /lib/…, JSON files, @tgp/std${allowed}.`;
}

function files({ fs }: Facts['config']) {
  const folders = fs?.allowedDirs ?? [];
  const kept = folders.length === 0 ? '' : `, and ${listed(folders)}, which stay`;
  return `Files: tgp.read_file and tgp.list_files see the workspace; tgp.write_file writes /tmp/…, gone after the run${kept}.`;
}

function network(config: Facts['config']) {
  if (config.allowedFetchUrls === undefined) return undefined;
  if (!hasNetwork(config)) return 'Network: none.';
  const { fetchBytes, fetchTimeoutMs } = config.sandbox ?? {};
  const within =
    fetchBytes === undefined || fetchTimeoutMs === undefined
      ? ''
      : ` At most ${bytes(fetchBytes)} in ${time(fetchTimeoutMs)} each.`;
  return `Network: tgp.fetch reaches ${listed(config.allowedFetchUrls ?? [])} and nothing else.${within}`;
}

function secrets({ secrets: configured = {} }: Facts['config']) {
  const places = Object.entries(configured).map(([name, { hosts = [], functions = [] }]) => {
    const to = [...hosts, ...functions.map((called) => `tgp.${called}`)];
    return `{{secret:${name}}} for ${listed(to)}`;
  });
  if (places.length === 0) return undefined;
  return `Secrets: write ${listed(places)} in a header, query, body or argument there; the host fills it in, and you never see it.`;
}

/** @param runsCode whether run_code is allowed */
function database(sql: Facts['sql'], runsCode: boolean) {
  if (sql === undefined) return undefined;
  const may = sql.readOnly ? ' Read-only.' : sql.ddl ? '' : ' Tables cannot be created or altered.';
  const together = sql.atomic
    ? 'A run is one transaction, rolled back when the tool throws.'
    : 'Each statement stays when a later one fails.';
  const otherwise = runsCode ? 'run_code' : 'a tool';
  return `Database: ${sql.dialect ?? 'SQL'} by tgp.exec_sql, placeholders ${sql.placeholders} or :name; values go into params, never into the text.${may} Look at the tables before you write SQL: with describe_schema if you have it, else with ${otherwise}. ${together}`;
}

function hasNetwork({ allowedFetchUrls = [] }: Facts['config']) {
  return allowedFetchUrls.length > 0;
}

function addedFunction({ name, description = '', parameters }: FunctionGuide) {
  const comment = oneLine(description).slice(0, MAX_DESCRIPTION_CHARS);
  const takes = parameters === undefined ? '...args: any[]' : `args: ${oneLine(typeOf(parameters))}`;
  return `${oneLine(name)}(${takes}): Promise<any>;${comment === '' ? '' : ` // ${comment}`}`;
}

function listed(names: string[]) {
  const shown = names.slice(0, MAX_LISTED).map(oneLine).join(', ');
  return names.length > MAX_LISTED ? `${shown} and ${names.length - MAX_LISTED} more` : shown;
}

function time(ms: number) {
  return ms < 1000 ? `${ms} ms` : `${rounded(ms / 1000)} s`;
}

function bytes(count: number) {
  return count < 1 << 20 ? `${rounded(count / 1024)} kB` : `${rounded(count / (1 << 20))} MB`;
}

function rounded(value: number) {
  return Math.round(value * 10) / 10;
}
