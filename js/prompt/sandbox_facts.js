/** Prompt sections about the sandbox: limits, imports, files, network, database and functions, from the configuration. */

import { oneLine } from './one_line.js';
import { FUNCTIONS, GLOBALS } from './sandbox_api.js';
import { STD_API } from './std_api.js';
import { typeOf } from './typescript_signature.js';

/**
 * @typedef {{ name: string, description?: string, parameters?: Record<string, any> }} FunctionGuide
 *
 * @typedef {{ dialect: string | undefined, placeholders: string, readOnly: boolean, ddl: boolean, atomic: boolean }} SqlGuide
 *
 * @typedef {object} KnownConfig
 * @property {Partial<import('../boundary/crossing.js').SandboxConfig>} [sandbox]
 * @property {{ allowedDirs?: string[] }} [fs]
 * @property {string} [mode]
 * @property {string[]} [exempt]
 * @property {string[]} [allowedImports]
 * @property {string[]} [allowedFetchUrls]
 * @property {Record<string, { hosts?: string[], functions?: string[] }>} [secrets]
 *
 * @typedef {object} Facts
 * @property {KnownConfig} config with its defaults; unknown members are omitted from the prompt
 * @property {SqlGuide | undefined} sql undefined without a database
 * @property {FunctionGuide[]} functions functions that the application adds to `tgp`
 * @property {boolean} [isJudged] whether a policy applies
 */

/** Maximum number of names in a list. */
const MAX_LISTED = 20;
const MAX_DESCRIPTION_CHARS = 160;

const STATE =
  'Nothing is kept between runs. There is no process, Buffer, eval or Node module. Never call Date.now(), new Date() or Math.random() in a tool: take time and chance as arguments, such as `now: string` and `seed: number`.';

const JUDGED =
  'A policy decides what you may do. ERR_DENIED: do not repeat the call; do what its message says is allowed. ERR_APPROVAL: the call was not approved; continue without it, or tell your user what needs approval.';

/** The path that stands for run_code. */
const CODE_PATH = 'tools/.code.ts';

/** @type {Record<string, string | undefined>} */
const MODES = {
  strict:
    "Mode strict: test first. Write tools/x.test.ts (import { test, expect } from '@tgp/std/test'; import tool from './x'), see it fail with test_tool, write tools/x.ts, see it pass; then exec_tool may run it. ERR_STATE says which call comes first: make that one, do not work around it.",
  debug:
    'Mode debug: new tools need a test that was seen to fail (test_tool), and a tool is shared once its test passes. ERR_STATE says which call comes first.',
};

/**
 * Whether run_code is allowed: in strict mode only if it is exempt from tests.
 * @param {Facts['config']} config
 */
export function mayRunCode({ mode, exempt = [] }) {
  return mode !== 'strict' || exempt.includes(CODE_PATH);
}

/**
 * The full section, in lines.
 * @param {Facts} facts
 */
export function sandboxFacts({ config, sql, isJudged }) {
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

/**
 * The available functions of `tgp`, as TypeScript.
 * @param {Facts} facts
 */
export function signatures({ config, sql, functions }) {
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

/**
 * The standard library, function by function.
 * @param {Facts} facts
 */
export function standardLibrary({ config }) {
  const parts = Object.entries(STD_API).filter(([part]) => part !== 'http' || hasNetwork(config));
  return [
    '@tgp/std (import { parse } from "@tgp/std/csv"); a day is text like "2024-02-29", money is { minor: bigint, currency }:',
    ...parts.map(([part, functions]) => `- ${part}: ${functions}`),
  ].join('\n');
}

/**
 * The shortest form: names only.
 * @param {Facts} facts
 */
export function shortFacts({ config, sql, functions }) {
  const names = Object.keys(FUNCTIONS).filter((name) =>
    name === 'exec_sql' ? sql !== undefined : name === 'fetch' ? hasNetwork(config) : true,
  );
  const all = [...new Set([...names, ...functions.map(({ name }) => name)])];
  const walls = config.allowedFetchUrls === undefined ? 'process or files' : 'process, files or network';
  return `# The sandbox\n\nNo ${walls} but tgp.${all.join(', tgp.')}. No Date.now() or Math.random(). Import other tools and @tgp/std (${Object.keys(STD_API).join(', ')}).`;
}

/** @param {Facts['config']} config */
function limits({ sandbox = {} }) {
  const { timeoutMs, wallMs, memoryMb, argsBytes, resultBytes, logBytes } = sandbox;
  if (!timeoutMs || !wallMs || !memoryMb || !argsBytes || !resultBytes || !logBytes) return [];
  return [
    `A run has ${time(timeoutMs)} of CPU time, ${time(wallMs)} in all and ${memoryMb} MB of memory; its arguments may be ${bytes(argsBytes)} of JSON, its result ${bytes(resultBytes)}, its logs ${bytes(logBytes)}. The limits are hard: work in pages, and aggregate where the data is.`,
  ];
}

/** Globals that are implied by others, or summarised as "web streams". */
const BESIDE = /^clear|^File$|(?:Signal|Params|Stream|Reader|Writer|Strategy|Event|Target|Exception|Entry|Mark)$/;

/** @param {Facts['config']} config */
function globals(config) {
  const elsewhere = ['args', 'tgp', 'module', 'exports', 'require', ...(hasNetwork(config) ? [] : ['fetch'])];
  const own = GLOBALS.split(', ').filter((name) => !elsewhere.includes(name) && !BESIDE.test(name));
  return `Globals beside ECMAScript: ${own.join(', ')}, web streams.`;
}

/** @param {Facts['config']} config */
function imports({ allowedImports }) {
  const packages = allowedImports?.filter((name) => name !== '@tgp/std');
  const others =
    packages?.length === 0 ? '; no other package' : ` and the packages ${listed(packages ?? [])}; no other`;
  const allowed = packages === undefined ? '' : others;
  return `Imports: other tools by relative path or /lib/…, JSON files, @tgp/std${allowed}.`;
}

/** @param {Facts['config']} config */
function files({ fs }) {
  const folders = fs?.allowedDirs ?? [];
  const kept = folders.length === 0 ? '' : `, and ${listed(folders)}, which stay`;
  return `Files: tgp.read_file and tgp.list_files see the workspace; tgp.write_file writes /tmp/…, gone after the run${kept}.`;
}

/** @param {Facts['config']} config */
function network(config) {
  if (config.allowedFetchUrls === undefined) return undefined;
  if (!hasNetwork(config)) return 'Network: none.';
  const { fetchBytes, fetchTimeoutMs } = config.sandbox ?? {};
  const within =
    fetchBytes === undefined || fetchTimeoutMs === undefined
      ? ''
      : ` At most ${bytes(fetchBytes)} in ${time(fetchTimeoutMs)} each.`;
  return `Network: tgp.fetch reaches ${listed(config.allowedFetchUrls ?? [])} and nothing else.${within}`;
}

/** @param {Facts['config']} config */
function secrets({ secrets: configured = {} }) {
  const places = Object.entries(configured).map(([name, { hosts = [], functions = [] }]) => {
    const to = [...hosts, ...functions.map((called) => `tgp.${called}`)];
    return `{{secret:${name}}} for ${listed(to)}`;
  });
  if (places.length === 0) return undefined;
  return `Secrets: write ${listed(places)} in a header, query, body or argument there; the host fills it in, and you never see it.`;
}

/**
 * @param {Facts['sql']} sql
 * @param {boolean} runsCode whether run_code is allowed
 */
function database(sql, runsCode) {
  if (sql === undefined) return undefined;
  const may = sql.readOnly ? ' Read-only.' : sql.ddl ? '' : ' Tables cannot be created or altered.';
  const together = sql.atomic
    ? 'A run is one transaction, rolled back when the tool throws.'
    : 'Each statement stays when a later one fails.';
  const otherwise = runsCode ? 'run_code' : 'a tool';
  return `Database: ${sql.dialect ?? 'SQL'} by tgp.exec_sql, placeholders ${sql.placeholders} or :name; values go into params, never into the text.${may} Look at the tables before you write SQL: with describe_schema if you have it, else with ${otherwise}. ${together}`;
}

/** @param {Facts['config']} config */
function hasNetwork({ allowedFetchUrls = [] }) {
  return allowedFetchUrls.length > 0;
}

/** @param {FunctionGuide} guide */
function addedFunction({ name, description = '', parameters }) {
  const comment = oneLine(description).slice(0, MAX_DESCRIPTION_CHARS);
  const takes = parameters === undefined ? '...args: any[]' : `args: ${oneLine(typeOf(parameters))}`;
  return `${oneLine(name)}(${takes}): Promise<any>;${comment === '' ? '' : ` // ${comment}`}`;
}

/** @param {string[]} names */
function listed(names) {
  const shown = names.slice(0, MAX_LISTED).map(oneLine).join(', ');
  return names.length > MAX_LISTED ? `${shown} and ${names.length - MAX_LISTED} more` : shown;
}

/** @param {number} ms */
function time(ms) {
  return ms < 1000 ? `${ms} ms` : `${rounded(ms / 1000)} s`;
}

/** @param {number} count */
function bytes(count) {
  return count < 1 << 20 ? `${rounded(count / 1024)} kB` : `${rounded(count / (1 << 20))} MB`;
}

/** @param {number} value */
function rounded(value) {
  return Math.round(value * 10) / 10;
}
