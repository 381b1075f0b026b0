import { join, resolve } from 'node:path';
import { harmless } from '../boundary/harmless.js';
import { makeTempFolder, removeTempFolder } from '../files/temp_folder.js';
import { OWNER } from '../kernel/agent_access.js';
import { RESOLVED } from '../kernel/config.js';
import { refuseWritablePolicy } from '../kernel/policy_source.js';
import { TGP } from '../kernel/tgp.js';
import { withDefaultPolicy } from './default_policy.js';
import { SILENT } from './doctor_workspace.js';
import { json, line, styled, withProgress } from './screen.js';
import { readArguments } from './tool_commands.js';
import { locateRoot, offlineConfig, withoutPolicy, withWorkspace } from './workspace.js';

/**
 * @typedef {import('./screen.js').Format} Format
 * @typedef {import('../../index.js').Verdict} Verdict
 * @typedef {import('../../index.js').PolicyInput} PolicyInput
 * @typedef {{ config?: string, format: Format }} Options
 * @typedef {Awaited<ReturnType<typeof locateRoot>>} Located
 */

const PRESETS = ['allow', 'safe'];
const SHORT_HASH = 12;
const REASON_CHARS = 500;

/** @type {Record<Verdict['verdict'], 'green' | 'yellow' | 'red'>} */
const COLOURS = { allow: 'green', ask: 'yellow', deny: 'red' };

/**
 * @param {string | undefined} file the configured policy if undefined
 * @param {Options} options
 */
export async function check(file, { format, config }) {
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

/**
 * @param {string} tool
 * @param {Options & { args?: string, file?: string, agent?: string, session?: string }} options
 */
export async function explain(tool, { format, config, args, file, agent, session }) {
  const principal = { ...(agent !== undefined && { agent }), ...(session !== undefined && { session }) };
  const call = { tool, args: await readArguments(args), principal };
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

/**
 * @param {string} file
 * @param {Options & { limit?: number }} options
 */
export async function replay(file, { format, config, limit }) {
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

/** @param {{ tool: string, before: Verdict, after: Verdict }} change */
function changeLine({ tool, before, after }) {
  const now = styled(COLOURS[after.verdict], after.verdict);
  return `${harmless(tool)}  ${before.verdict} -> ${now}  ${harmless(after.rule)} (${harmless(after.at)}): ${harmless(after.reason)}`;
}

/**
 * Counts equal texts, in order of first appearance.
 * @param {string[]} texts
 */
function counted(texts) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return counts;
}

/**
 * The named policy, or else the policy of commands in this folder.
 * @param {string | undefined} file
 * @param {Located} located
 * @returns {Promise<PolicyInput>}
 */
async function rulesOf(file, { resolved }) {
  if (file !== undefined) return named(file);
  const { application } = await withDefaultPolicy(resolved);
  return application.policy ?? 'safe';
}

/**
 * Resolves a policy file relative to the current folder.
 * @param {string} file or the name of a built-in policy
 */
function named(file) {
  return PRESETS.includes(file) ? file : resolve(file);
}

/**
 * @param {string | undefined} file
 * @param {PolicyInput} policy
 */
function nameOf(file, policy) {
  return file ?? (typeof policy === 'string' ? policy : 'the configured policy');
}

/**
 * Refuses a configured policy file that agents could change, as a boot does.
 * @param {PolicyInput} policy
 * @param {Located} located
 */
async function refuseReachable(policy, { root, resolved: { baseDir, config } }) {
  if (typeof policy !== 'string' || PRESETS.includes(policy)) return;
  const folders = (config.fs?.allowedDirs ?? []).map((folder) => resolve(baseDir, folder));
  await refuseWritablePolicy(resolve(baseDir, policy), [root, ...folders]);
}

/**
 * Runs `work` with a kernel in a temporary folder that has the functions of the configuration. So rules can be checked without
 * a workspace, such as in CI, and even if the policy in force is not valid.
 * @template T
 * @param {Located} located
 * @param {(kernel: TGP) => Promise<T>} work
 */
async function onRules({ resolved }, work) {
  const folder = makeTempFolder('tgp-policy-');
  const { config, ...rest } = offlineConfig(withoutPolicy(resolved));
  const scratch = { ...rest, config: { ...config, rootDir: join(folder, '.tgp'), ledger: { on: false } } };
  const kernel = new TGP(/** @type {any} */ ({ logger: SILENT, [RESOLVED]: scratch, [OWNER]: { agent: 'cli' } }));
  try {
    return await work(kernel);
  } finally {
    await kernel.shutdown();
    await removeTempFolder(folder);
  }
}
