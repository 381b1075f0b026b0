/**
 * `tgp replay`: replays the recorded model output of a session against the tools as they were before it. The replay works on a
 * copy of the workspace without its remote: no file is changed, and every replay gives the same result. Databases and functions
 * of the application are the real ones; the policy of the workspace applies, and its ledger records the calls.
 */

import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, sep } from 'node:path';
import { createAgent } from '../../agent/agent.js';
import { replayModel } from '../../agent/replay.js';
import { NotFoundError } from '../../boundary/errors.js';
import { isRecord, parseForeignJson } from '../../boundary/foreign_json.js';
import { OWNER } from '../../kernel/access_symbols.js';
import type { ResolvedConfig } from '../../kernel/config/config.js';
import { RESOLVED } from '../../kernel/config/config.js';
import { TGP } from '../../kernel/tgp.js';
import { Approver } from '../terminal/approver.js';
import type { Format } from '../terminal/screen.js';
import { withDefaultPolicy } from '../workspace/default_policy.js';
import { locateRoot, offlineConfig, SILENT } from '../workspace/workspace.js';
import { AgentApprovals } from './agent_approvals.js';
import { reported, watched } from './agent_command.js';
import { ReplayRecord } from './replay_record.js';

type Options = { config?: string; format: Format; yes?: boolean };

const MAX_EVENTS = 10_000;
/** The kernel's private folder in the repository, such as the ledger. It is not copied. */
const PRIVATE = join('.git', 'tgp');
/** Lock and temporary files of running writes. They are not copied, because no process would finish them. */
const IN_PROGRESS = /[\\/]\.git[\\/](?:.*[\\/])?(?:[^\\/]+\.lock|tmp_[^\\/]*)$/;

/** @returns the exit code */
export async function replay(session: string, { format, config, yes }: Options): Promise<number> {
  return reported(format, async () => {
    const { root, resolved } = await locateRoot({ config });
    const own = offlineConfig(await withDefaultPolicy(resolved));
    const original = kernelOn({ ...own, application: {} });
    const scratch = await mkdtemp(join(tmpdir(), 'tgp-replay-'));
    try {
      const recording = await recordingOf(original, session);
      await cp(root, scratch, {
        recursive: true,
        filter: (from) => !`${from}${sep}`.startsWith(`${join(root, PRIVATE)}${sep}`) && !IN_PROGRESS.test(from),
      });
      const copied = { ...own, config: { ...own.config, rootDir: scratch, ledger: fileLedger(own.config.ledger) } };
      await restoreFiles(copied, original, session, recording.paths);
      return await replayOn(kernelOn(copied), original, session, recording, { format, yes });
    } finally {
      await original.shutdown();
      await rm(scratch, { recursive: true, force: true });
    }
  });
}

/**
 * Replays the tasks of the session under the policy of the workspace.
 * @param kernel of the copy
 * @returns the exit code
 */
async function replayOn(
  kernel: TGP,
  original: TGP,
  session: string,
  { lines, tasks }: { lines: string[]; tasks: string[] },
  { format, yes }: Omit<Options, 'config'>,
): Promise<number> {
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
    // Also for a run that failed or was interrupted.
    await record.take().finally(() => kernel.shutdown());
  }
}

/** Ledger settings without PostgreSQL: the copy has its own ledger file. */
function fileLedger(ledger: ResolvedConfig['config']['ledger']) {
  if (typeof ledger !== 'object') return ledger;
  const { postgres: _, ...settings } = ledger;
  return settings;
}

function kernelOn(resolved: ResolvedConfig) {
  const options = { logger: SILENT, [RESOLVED]: resolved, [OWNER]: { agent: 'cli' } };
  return new TGP(options);
}

/** The recorded model output and tasks of a session, and the files that the session changed. */
async function recordingOf(kernel: TGP, session: string) {
  const lines: string[] = [];
  for await (const text of kernel.sessions.recording(session)) lines.push(text);
  const tasks = lines.flatMap((text) => {
    const line = parseForeignJson(text);
    return isRecord(line) && typeof line.task === 'string' ? [line.task] : [];
  });
  if (tasks.length === 0)
    throw new NotFoundError(
      `The ledger has no recording of the session "${session}". "tgp sessions" lists all sessions.`,
    );
  const commits = await kernel.ledger.tail({ session, type: 'COMMIT', limit: MAX_EVENTS });
  const changed: unknown[] = commits.flatMap(({ path, paths }) => [path, ...(Array.isArray(paths) ? paths : [])]);
  const paths = new Set(changed.filter((path) => typeof path === 'string').map(String));
  paths.delete('meta.json');
  return { lines, tasks, paths };
}

/**
 * Restores files of the copy to their state before the session. No policy applies here: it is for the model's calls.
 */
async function restoreFiles(copied: ResolvedConfig, original: TGP, session: string, paths: Set<string>) {
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
    // Updates the copy's tool list now instead of at an unknown later time.
    await kernel.registry.hydrate();
  } finally {
    await kernel.shutdown();
  }
}
