import { existsSync } from 'node:fs';
import { isAbsolute, join, posix, relative, resolve, sep } from 'node:path';
import { NotFoundError } from '../boundary/errors.js';
import { nearest } from '../boundary/spelling.js';
import { FILES, OWNER } from '../kernel/agent_access.js';
import { RESOLVED } from '../kernel/config.js';
import { TGP } from '../kernel/tgp.js';
import { Approver } from './approver.js';
import { DEFAULT_ROOT, nearestConfig } from './config_lookup.js';
import { withDefaultPolicy, withWrittenPolicy } from './default_policy.js';
import { remark } from './output.js';

export const TOOLS = 'tools';
const SOURCES = /\.(?:ts|mts|js|mjs|cjs)$/;
const GUESSES = ['', '.ts', '.js', '/index.ts'];

/** The last warning: what booting says and the command's own exchange with the remote says again is told once. */
let told = '';

/**
 * Standard output is for results.
 * @type {import('../../index.js').Logger}
 */
const toStandardError = {
  debug: () => {},
  info: (message) => remark(message),
  warn: (message) => {
    if (message !== told) remark(`Warning: ${message}`);
    told = message;
  },
  error: (message, ...rest) => remark(`Error: ${message}`, ...rest),
};

/**
 * @typedef {{ config?: string }} ConfigOption what `--config` said
 * @typedef {object} WorkspaceNeeds
 * @property {'everything' | 'ledger' | 'rules'} [needs] what the command works with: for the ledger and for what the rules say
 * of it no remote is asked and no worker kept ready, and a ledger can be read whatever the rules are
 * @property {boolean} [yes] whether everything is approved that rules want approved
 * @property {string} [typed] the tool that the command is
 * @property {'terminal' | 'client'} [asks] who is asked otherwise: the person at the terminal, or whoever is served
 * @typedef {ConfigOption & WorkspaceNeeds} WorkspaceOptions
 */

/**
 * The root that the configuration names, and its path as a person would write it.
 * @param {ConfigOption} options
 * @param {import('./config_lookup.js').Reach} [reach]
 */
export async function locateRoot(options, reach) {
  const resolved = await nearestConfig(options, reach);
  const { config, baseDir } = resolved;
  const root = resolve(baseDir, config.rootDir ?? DEFAULT_ROOT);
  const shown = relative(process.cwd(), root);
  const hasRemote = config.git?.repo !== undefined;
  const name = shown.startsWith('..') || isAbsolute(shown) || shown === '' ? root : `./${shown}`;
  return { root, hasRemote, name, resolved };
}

/**
 * Works on the project's kernel. Where the configuration names no policy and none lies beside it, reading is allowed and
 * everything else asks. A folder without a workspace is left as it is: only `init` makes one.
 * @template T
 * @param {WorkspaceOptions} options
 * @param {(kernel: TGP, approver: Approver) => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withWorkspace({ needs = 'everything', yes, typed, asks = 'terminal', ...options }, work) {
  const located = await locateRoot(options);
  const { root, name } = located;
  const resolved = await configFor(needs, located.resolved);
  // With a remote there is something to clone: a workspace that is not there yet is a cold start.
  if (!existsSync(join(root, '.git')) && !(located.hasRemote && needs === 'everything')) {
    throw new NotFoundError(
      `There is no workspace at ${name}. Run "tgp init" to make one, or name its config with --config.`,
    );
  }
  // A kernel refuses a root around the current folder: for an application that would be its own.
  if (`${process.cwd()}${sep}`.startsWith(`${root}${sep}`)) process.chdir(resolved.baseDir);
  // As it was loaded above: loading it again would open its database a second time.
  const approver = new Approver({ yes, typed });
  const approve = yes || asks === 'terminal' ? approver.approve : undefined;
  const kernel = new TGP(
    /** @type {any} */ ({ logger: toStandardError, approve, [RESOLVED]: resolved, [OWNER]: { agent: 'cli' } }),
  );
  try {
    return await work(kernel, approver);
  } catch (error) {
    throw approver.explained(error);
  } finally {
    await kernel.shutdown();
  }
}

/**
 * @param {NonNullable<WorkspaceNeeds['needs']>} needs
 * @param {import('../kernel/config.js').ResolvedConfig} resolved
 */
async function configFor(needs, resolved) {
  if (needs === 'ledger') return byItself(withoutPolicy(resolved));
  if (needs === 'everything') return withDefaultPolicy(resolved);
  // Where no rules are written down, what applications did was allowed.
  const ruled = await withWrittenPolicy(resolved);
  return byItself(typeof ruled.application.policy === 'function' ? withoutPolicy(ruled) : ruled);
}

/**
 * The configuration without rules, since nothing is asked for that they judge.
 * @param {import('../kernel/config.js').ResolvedConfig} resolved
 * @returns {import('../kernel/config.js').ResolvedConfig}
 */
export function withoutPolicy({ application: { policy: _, ...application }, ...resolved }) {
  return { ...resolved, application };
}

/**
 * The configuration without its remote, and without workers that wait for runs.
 * @param {import('../kernel/config.js').ResolvedConfig} resolved
 * @returns {import('../kernel/config.js').ResolvedConfig}
 */
export function byItself({ config: { git, ...config }, ...resolved }) {
  const branch = git?.branch;
  return {
    ...resolved,
    config: { ...config, git: { ...(branch !== undefined && { branch }) }, sandbox: { ...config.sandbox, warm: 0 } },
  };
}

/**
 * @param {TGP} kernel
 * @returns {Promise<string[]>}
 */
export async function toolPaths(kernel) {
  const files = await kernel[FILES].list('.');
  return files.filter(isTool);
}

/** @param {string} path */
export function isTool(path) {
  return path.startsWith(`${TOOLS}/`) && SOURCES.test(path) && !path.endsWith('.d.ts');
}

/** @param {string} path */
export function isTest(path) {
  return /\.test$/.test(path.replace(SOURCES, ''));
}

/**
 * The tool that a person means: its path, or less of it.
 * @param {TGP} kernel
 * @param {string} given such as `tools/reports/revenue.ts` or `reports/revenue`
 * @param {{ among?: 'tools' | 'files' }} [options]
 */
export async function findTool(kernel, given, { among = 'tools' } = {}) {
  const paths = among === 'tools' ? await toolPaths(kernel) : await kernel[FILES].list('.');
  const found = guesses(given).find((path) => paths.includes(path));
  if (found !== undefined) return found;
  const what = among === 'tools' ? 'tool' : 'file';
  throw new NotFoundError(
    `There is no ${what} "${given}".${question(given, paths)} "tgp list" shows the tools there are.`,
  );
}

/**
 * Those of `paths` that a person means: a file, or all that a folder holds.
 * @param {string[]} paths
 * @param {string} given as for {@link findTool}, or a folder
 */
export function filesMeant(paths, given) {
  const file = guesses(given).find((path) => paths.includes(path));
  if (file !== undefined) return [file];
  const asked = plain(given).replace(/\/$/, '');
  const below = (/** @type {string} */ folder) => paths.filter((path) => path.startsWith(`${folder}/`));
  if (asked === '.') return paths;
  const found = below(asked);
  return found.length > 0 ? found : below(`${TOOLS}/${asked}`);
}

/**
 * The file that a person means, also one that is gone and that the history knows.
 * @param {TGP} kernel
 * @param {string} given as for {@link findTool}
 */
export async function findFileOfAnyTime(kernel, given) {
  const paths = await kernel[FILES].list('.');
  const present = guesses(given).find((path) => paths.includes(path));
  if (present !== undefined) return present;
  for (const path of guesses(given)) {
    const commits = await kernel.git.log(path, { limit: 1 }).catch(() => []);
    if (commits.length > 0) return path;
  }
  throw new NotFoundError(
    `There is no file "${given}", and the history knows none.${question(given, paths)} "tgp log" names the files that were: write one as it does, such as ${TOOLS}/reports/revenue.ts.`,
  );
}

/**
 * Where a file goes that a person moves. Tools live in one folder, so that and the ending may be left out for them.
 * @param {string} from its path
 * @param {string} given such as `tools/reports/revenue.ts` or `reports/revenue`
 */
export function destination(from, given) {
  const asked = plain(given);
  const [ending] = SOURCES.exec(from) ?? [];
  if (ending === undefined || !from.startsWith(`${TOOLS}/`) || asked.startsWith('.') || isAbsolute(asked)) return asked;
  const whole = posix.extname(asked) === '' ? `${asked}${ending}` : asked;
  return whole.startsWith(`${TOOLS}/`) ? whole : `${TOOLS}/${whole}`;
}

/**
 * Asks about the path that a person may have meant, in whichever way it was shortened.
 * @param {string} given
 * @param {string[]} paths
 */
function question(given, paths) {
  const asked = plain(given);
  const shortened = [
    (/** @type {string} */ path) => path,
    (/** @type {string} */ path) => path.replace(`${TOOLS}/`, ''),
    (/** @type {string} */ path) => path.replace(SOURCES, ''),
    (/** @type {string} */ path) => path.replace(`${TOOLS}/`, '').replace(SOURCES, ''),
    (/** @type {string} */ path) => posix.basename(path),
    (/** @type {string} */ path) => posix.basename(path).replace(SOURCES, ''),
  ];
  for (const shorten of shortened) {
    const near = nearest(asked, paths.map(shorten));
    if (near !== undefined) return ` Did you mean ${paths.find((path) => shorten(path) === near)}?`;
  }
  return '';
}

/** @param {string} given */
export function plain(given) {
  return posix.normalize(given.replaceAll('\\', '/')).replace(/^(?:\.\/)+/, '');
}

/**
 * Every path that this may be short for, the likeliest first.
 * @param {string} given
 */
function guesses(given) {
  const asked = plain(given);
  return ['', `${TOOLS}/`].flatMap((folder) => GUESSES.map((ending) => `${folder}${asked}${ending}`));
}
