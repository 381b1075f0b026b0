/** The commands around agents, and the sentence that is a command by itself. */

import { Option } from 'commander';

/** @typedef {import('commander').Command} Command */

const COMMAND = 'agent';
/** Several words, or one that has letters which no command has: there are languages without spaces. */
const SENTENCE = /\S\s+\S|[^\p{ASCII}]/u;

/**
 * Arguments with the command that they leave out: a sentence is a task for an agent. A single word is not, because it may be a
 * command that somebody misspelt.
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
    command(`${COMMAND} [task...]`, 'give a task to a model, which finds, forges, tests and runs tools for it')
      .usage('"<task>" [options]')
      .addHelpText('after', '\nThe command may be left out: tgp "<task>". A task of "-" is read from standard input.'),
  )
    .option('--model <model>', 'openai/<model>, anthropic/<model> or compatible:<url>/<model> (default: TGP_MODEL)')
    .option('--dry-run', 'change nothing, show what would be')
    .addOption(new Option('--mode <mode>', 'how strictly tests come first').choices(['explore', 'strict', 'debug']))
    .option('--resume [session]', 'go on with a session (default: the last one that did not come to its end)')
    .option('--max-steps <n>', 'most turns of the model', positive)
    .option('--budget <limits>', 'tokens, such as 200k, or a list such as tokens=200k,money=2.50,time=10min')
    .option('--price <in/out>', 'what a million tokens cost, such as 1.25/10')
    .action(action(async (words, options) => (await import('./agent_command.js')).agent(words, options)));

  const sessions = command('sessions', 'the conversations of agents in this workspace');
  const ofSessions = (/** @type {string} */ usage, /** @type {string} */ description, isDefault = false) =>
    onWorkspace(sessions.command(usage, { isDefault }).description(description).allowExcessArguments(false));
  ofSessions('list', 'list them, newest first', true)
    .option('-n, --limit <n>', 'most sessions to print (default: 20)', positive)
    .action(action(async (options) => (await sessionCommands()).list(options)));
  ofSessions('show <session>', 'print what was said and done in one').action(
    action(async (session, options) => (await sessionCommands()).show(session, options)),
  );
  ofSessions('close <session>', 'let nothing more be done in one; its record stays').action(
    action(async (session, options) => (await sessionCommands()).close(session, options)),
  );
  onApproval(
    command('replay <session>', 'let the model say again what it said, against a copy of the workspace as it was then'),
  ).action(action(async (session, options) => (await import('./agent_replay.js')).replay(session, options)));
}

function sessionCommands() {
  return import('./agent_sessions.js');
}
