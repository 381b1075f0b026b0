/** The agent commands, and the shorthand `tgp "<task>"`. */

import type { Command } from 'commander';
import { InvalidArgumentError, Option } from 'commander';

const COMMAND = 'agent';
/** Several words, or non-ASCII letters: some languages are written without spaces. */
const SENTENCE = /\S\s+\S|[^\p{ASCII}]/u;

/**
 * Inserts the command `agent` when the first argument is a sentence. A single word is not a task: it may be a misspelt
 * command.
 */
export function withCommand(argv: string[]) {
  const [first = ''] = argv;
  const isOption = first.startsWith('-') && !['-h', '--help', '-v', '--version'].includes(first);
  return isOption || SENTENCE.test(first) ? [COMMAND, ...argv] : argv;
}

/**
 * Makes the action of a command, which loads the implementation when the command is run. It is called with the command's arguments
 * and options, and returns the exit code.
 */
export type CommandAction = <Values extends unknown[]>(
  load: () => Promise<(...values: Values) => number | Promise<number>>,
) => (...values: unknown[]) => Promise<void>;

/** The option with the programs that an agent may run. */
export function programsOption() {
  return new Option(
    '--programs <names>',
    'programs that may be run, confined and in a copy of this folder, such as git,node; each call needs approval',
  ).argParser(namesOf);
}

function namesOf(text: string) {
  const names = text.split(',').map((name) => name.trim());
  if (names.every((name) => name !== '')) return names;
  throw new InvalidArgumentError('Use names separated by commas, such as git,node.');
}

/** Adds the commands to the command line. */
export function addAgentCommands({
  command,
  onWorkspace,
  onApproval,
  action,
  positive,
}: {
  command: (usage: string, description: string) => Command;
  onWorkspace: (made: Command) => Command;
  onApproval: (made: Command) => Command;
  action: CommandAction;
  positive: (text: string) => number;
}) {
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
    .addOption(programsOption())
    .action(action(async () => (await import('./agent_command.js')).agent));

  const sessions = command('sessions', 'list, show and close the agent sessions of this workspace');
  const ofSessions = (usage: string, description: string, isDefault = false) =>
    onWorkspace(sessions.command(usage, { isDefault }).description(description).allowExcessArguments(false));
  ofSessions('list', 'list sessions, newest first', true)
    .option('-n, --limit <n>', 'maximum number of sessions to print (default: 20)', positive)
    .action(action(async () => (await sessionCommands()).list));
  ofSessions('show <session>', 'print the messages and calls of a session').action(
    action(async () => (await sessionCommands()).show),
  );
  ofSessions('close <session>', 'close a session: it cannot be resumed, and its record is kept').action(
    action(async () => (await sessionCommands()).close),
  );
  onApproval(
    command(
      'replay <session>',
      "replay a session's recorded model output against a copy of the workspace at that time",
    ),
  ).action(action(async () => (await import('./agent_replay.js')).replay));
}

function sessionCommands() {
  return import('./agent_sessions.js');
}
