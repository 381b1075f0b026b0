import { AsyncLocalStorage } from 'node:async_hooks';
import { z } from 'zod';
import { throwIfAborted } from '../boundary/abort.js';
import { ConfigError, SecurityViolation, TGPError } from '../boundary/errors.js';
import { ON_BEHALF } from '../kernel/access_symbols.js';
import type { OwnCall } from '../kernel/calls/kernel_calls.js';
import { dryRunResult } from '../kernel/runs/dry_run.js';
import { applyChanges } from '../programs/apply_changes.js';
import type { ScratchChange, ShownDiff } from '../programs/differences.js';
import { diffsOf } from '../programs/differences.js';
import { provenLauncher } from '../programs/launcher.js';
import { findPrograms, programNamed } from '../programs/program_names.js';
import type { ProgramResult } from '../programs/program_run.js';
import { inScratch } from '../programs/program_run.js';
import { realPlaces } from '../programs/protected_paths.js';
import type { ShellSettings } from '../programs/shell_options.js';
import { shellSettings } from '../programs/shell_options.js';
import { boundedTools } from '../tool_shape/bounded_result.js';
import { ownedTools } from '../tool_shape/tool_owner.js';
import type { Approve } from '../types/policy.js';
import type { ShellToolOptions, ShellTools } from '../types/shell.js';
import type { AgentTool, ToolCallOptions } from '../types/tools.js';
import { agentOwner, guardedTools } from './agent_owner.js';
import { askToApply } from './apply_approval.js';
import { checkedTool } from './checked_tool.js';
import { answerOf, endOf } from './program_answer.js';

/** An agent passes its approver with each call. */
type ApprovedCallOptions = ToolCallOptions & { approve?: Approve };

const MAX_ARGS = 1_000;
/** Longest argument that every platform accepts. */
const MAX_ARG_CHARS = 30_000;
const MAX_STDIN_CHARS = 1_000_000;

const word = z.string().refine((value) => !value.includes('\0'), 'must not contain NUL');

const RunProgramParams = z.strictObject({
  program: word.min(1).describe('The name of an allowed program.'),
  args: z
    .array(word.max(MAX_ARG_CHARS))
    .max(MAX_ARGS)
    .default([])
    .describe('Its arguments, one by one. No shell is involved: no quotes, pipes, globs or variables.'),
  stdin: z.string().max(MAX_STDIN_CHARS).default('').describe('What it reads as its standard input.'),
});

/**
 * Creates a tool for an agent to run programs of the system in confinement: in a copy of a folder, without network, with limits for
 * time, memory, processes and disk, and without leftovers. Their changes are applied to the folder after approval.
 *
 * Linux only, with Landlock (6.2 or later) and seccomp; elsewhere it throws `ConfigError`.
 *
 * @example
 * const tools = { ...tgpTools(kernel), ...createShellTools({ kernel, programs: ['git', 'prettier'], cwd: '.', approve }) };
 */
export function createShellTools(options: ShellToolOptions): ShellTools {
  const settings = shellSettings(options);
  const programs = findPrograms(settings.programs, settings.folder);
  const launcher = provenLauncher();
  const owner = ownerOf(settings);
  const access = owner && settings.kernel?.[ON_BEHALF](owner.caller);
  /** The approver of the current agent. */
  const currentApprover = new AsyncLocalStorage<Approve | undefined>();
  /** The previous run: programs run one at a time, each on the result of the one before. */
  let last: Promise<unknown> = Promise.resolve();

  const inTurn = <T>(
    input: z.output<typeof RunProgramParams>,
    signal: AbortSignal | undefined,
    work: (ran: ProgramResult) => Promise<T>,
  ): Promise<T> => {
    const request = { ...input, program: programNamed(programs, input.program) };
    const turn = last.then(async () => {
      throwIfAborted(signal);
      const places = access && realPlaces(await access.places());
      return inScratch(launcher, programs, settings, request, places, signal, work);
    });
    last = turn.catch(() => {});
    return turn;
  };
  const ofAgent = () => {
    const approve = currentApprover.getStore();
    return approve && { approve };
  };
  const recorded = <T>(call: Omit<OwnCall, 'effect'>, work: () => Promise<T>): Promise<T> =>
    access ? access.own({ effect: 'shell', ...call, caller: { ...ofAgent(), ...call.caller } }, work) : work();
  /** Applies approved changes, or returns why they were not applied. */
  const applied = async (
    { program, args }: z.output<typeof RunProgramParams>,
    { scratch, changes, problems }: ProgramResult,
    diffs: ShownDiff[],
    signal: AbortSignal | undefined,
  ) => {
    try {
      if (problems.length > 0) {
        throw new SecurityViolation(
          `No change was applied: ${problems.join('; ')}. Only regular files can be applied.`,
        );
      }
      const whole = new Set(diffs.flatMap(({ path, isWhole }) => (isWhole ? [path] : [])));
      const listed = changes.map(({ path, kind }) => ({ path, kind, isShown: whole.has(path) }));
      const about = { program, args, changes: listed };
      const approve = currentApprover.getStore() ?? settings.approve;
      const write = async () => {
        throwIfAborted(signal);
        await applyChanges(settings.folder, scratch, changes);
      };
      await askToApply({ access, approve, about, diffs, timeoutMs: settings.approvalMs, signal, recorded, write });
      return { applied: true };
    } catch (error) {
      throwIfAborted(signal);
      if (!(error instanceof TGPError)) throw error;
      return { applied: false, code: error.code, error: error.message };
    }
  };

  const tool = checkedTool(
    'run_program',
    `Run a program in a copy of the project's folder, without network: ${[...programs.keys()].join(', ')}. Takes the arguments one by one, never a shell line. Returns { success, exitCode, stdout, stderr, changes, applied }: its changes in the copy are applied to the folder when it exits with 0 and the changes are approved.`,
    RunProgramParams,
    async (input, signal) =>
      recorded({ tool: 'run_program', changes: true, args: input }, () =>
        inTurn(input, signal, async (ran) => {
          if (ran.changes.length + ran.problems.length === 0) return answerOf(ran.report, [], {});
          const diffs = await diffsOf(settings.folder, ran.scratch, ran.changes);
          const ending = endOf(ran.report);
          const outcome = ending.success ? await applied(input, ran, diffs, signal) : { applied: false };
          return answerOf(ran.report, merged(ran.changes, diffs), outcome);
        }),
      ),
    {
      isAlways: settings.dryRun,
      preview: async (input, signal) =>
        recorded({ tool: 'run_program', changes: false, args: input, caller: { dryRun: true } }, () =>
          inTurn(input, signal, async (ran) => {
            // The same call has the same preview: no measurements.
            const { stats: _, ...result } = answerOf(ran.report, [], {});
            return dryRunResult({
              result,
              diffs: (await diffsOf(settings.folder, ran.scratch, ran.changes)).map(({ path, diff }) => ({
                path,
                diff,
              })),
            });
          }),
        ),
    },
  );
  const execute: AgentTool['execute'] = (args, callOptions) =>
    currentApprover.run((callOptions as ApprovedCallOptions | undefined)?.approve, () =>
      tool.execute(args, callOptions),
    );
  const tools = { run_program: { ...tool, execute } };
  const rule = { maxChars: () => settings.resultChars };
  if (owner === undefined) return boundedTools(tools, rule) as ShellTools;
  const descriptions = {
    run_program: (args: object) => ({ tool: 'run_program', effect: 'shell', args }),
  };
  return ownedTools(boundedTools(guardedTools(tools, owner, descriptions), rule), owner) as ShellTools;
}

function ownerOf({ kernel, approval, agent, session, model, token }: ShellSettings) {
  if (kernel === undefined) return undefined;
  if (typeof kernel[ON_BEHALF] !== 'function') {
    throw new ConfigError('createShellTools options: "kernel" must be a TGP.', { details: { field: 'kernel' } });
  }
  const options = Object.entries({ session, model, token, ...(agent !== undefined && { id: agent }) });
  const caller = Object.fromEntries(options.filter(([, value]) => value !== undefined));
  return agentOwner(kernel, { agent: 'agent', ...caller }, approval);
}

function merged(changes: ScratchChange[], diffs: { path: string; diff: string }[]) {
  const shown = new Map(diffs.map(({ path, diff }) => [path, diff]));
  return changes.map(({ path, kind }) => {
    const diff = shown.get(path);
    return { path, kind, ...(diff !== undefined && { diff }) };
  });
}
