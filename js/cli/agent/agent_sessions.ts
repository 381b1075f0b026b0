/** `tgp sessions`: lists, shows and closes the agent sessions of this workspace. */

import { harmless, harmlessJson, harmlessLines } from '../../boundary/harmless.js';
import type { TGP } from '../../kernel/tgp.js';
import type { AgentSession } from '../../types/agent.js';
import type { Format } from '../terminal/screen.js';
import { fitted, json, line, styled } from '../terminal/screen.js';
import { withWorkspace } from '../workspace/workspace.js';

type Options = { config?: string; format: Format };

const LISTED = 20;
const STATE_COLUMN = 'interrupted'.length;
const MAX_TASK_CHARS = 300;
const MAX_TEXT_CHARS = 20_000;
const COLOURS: Record<string, Parameters<typeof styled>[0]> = {
  done: 'green',
  failed: 'red',
  refused: 'red',
  budget: 'yellow',
  interrupted: 'yellow',
  running: 'cyan',
};
const MARKS: Record<'ok' | 'failed' | 'open', [mark: string, colour: Parameters<typeof styled>[0]]> = {
  ok: ['✓', 'green'],
  failed: ['✗', 'red'],
  open: ['?', 'yellow'],
};

/** `tgp sessions list`: the newest sessions. */
export async function list({ format, config, limit = LISTED }: Options & { limit?: number }) {
  const sessions = await onSessions(config, (kernel) => kernel.sessions.list({ limit }));
  if (format === 'json') json(sessions);
  else if (sessions.length === 0) line('There are no sessions yet. Start one with tgp "<task>".');
  else for (const session of sessions) line(sessionLine(session));
  return 0;
}

/** `tgp sessions show`: one session with its steps. */
export async function show(name: string, { format, config }: Options) {
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

/** `tgp sessions close`: ends a session for good. */
export async function close(name: string, { format, config }: Options) {
  await onSessions(config, (kernel) => kernel.sessions.close(name));
  if (format === 'json') json({ session: name, state: 'closed' });
  else line(`${styled('green', 'closed')}  ${harmless(name)}`);
  return 0;
}

function sessionLine({ session, state, outcome, updated, task }: AgentSession) {
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

function moment(ts: string) {
  return harmless(ts)
    .replace('T', ' ')
    .replace(/(?:\.\d+)?Z$/, '');
}

/** Runs `work` on the sessions of the workspace, without contacting the remote and without starting workers. */
function onSessions<T>(config: string | undefined, work: (kernel: TGP) => Promise<T>) {
  return withWorkspace({ config, needs: 'ledger' }, work);
}
