/** `tgp "<task>"`: an agent works on a task with the tools of this workspace. */

import { createAgent } from '../../agent/agent.js';
import { resolveModel } from '../../agent/providers.js';
import { readAtMost } from '../../boundary/bounded_read.js';
import { NotFoundError, TGPError, ValidationError } from '../../boundary/errors.js';
import { guarded, ignored } from '../../boundary/guarded.js';
import { harmlessJson } from '../../boundary/harmless.js';
import type { TGP } from '../../kernel/tgp.js';
import type { AgentOutcome, AgentRun } from '../../types/agent.js';
import type { Mode } from '../../types/tests.js';
import { AgentScreen } from '../terminal/agent_screen.js';
import { out } from '../terminal/output.js';
import type { Format } from '../terminal/screen.js';
import { withWorkspace } from '../workspace/workspace.js';
import { AgentApprovals } from './agent_approvals.js';
import { budgetOf, priceOf } from './agent_budget.js';
import type { ReadText } from './agent_diff.js';
import { requireModel } from './agent_requirements.js';

type Watchable = Pick<AgentRun, 'result' | typeof Symbol.asyncIterator>;
type AgentFlags = {
  format: Format;
  config?: string;
  yes?: boolean;
  dryRun?: boolean;
  mode?: Mode;
  model?: string;
  resume?: string | true;
  maxSteps?: number;
  budget?: string;
  price?: string;
  programs?: string[];
};

/** The exit code of `tgp "<task>"` for each outcome. */
export const EXIT_CODES: Record<AgentOutcome, number> = { done: 0, failed: 1, budget: 1, refused: 3, interrupted: 130 };
const FAILED = 1;
const WRONG_USAGE = 2;
const MAX_TASK_BYTES = 1 << 20;

/** @returns the exit code */
export async function agent(words: string[], flags: AgentFlags): Promise<number> {
  return reported(flags.format, async () => {
    const { task, resume, session } = await parseTask(words, flags.resume);
    const budget = budgetOf(flags.budget, flags.maxSteps);
    const prices = priceOf(flags.price);
    if (budget?.money !== undefined && prices === undefined) {
      throw new ValidationError(
        '--budget money=… requires --price <in/out>, the price of a million input and output tokens, such as 1.25/10.',
        {
          details: { field: 'price' },
        },
      );
    }
    // Reports an invalid name, packages and a key before the workspace is opened.
    const model = await requireModel(flags.model, task);
    await resolveModel(model);
    const creates = !flags.dryRun && !resume;
    return withWorkspace({ config: flags.config, yes: flags.yes, creates }, (kernel, approver) =>
      watched({ format: flags.format, isDryRun: flags.dryRun }, async ({ screen, signal, interrupt }) => {
        const approvals = new AgentApprovals(screen, reader(kernel), interrupt);
        const allowed = flags.programs && { programs: flags.programs, cwd: process.cwd() };
        const options = {
          model,
          ...(flags.mode !== undefined && { mode: flags.mode }),
          ...(flags.dryRun && { dryRun: true }),
          ...(budget && { budget }),
          ...(prices && { prices }),
          approve: flags.yes ? approver.approve : approvals.approve,
        };
        const created = createAgent(kernel, options, allowed);
        const resumed = resume && session === undefined ? await lastSession(kernel, task) : session;
        return created.run(task, {
          signal,
          ...(resumed !== undefined && { session: resumed }),
          ...(resume && { resume }),
        });
      }),
    );
  });
}

/**
 * Shows a run until it ends. The first Ctrl-C interrupts the run cleanly, the second one exits at once.
 * @returns the exit code
 */
export async function watched(
  options: { format: Format; isReplay?: boolean; isDryRun?: boolean },
  start: (watch: { screen: AgentScreen; signal: AbortSignal; interrupt: () => void }) => Promise<Watchable>,
): Promise<number> {
  const screen = new AgentScreen(options);
  const stop = new AbortController();
  const interrupt = () => {
    if (stop.signal.aborted) {
      screen.close();
      process.exit(EXIT_CODES.interrupted);
    }
    stop.abort();
    screen.note({ mark: '!', colour: 'yellow', text: 'stopping; press Ctrl-C again to exit at once' });
  };
  const onSignal = guarded(ignored, interrupt);
  for (const name of ['SIGINT', 'SIGTERM']) process.on(name, onSignal);
  const ownConsole = globalThis.console;
  globalThis.console = screen.console();
  try {
    const run = await start({ screen, signal: stop.signal, interrupt });
    for await (const event of run) screen.show(event);
    const { outcome } = await run.result;
    return EXIT_CODES[outcome];
  } finally {
    globalThis.console = ownConsole;
    screen.close();
    // After the first signal the handlers stay: a second one exits at once, also while the workspace shuts down.
    if (!stop.signal.aborted) for (const name of ['SIGINT', 'SIGTERM']) process.off(name, onSignal);
  }
}

/** With `--json` a failure is printed as one JSON line, like the events. */
export async function reported(format: Format, work: () => Promise<number>) {
  try {
    return await work();
  } catch (error) {
    if (format === 'text' || !(error instanceof TGPError)) throw error;
    const { code, message, details } = error;
    out(`${harmlessJson({ error: { code, message, details } })}\n`);
    return error instanceof ValidationError ? WRONG_USAGE : FAILED;
  }
}

/**
 * @param words of the task, or `-` for standard input
 * @param resumed value of `--resume`: a session name; text with spaces is the task
 */
async function parseTask(words: string[], resumed: string | true | undefined) {
  const isTask = typeof resumed === 'string' && /\s/.test(resumed);
  const typed = [...(isTask ? [resumed] : []), ...words].join(' ');
  const text = typed === '-' ? (await readAtMost(process.stdin, MAX_TASK_BYTES)).toString('utf8') : typed;
  const task = text.trim() === '' ? undefined : text.trim();
  const resume = resumed !== undefined;
  if (task === undefined && !resume) {
    throw new ValidationError('The task is missing. Use tgp "<task>", or resume a session with tgp --resume.', {
      details: { field: 'task' },
    });
  }
  return { task, resume, session: typeof resumed === 'string' && !isTask ? resumed : undefined };
}

/**
 * The session to resume when none is named: the newest open session that is not done. With a new task, the newest open session.
 */
async function lastSession(kernel: TGP, task: string | undefined) {
  const sessions = await kernel.sessions.list({ state: 'open' });
  const last = sessions.find(({ outcome }) => task !== undefined || outcome !== 'done');
  if (last !== undefined) return last.session;
  throw new NotFoundError('There is no session to resume. "tgp sessions" lists all sessions.');
}

function reader(kernel: TGP): ReadText {
  return async (path) => {
    if (!(await kernel.vfs.exists(path))) return '';
    return kernel.vfs.readFile(path);
  };
}
