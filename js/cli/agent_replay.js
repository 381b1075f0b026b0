/**
 * `tgp replay`: the model's part of a session once more, against the tools as they were before it. It works on a copy of the
 * workspace, without its remote, so that no file is changed and each time gives the same. Databases and functions of the application
 * are the real ones: the rules of the workspace hold, and its ledger has what was done to them.
 */

import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, sep } from 'node:path';
import { createAgent } from '../agent/agent.js';
import { replayModel } from '../agent/replay.js';
import { NotFoundError } from '../boundary/errors.js';
import { parseForeignJson } from '../boundary/foreign_json.js';
import { OWNER } from '../kernel/agent_access.js';
import { RESOLVED } from '../kernel/config.js';
import { TGP } from '../kernel/tgp.js';
import { AgentApprovals } from './agent_approvals.js';
import { reported, watched } from './agent_command.js';
import { Approver } from './approver.js';
import { withDefaultPolicy } from './default_policy.js';
import { ReplayRecord } from './replay_record.js';
import { byItself, locateRoot } from './workspace.js';

/**
 * @typedef {import('./screen.js').Format} Format
 * @typedef {{ config?: string, format: Format, yes?: boolean }} Options
 */

const MAX_EVENTS = 10_000;
/** What the kernel keeps for itself in the repository: the ledger is not part of the copy. */
const PRIVATE = join('.git', 'tgp');
/** What others are writing in the repository at this moment: in a copy nobody would ever finish it. */
const IN_PROGRESS = /[\\/]\.git[\\/](?:.*[\\/])?(?:[^\\/]+\.lock|tmp_[^\\/]*)$/;
const QUIET = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/**
 * @param {string} session
 * @param {Options} options
 * @returns {Promise<number>} the exit code
 */
export async function replay(session, { format, config, yes }) {
  return reported(format, async () => {
    const { root, resolved } = await locateRoot({ config });
    const own = byItself(await withDefaultPolicy(resolved));
    const original = kernelOn({ ...own, application: {} });
    const scratch = await mkdtemp(join(tmpdir(), 'tgp-replay-'));
    try {
      const recording = await recordingOf(original, session);
      await cp(root, scratch, {
        recursive: true,
        filter: (from) => !`${from}${sep}`.startsWith(`${join(root, PRIVATE)}${sep}`) && !IN_PROGRESS.test(from),
      });
      const copied = { ...own, config: { ...own.config, rootDir: scratch, ledger: ofItsOwn(own.config.ledger) } };
      await asBefore(copied, original, session, recording.paths);
      return await replayOn(kernelOn(copied), original, session, recording, { format, yes });
    } finally {
      await original.shutdown();
      await rm(scratch, { recursive: true, force: true });
    }
  });
}

/**
 * The tasks of the session, by the rules of the workspace.
 * @param {TGP} kernel of the copy
 * @param {TGP} original
 * @param {string} session
 * @param {{ lines: string[], tasks: string[] }} recording
 * @param {Omit<Options, 'config'>} options
 * @returns {Promise<number>} the exit code
 */
async function replayOn(kernel, original, session, { lines, tasks }, { format, yes }) {
  const approver = new Approver({ yes });
  const record = new ReplayRecord(kernel, original, session);
  try {
    await record.begin();
    const model = replayModel(lines);
    let exitCode = 0;
    for (const task of tasks) {
      exitCode = await watched({ format, isReplay: true }, async ({ screen, signal, interrupt }) => {
        const approvals = new AgentApprovals(screen, (path) => kernel.vfs.readFile(path), interrupt);
        const approve = yes ? approver.approve : approvals.approve;
        const run = createAgent(kernel, { model, approve, session: `replay-${session}` }).run(task, { signal });
        return { result: run.result, [Symbol.asyncIterator]: () => record.during(run) };
      });
      if (exitCode !== 0) break;
    }
    return exitCode;
  } finally {
    // Also of a run whose end nobody saw.
    await record.take().finally(() => kernel.shutdown());
  }
}

/**
 * The settings of a ledger that is a file of the copy.
 * @param {import('../kernel/config.js').ResolvedConfig['config']['ledger']} ledger
 */
function ofItsOwn(ledger) {
  if (typeof ledger !== 'object') return ledger;
  const { postgres: _, ...settings } = ledger;
  return settings;
}

/** @param {import('../kernel/config.js').ResolvedConfig} resolved */
function kernelOn(resolved) {
  return new TGP(/** @type {any} */ ({ logger: QUIET, [RESOLVED]: resolved, [OWNER]: { agent: 'cli' } }));
}

/**
 * What the model said, what it was asked to do, and the files that the session changed.
 * @param {TGP} kernel
 * @param {string} session
 */
async function recordingOf(kernel, session) {
  /** @type {string[]} */
  const lines = [];
  for await (const text of kernel.sessions.recording(session)) lines.push(text);
  const tasks = lines.map((text) => parseForeignJson(text).task).filter((task) => typeof task === 'string');
  if (tasks.length === 0) throw new NotFoundError(`Nothing is recorded of the session "${session}".`);
  const commits = await kernel.ledger.tail({ session, type: 'COMMIT', limit: MAX_EVENTS });
  /** @type {unknown[]} */
  const named = commits.flatMap(({ path, paths }) => [path, ...(Array.isArray(paths) ? paths : [])]);
  const paths = new Set(named.filter((path) => typeof path === 'string').map(String));
  paths.delete('meta.json');
  return { lines, tasks, paths };
}

/**
 * Makes files of the copy what they were before the session. Rules are for what the model does on it.
 * @param {import('../kernel/config.js').ResolvedConfig} copied
 * @param {TGP} original
 * @param {string} session
 * @param {Set<string>} paths
 */
async function asBefore(copied, original, session, paths) {
  const kernel = kernelOn({ ...copied, application: {} });
  try {
    for (const path of paths) {
      const commits = await original.git.log(path, { limit: 1_000 });
      const first = commits.findLastIndex((commit) => commit.session === session);
      const before = commits[first + 1];
      if (first < 0) continue;
      if (before !== undefined) await kernel.git.revert(path, before.commit);
      else if (await kernel.vfs.exists(path)) await kernel.vfs.remove(path);
    }
    // The copy's list of tools would follow by itself, and nobody knows when.
    await kernel.registry.hydrate();
  } finally {
    await kernel.shutdown();
  }
}
