/**
 * `tgp replay`: the model's part of a session once more, against the tools as they were before it. It works on a copy of the
 * workspace, without its remote, so that nothing is done twice and each time gives the same.
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
    const original = kernelOn({ ...byItself(resolved), application: {} });
    const scratch = await mkdtemp(join(tmpdir(), 'tgp-replay-'));
    try {
      const { lines, tasks, paths } = await recordingOf(original, session);
      await cp(root, scratch, {
        recursive: true,
        filter: (from) => !`${from}${sep}`.startsWith(`${join(root, PRIVATE)}${sep}`) && !IN_PROGRESS.test(from),
      });
      const own = byItself(resolved);
      const policy = own.application.policy ?? 'safe';
      const approver = new Approver({ yes });
      const kernel = kernelOn({
        ...own,
        config: { ...own.config, rootDir: scratch },
        application: { ...own.application, policy },
      });
      try {
        await asBefore(kernel, original, session, paths);
        const model = replayModel(lines);
        let exitCode = 0;
        for (const task of tasks) {
          exitCode = await watched({ format, isReplay: true }, async ({ screen, signal, interrupt }) => {
            const approvals = new AgentApprovals(screen, (path) => kernel.vfs.readFile(path), interrupt);
            const approve = yes ? approver.approve : approvals.approve;
            return createAgent(kernel, { model, approve, session: `replay-${session}` }).run(task, { signal });
          });
          if (exitCode !== 0) break;
        }
        return exitCode;
      } finally {
        await kernel.shutdown();
      }
    } finally {
      await original.shutdown();
      await rm(scratch, { recursive: true, force: true });
    }
  });
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
 * Makes files what they were before the session.
 * @param {TGP} kernel of the copy
 * @param {TGP} original
 * @param {string} session
 * @param {Set<string>} paths
 */
async function asBefore(kernel, original, session, paths) {
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
}
