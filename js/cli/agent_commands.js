/** The agent commands, and the shorthand `tgp "<task>"`. */

import { Option } from 'commander';

/** @typedef {import('commander').Command} Command */

const COMMAND = 'agent';
/** Several words, or non-ASCII letters: some languages are written without spaces. */
const SENTENCE = /\S\s+\S|[^\p{ASCII}]/u;

/**
 * Inserts the command `agent` when the first argument is a sentence. A single word is not a task: it may be a misspelt
 * command.
 * @param {string[]} argv
 */
export function withCommand(argv) {
  const [first = ''] = argv;
  const isOption = first.startsWith('-') && !['-h', '--help', '-v', '--version'].includes(first);
  return isOption || SENTENCE.test(first) ? [COMMAND, ...argv] : argv;
}

/**
 * @param {object} made
 * @param {(usage: string, description: string) => Command} made.command
 * @param {(made: Command) => Command} made.onWorkspace
 * @param {(made: Command) => Command} made.onApproval
 * @param {(command: (...values: any[]) => Promise<number>) => (...values: any[]) => Promise<void>} made.action
 * @param {(text: string) => number} made.positive
 */
export function addAgentCommands({ command, onWorkspace, onApproval, action, positive }) {
  onApproval(
    command(`${COMMAND} [task...]`, 'run an agent on a task: the model finds, forges, tests and runs tools')
      .usage('"<task>" [options]')
      .addHelpText(
        'after',
        '\nThe command name is optional: tgp "<task>". With "-" the task is read from standard input.',
      ),
  )
    .option('--model <model>', 'openai/<model>, anthropic/<model> or compatible:<url>/<model> (default: TGP_MODEL)')
    .option('--dry-run', 'show what would change, change nothing')
    .addOption(
      new Option('--mode <mode>', 'test mode: whether a tool needs a test first').choices([
        'explore',
        'strict',
        'debug',
      ]),
    )
    .option('--resume [session]', 'resume a session (default: the last one that is not done)')
    .option('--max-steps <n>', 'maximum number of model turns', positive)
    .option('--budget <limits>', 'limits: tokens, such as 200k, or a list such as tokens=200k,money=2.50,time=10min')
    .option('--price <in/out>', 'price of a million input and output tokens, such as 1.25/10')
    .action(action(async (words, options) => (await import('./agent_command.js')).agent(words, options)));

  const sessions = command('sessions', 'list, show and close the agent sessions of this workspace');
  const ofSessions = (/** @type {string} */ usage, /** @type {string} */ description, isDefault = false) =>
    onWorkspace(sessions.command(usage, { isDefault }).description(description).allowExcessArguments(false));
  ofSessions('list', 'list sessions, newest first', true)
    .option('-n, --limit <n>', 'maximum number of sessions to print (default: 20)', positive)
    .action(action(async (options) => (await sessionCommands()).list(options)));
  ofSessions('show <session>', 'print the messages and calls of a session').action(
    action(async (session, options) => (await sessionCommands()).show(session, options)),
  );
  ofSessions('close <session>', 'close a session: it cannot be resumed, and its record is kept').action(
    action(async (session, options) => (await sessionCommands()).close(session, options)),
  );
  onApproval(
    command(
      'replay <session>',
      "replay a session's recorded model output against a copy of the workspace at that time",
    ),
  ).action(action(async (session, options) => (await import('./agent_replay.js')).replay(session, options)));
}

function sessionCommands() {
  return import('./agent_sessions.js');
}
