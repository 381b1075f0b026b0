/** The commands `tgp policy …`: check rules, explain a call, replay recorded calls. */

import { join, resolve } from 'node:path';
import { z } from 'zod';
import { ValidationError } from '../../boundary/errors.js';
import { harmless } from '../../boundary/harmless.js';
import { KERNEL_TOOL_FACTS } from '../../boundary/kernel_tool_facts.js';
import { parseArguments } from '../../boundary/validation.js';
import { makeTempFolder, removeTempFolder } from '../../files/temp_folder.js';
import { OWNER } from '../../kernel/access_symbols.js';
import { RESOLVED } from '../../kernel/config/config.js';
import { refuseWritablePolicy } from '../../kernel/policy/policy_source.js';
import { TGP } from '../../kernel/tgp.js';
import { agentToolRow } from '../../tool_shape/agent_tool_table.js';
import type { PolicyInput, Verdict } from '../../types/policy.js';
import type { Format } from '../terminal/screen.js';
import { json, line, styled, withProgress } from '../terminal/screen.js';
import { withDefaultPolicy } from '../workspace/default_policy.js';
import { locateRoot, offlineConfig, SILENT, SOURCES, withoutPolicy, withWorkspace } from '../workspace/workspace.js';
import { readArguments } from './tool_commands.js';

type Options = { config?: string; format: Format };
type Located = Awaited<ReturnType<typeof locateRoot>>;

const PRESETS = ['allow', 'safe'];
const SHORT_HASH = 12;
const REASON_CHARS = 500;

const COLOURS: Record<Verdict['verdict'], 'green' | 'yellow' | 'red'> = { allow: 'green', ask: 'yellow', deny: 'red' };

/** @param file the configured policy if undefined */
export async function check(file: string | undefined, { format, config }: Options) {
  const located = await locateRoot({ config });
  const policy = await rulesOf(file, located);
  const summary = await onRules(located, (kernel) => kernel.policy.check(policy));
  if (file === undefined) await refuseReachable(policy, located);
  if (format === 'json') {
    json(summary);
    return 0;
  }
  const { rules, version } = summary;
  const count = `${rules} ${rules === 1 ? 'rule' : 'rules'}`;
  line(`${nameOf(file, policy)}  ${styled('green', 'valid')}  ${count}, version ${version.slice(0, SHORT_HASH)}`);
  return 0;
}

/** `tgp policy explain`: the verdict on one call. */
export async function explain(
  tool: string,
  {
    format,
    config,
    args,
    file,
    agent,
    session,
  }: Options & { args?: string; file?: string; agent?: string; session?: string },
) {
  const principal = { ...(agent !== undefined && { agent }), ...(session !== undefined && { session }) };
  const call = { tool, args: await readArguments(args), principal };
  refuseMistaken(call);
  const located = await locateRoot({ config });
  const policy = await rulesOf(file, located);
  const verdict = await onRules(located, (kernel) => kernel.policy.explain(call, policy));
  if (format === 'json') {
    json(verdict);
    return 0;
  }
  const { rule, at, reason, nearest } = verdict;
  line(`${styled(COLOURS[verdict.verdict], verdict.verdict)}  ${harmless(tool)}`);
  line(`rule     ${harmless(rule)} (${harmless(at)})`);
  line(`reason   ${harmless(reason, REASON_CHARS)}`);
  if (nearest !== undefined) line(`instead  ${harmless(nearest, REASON_CHARS)}`);
  return 0;
}

/** Refuses the path of a tool in place of an agent's tool, and arguments that the tool does not have. */
function refuseMistaken({ tool, args }: { tool: string; args: Record<string, unknown> }) {
  if (tool.includes('/') || SOURCES.test(tool)) {
    const example = `tgp policy explain exec_tool --args '${JSON.stringify({ path: tool })}'`;
    throw new ValidationError(
      `"${tool}" is a path. This command explains a call of an agent's tool, such as exec_tool for a run of it: ${example}`,
      { details: { field: 'tool' } },
    );
  }
  if (!isKernelTool(tool)) return;
  const names = new Set([
    ...KERNEL_TOOL_FACTS[tool].arguments,
    ...Object.keys(agentToolRow(tool)?.parameters.shape ?? {}),
  ]);
  const schema = z.strictObject(Object.fromEntries([...names].map((name) => [name, z.any().optional()])));
  parseArguments(schema, args, tool);
}

function isKernelTool(name: string): name is keyof typeof KERNEL_TOOL_FACTS {
  return Object.hasOwn(KERNEL_TOOL_FACTS, name);
}

/** `tgp policy replay`: compares rules with those in force, on recorded calls. */
export async function replay(file: string, { format, config, limit }: Options & { limit?: number }) {
  const report = await withProgress(format, 'Replaying', () =>
    withWorkspace({ config, needs: 'rules' }, (kernel) => kernel.policy.replay(named(file), { limit })),
  );
  if (format === 'json') {
    json(report);
    return 0;
  }
  const { judged, stricter, milder, changes } = report;
  for (const [text, count] of counted(changes.map(changeLine))) line(`${String(count).padStart(5)}  ${text}`);
  const more = stricter + milder - changes.length;
  if (more > 0) line(`${String(more).padStart(5)}  more changes, not listed`);
  line(`${judged} ${judged === 1 ? 'call' : 'calls'} replayed: ${stricter} stricter, ${milder} milder`);
  return 0;
}

function changeLine({ tool, before, after }: { tool: string; before: Verdict; after: Verdict }) {
  const now = styled(COLOURS[after.verdict], after.verdict);
  return `${harmless(tool)}  ${before.verdict} -> ${now}  ${harmless(after.rule)} (${harmless(after.at)}): ${harmless(after.reason)}`;
}

/** Counts equal texts, in order of first appearance. */
function counted(texts: string[]) {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return counts;
}

/** The named policy, or else the policy of commands in this folder. */
async function rulesOf(file: string | undefined, { resolved }: Located): Promise<PolicyInput> {
  if (file !== undefined) return named(file);
  const { application } = await withDefaultPolicy(resolved);
  return application.policy ?? 'safe';
}

/**
 * Resolves a policy file relative to the current folder.
 * @param file or the name of a built-in policy
 */
function named(file: string) {
  return PRESETS.includes(file) ? file : resolve(file);
}

function nameOf(file: string | undefined, policy: PolicyInput) {
  return file ?? (typeof policy === 'string' ? policy : 'the configured policy');
}

/** Refuses a configured policy file that agents could change, as a boot does. */
async function refuseReachable(policy: PolicyInput, { root, resolved: { baseDir, config } }: Located) {
  if (typeof policy !== 'string' || PRESETS.includes(policy)) return;
  const folders = (config.fs?.allowedDirs ?? []).map((folder) => resolve(baseDir, folder));
  await refuseWritablePolicy(resolve(baseDir, policy), [root, ...folders]);
}

/**
 * Runs `work` with a kernel in a temporary folder that has the functions of the configuration. So rules can be checked without
 * a workspace, such as in CI, and even if the policy in force is not valid.
 */
async function onRules<T>({ resolved }: Located, work: (kernel: TGP) => Promise<T>) {
  const folder = makeTempFolder('tgp-policy-');
  const { config, ...rest } = offlineConfig(withoutPolicy(resolved));
  const scratch = { ...rest, config: { ...config, rootDir: join(folder, '.tgp'), ledger: { on: false } } };
  const options = { logger: SILENT, [RESOLVED]: scratch, [OWNER]: { agent: 'cli' } };
  const kernel = new TGP(options);
  try {
    return await work(kernel);
  } finally {
    await kernel.shutdown();
    await removeTempFolder(folder);
  }
}
