/** `tgp sessions`: lists, shows and closes the agent sessions of this workspace. */

import { harmless, harmlessJson, harmlessLines } from '../boundary/harmless.js';
import { fitted, json, line, styled } from './screen.js';
import { withWorkspace } from './workspace.js';

/**
 * @typedef {import('./screen.js').Format} Format
 * @typedef {import('../../index.js').AgentSession} AgentSession
 * @typedef {{ config?: string, format: Format }} Options
 */

const LISTED = 20;
const STATE_COLUMN = 'interrupted'.length;
const MAX_TASK_CHARS = 300;
const MAX_TEXT_CHARS = 20_000;
/** @type {Record<string, Parameters<typeof styled>[0]>} */
const COLOURS = {
  done: 'green',
  failed: 'red',
  refused: 'red',
  budget: 'yellow',
  interrupted: 'yellow',
  running: 'cyan',
};
/** @type {Record<'ok' | 'failed' | 'open', [mark: string, colour: Parameters<typeof styled>[0]]>} */
const MARKS = { ok: ['✓', 'green'], failed: ['✗', 'red'], open: ['?', 'yellow'] };

/** @param {Options & { limit?: number }} options */
export async function list({ format, config, limit = LISTED }) {
  const sessions = await onSessions(config, (kernel) => kernel.sessions.list({ limit }));
  if (format === 'json') json(sessions);
  else if (sessions.length === 0) line('There are no sessions yet. Start one with tgp "<task>".');
  else for (const session of sessions) line(sessionLine(session));
  return 0;
}

/**
 * @param {string} name
 * @param {Options} options
 */
export async function show(name, { format, config }) {
  const session = await onSessions(config, (kernel) => kernel.sessions.get(name));
  if (format === 'json') {
    json(session);
    return 0;
  }
  line(sessionLine(session));
  line(styled('dim', `${harmless(session.model)}, from ${moment(session.started)} to ${moment(session.updated)}`));
  for (const { text, calls } of session.steps) {
    if (text !== '') line(harmlessLines(text.slice(0, MAX_TEXT_CHARS)).trimEnd());
    for (const { call, tool, args, state } of calls) {
      const [mark, colour] = MARKS[state];
      line(
        `${styled(colour, mark)} ${styled('dim', harmless(call))} ${harmless(tool)} ${harmless(harmlessJson(args ?? {}))}`,
      );
    }
  }
  return 0;
}

/**
 * @param {string} name
 * @param {Options} options
 */
export async function close(name, { format, config }) {
  await onSessions(config, (kernel) => kernel.sessions.close(name));
  if (format === 'json') json({ session: name, state: 'closed' });
  else line(`${styled('green', 'closed')}  ${harmless(name)}`);
  return 0;
}

/** @param {AgentSession} session */
function sessionLine({ session, state, outcome, updated, task }) {
  const shownState = state === 'open' ? (outcome ?? 'open') : state;
  const name = harmless(session);
  const when = moment(updated);
  const column = name.length + when.length + STATE_COLUMN + 6;
  return [
    name,
    styled(COLOURS[shownState] ?? 'dim', shownState.padEnd(STATE_COLUMN)),
    styled('dim', when),
    fitted(harmless(task.replace(/\s+/g, ' '), MAX_TASK_CHARS), column),
  ].join('  ');
}

/** @param {string} ts */
function moment(ts) {
  return harmless(ts)
    .replace('T', ' ')
    .replace(/(?:\.\d+)?Z$/, '');
}

/**
 * Runs `work` on the sessions of the workspace, without contacting the remote and without starting workers.
 * @template T
 * @param {string | undefined} config
 * @param {(kernel: import('../kernel/tgp.js').TGP) => Promise<T>} work
 */
function onSessions(config, work) {
  return withWorkspace({ config, needs: 'ledger' }, work);
}
