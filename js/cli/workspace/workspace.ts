/** The workspace of a command: its configuration, its kernel, and its files by name. */

import { existsSync } from 'node:fs';
import { isAbsolute, join, posix, relative, resolve, sep } from 'node:path';
import { NotFoundError } from '../../boundary/errors.js';
import { nearest } from '../../boundary/spelling.js';
import { FILES, OWNER } from '../../kernel/access_symbols.js';
import type { ResolvedConfig } from '../../kernel/config/config.js';
import { RESOLVED } from '../../kernel/config/config.js';
import { TGP } from '../../kernel/tgp.js';
import type { Logger } from '../../types/kernel.js';
import { Approver } from '../terminal/approver.js';
import { remark } from '../terminal/output.js';
import type { SearchScope } from './config_lookup.js';
import { DEFAULT_ROOT, nearestConfig } from './config_lookup.js';
import { withDefaultPolicy, withPolicyFile } from './default_policy.js';
import { ignoreRoot } from './project_files.js';

/** The folder of the tools, in the root. */
export const TOOLS = 'tools';
/** The extension of a source file. */
export const SOURCES = /\.(?:ts|mts|js|mjs|cjs)$/;
const EXTENSIONS = ['', '.ts', '.js', '/index.ts'];

/** The last warning. A warning of the boot that the command repeats is printed once. */
let lastWarning = '';

/** The logger of commands. It writes to standard error, because standard output is for results. */
const toStandardError: Logger = {
  debug: () => {},
  info: (message) => remark(message),
  warn: (message) => {
    if (message !== lastWarning) remark(`Warning: ${message}`);
    lastWarning = message;
  },
  error: (message, ...rest) => remark(`Error: ${message}`, ...rest),
};

/** A logger that discards everything. */
export const SILENT: Logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** The value of `--config`. */
type ConfigOption = { config?: string };
type WorkspaceNeeds = {
  /**
   * What the command works with. For `ledger` and `rules` the remote is not contacted and no worker is kept ready; the ledger can
   * be read whatever the policy is.
   */
  needs?: 'everything' | 'ledger' | 'rules';
  /** Creates a missing workspace, instead of an error. */
  creates?: boolean;
  /** Approves every call that needs approval. */
  yes?: boolean;
  /** The tool that the command itself calls. */
  typed?: string;
  /** The approver otherwise: the terminal, or the served client. */
  asks?: 'terminal' | 'client';
};
type WorkspaceOptions = ConfigOption & WorkspaceNeeds;

/** The root folder of the configuration, and its path for display. */
export async function locateRoot(options: ConfigOption, reach?: SearchScope) {
  const resolved = await nearestConfig(options, reach);
  const { config, baseDir } = resolved;
  const root = resolve(baseDir, config.rootDir ?? DEFAULT_ROOT);
  const shown = relative(process.cwd(), root);
  const hasRemote = config.git?.repo !== undefined;
  const name = shown.startsWith('..') || isAbsolute(shown) || shown === '' ? root : `./${shown}`;
  return { root, hasRemote, name, resolved };
}

/**
 * Runs `work` on the project's kernel. Without a policy in the configuration or beside it, reading is allowed and all other
 * calls need approval.
 */
export async function withWorkspace<T>(
  { needs = 'everything', creates = false, yes, typed, asks = 'terminal', ...options }: WorkspaceOptions,
  work: (kernel: TGP, approver: Approver) => Promise<T>,
): Promise<T> {
  const located = await locateRoot(options);
  const { root, name } = located;
  const resolved = await configFor(needs, located.resolved);
  // With a remote, a missing workspace is cloned.
  const isMissing = !existsSync(join(root, '.git')) && !(located.hasRemote && needs === 'everything');
  if (isMissing && !creates) {
    throw new NotFoundError(
      `There is no workspace at ${name}. Run "tgp init" to create one, or set the config file with --config.`,
    );
  }
  // A kernel refuses a root that contains the current folder, because that could be the application's own folder.
  if (`${process.cwd()}${sep}`.startsWith(`${root}${sep}`)) process.chdir(resolved.baseDir);
  // Uses the configuration loaded above: loading it again would open its database a second time.
  const approver = new Approver({ yes, typed });
  const approve = yes || asks === 'terminal' ? approver.approve : undefined;
  const kernelOptions = { logger: toStandardError, approve, [RESOLVED]: resolved, [OWNER]: { agent: 'cli' } };
  const kernel = new TGP(kernelOptions);
  try {
    if (isMissing) await createWorkspace(kernel, located);
    return await work(kernel, approver);
  } catch (error) {
    throw approver.explained(error);
  } finally {
    await kernel.shutdown();
  }
}

/** Creates the workspace: booting creates the folder and its repository. In a repository, it is ignored there. */
async function createWorkspace(kernel: TGP, { root, name, resolved }: Awaited<ReturnType<typeof locateRoot>>) {
  await kernel.boot();
  const inside = relative(resolved.baseDir, root).split(sep).join('/');
  if (existsSync(join(resolved.baseDir, '.git')) && !inside.startsWith('..'))
    await ignoreRoot(resolved.baseDir, inside);
  remark(`Created the workspace ${name}, a Git repository for the tools.`);
}

async function configFor(needs: NonNullable<WorkspaceNeeds['needs']>, resolved: ResolvedConfig) {
  if (needs === 'ledger') return offlineConfig(withoutPolicy(resolved));
  if (needs === 'everything') return withDefaultPolicy(resolved);
  // Without a policy, all calls of applications were allowed.
  const ruled = await withPolicyFile(resolved);
  return offlineConfig(typeof ruled.application.policy === 'function' ? withoutPolicy(ruled) : ruled);
}

/** The configuration without its policy, for commands whose calls the policy does not cover. */
export function withoutPolicy({
  application: { policy: _, ...application },
  ...resolved
}: ResolvedConfig): ResolvedConfig {
  return { ...resolved, application };
}

/** The configuration without its remote and without warm workers. */
export function offlineConfig({ config: { git, ...config }, ...resolved }: ResolvedConfig): ResolvedConfig {
  const branch = git?.branch;
  return {
    ...resolved,
    config: { ...config, git: { ...(branch !== undefined && { branch }) }, sandbox: { ...config.sandbox, warm: 0 } },
  };
}

/** The paths of all tools and their tests. */
export async function toolPaths(kernel: TGP): Promise<string[]> {
  const files = await kernel[FILES].read('list_files', { dir: '.' });
  return files.filter(isTool);
}

/** Whether a path is that of a tool or its test. */
export function isTool(path: string) {
  return path.startsWith(`${TOOLS}/`) && SOURCES.test(path) && !path.endsWith('.d.ts');
}

/** Whether a path of {@link isTool} is that of a test. */
export function isTest(path: string) {
  return /\.test$/.test(path.replace(SOURCES, ''));
}

/**
 * Finds a tool by its path or a short form of it.
 * @param name such as `tools/reports/revenue.ts` or `reports/revenue`
 */
export async function findTool(kernel: TGP, name: string, { among = 'tools' }: { among?: 'tools' | 'files' } = {}) {
  const paths = among === 'tools' ? await toolPaths(kernel) : await kernel[FILES].read('list_files', { dir: '.' });
  const found = candidates(name).find((path) => paths.includes(path));
  if (found !== undefined) return found;
  const what = among === 'tools' ? 'tool' : 'file';
  throw new NotFoundError(`There is no ${what} "${name}".${suggestion(name, paths)} "tgp list" lists all tools.`);
}

/**
 * The paths that match a name: one file, or all files of a folder.
 * @param name as for {@link findTool}, or a folder
 */
export function matchingFiles(paths: string[], name: string) {
  const file = candidates(name).find((path) => paths.includes(path));
  if (file !== undefined) return [file];
  const wanted = plain(name).replace(/\/$/, '');
  const below = (folder: string) => paths.filter((path) => path.startsWith(`${folder}/`));
  if (wanted === '.') return paths;
  const found = below(wanted);
  return found.length > 0 ? found : below(`${TOOLS}/${wanted}`);
}

/**
 * Finds a file by its path or a short form of it, also a removed file that is in the history.
 * @param name as for {@link findTool}
 */
export async function findFileInHistory(kernel: TGP, name: string) {
  const paths = await kernel[FILES].read('list_files', { dir: '.' });
  const present = candidates(name).find((path) => paths.includes(path));
  if (present !== undefined) return present;
  for (const path of candidates(name)) {
    const commits = await kernel.git.log(path, { limit: 1 }).catch(() => []);
    if (commits.length > 0) return path;
  }
  throw new NotFoundError(
    `There is no file "${name}", and the history has none.${suggestion(name, paths)} "tgp log" lists removed files too. Use a path as listed there, such as ${TOOLS}/reports/revenue.ts.`,
  );
}

/**
 * The target path of a move. For tools the folder `tools/` and the extension may be left out.
 * @param from its path
 * @param to such as `tools/reports/revenue.ts` or `reports/revenue`
 */
export function destination(from: string, to: string) {
  const target = plain(to);
  const [extension] = SOURCES.exec(from) ?? [];
  if (extension === undefined || !from.startsWith(`${TOOLS}/`) || target.startsWith('.') || isAbsolute(target)) {
    return target;
  }
  const whole = posix.extname(target) === '' ? `${target}${extension}` : target;
  return whole.startsWith(`${TOOLS}/`) ? whole : `${TOOLS}/${whole}`;
}

/** A "did you mean" question with the nearest path, comparing all short forms. */
function suggestion(name: string, paths: string[]) {
  const wanted = plain(name);
  const shortened = [
    (path: string) => path,
    (path: string) => path.replace(`${TOOLS}/`, ''),
    (path: string) => path.replace(SOURCES, ''),
    (path: string) => path.replace(`${TOOLS}/`, '').replace(SOURCES, ''),
    (path: string) => posix.basename(path),
    (path: string) => posix.basename(path).replace(SOURCES, ''),
  ];
  for (const shorten of shortened) {
    const near = nearest(wanted, paths.map(shorten));
    if (near !== undefined) return ` Did you mean ${paths.find((path) => shorten(path) === near)}?`;
  }
  return '';
}

/** A path with forward slashes and without a leading `./`. */
export function plain(path: string) {
  return posix.normalize(path.replaceAll('\\', '/')).replace(/^(?:\.\/)+/, '');
}

/** The full paths that a short path can stand for, most likely first. */
export function candidates(name: string) {
  const wanted = plain(name);
  return ['', `${TOOLS}/`].flatMap((folder) => EXTENSIONS.map((extension) => `${folder}${wanted}${extension}`));
}
