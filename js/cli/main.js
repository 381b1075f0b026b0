import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { TGPError, ValidationError } from '../boundary/errors.js';
import { packageVersion } from '../boundary/package_version.js';
import { addAgentCommands, withCommand } from './agent_commands.js';
import { err, out } from './output.js';

/** @typedef {import('./screen.js').Format} Format */

const WRONG_USAGE = 2;
const FAILED = 1;

const EXIT_CODES = `
Exit codes:
  0  done
  1  failed: a tool threw or is not valid, something is missing, broken or not allowed; the message says what to do
  2  wrong usage
  3  an agent: the model refused, or was refused what it wanted; ledger verify: the ledger was changed
  4  ledger verify: the end of the ledger is missing
  130  an agent was interrupted`;

/**
 * @param {string[]} argv
 * @returns {Promise<number>} the exit code
 */
export async function main(argv) {
  let exitCode = 0;
  /**
   * Runs a command; a failure of the kernel is an outcome, anything else is a defect and stays loud.
   * @param {(...values: any[]) => Promise<number>} command
   */
  const action =
    (command) =>
    /** @type {(...values: any[]) => Promise<void>} */
    async (...values) => {
      const { json, ...options } = values.at(-1).opts();
      /** @type {Format} */
      const format = json ? 'json' : 'text';
      try {
        exitCode = await command(...values.slice(0, -2), { ...options, format });
      } catch (error) {
        if (!(error instanceof TGPError)) throw error;
        const { failure } = await import('./screen.js');
        failure(format, error);
        exitCode = error instanceof ValidationError ? WRONG_USAGE : FAILED;
      }
    };

  const program = build(action);
  try {
    if (argv.length === 0) program.outputHelp();
    else await program.parseAsync(withCommand(argv), { from: 'user' });
    return exitCode;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? 0 : WRONG_USAGE;
  }
}

/** @param {(command: (...values: any[]) => Promise<number>) => (...values: any[]) => Promise<void>} action */
function build(action) {
  const program = new Command('tgp')
    .description('Tools that an agent forges, checks, runs in a sandbox and keeps in Git.')
    .version(packageVersion(), '-v, --version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .helpCommand('help [command]', 'print help for a command')
    .addHelpText(
      'after',
      `\nStart with "tgp demo" to see it work, or "tgp init" to add it to your application.\n${EXIT_CODES}`,
    )
    .showHelpAfterError('(tgp help shows what there is)')
    .configureOutput({ writeOut: out, writeErr: err })
    .exitOverride();

  const command = (/** @type {string} */ usage, /** @type {string} */ description) =>
    program.command(usage).description(description).allowExcessArguments(false);
  const reporting = (/** @type {Command} */ made) => made.option('--json', 'print one JSON document');
  const onWorkspace = (/** @type {Command} */ made) =>
    reporting(made).option(
      '-c, --config <file>',
      'config file (default: tgp.config.* in this folder or one around it)',
    );
  const onApproval = (/** @type {Command} */ made) =>
    onWorkspace(made).option('-y, --yes', 'approve everything that the policy wants approved, without asking');

  addAgentCommands({ command, onWorkspace, onApproval, action, positive });
  reporting(command('init', 'set TGP up in this folder; safe to run again'))
    .option('-y, --yes', 'do not ask')
    .action(action(async (options) => (await import('./init.js')).init(options)));
  onWorkspace(command('doctor', 'check that everything works here, and say how to repair what does not')).action(
    action(async (options) => (await import('./doctor.js')).doctor(options)),
  );
  onWorkspace(command('list', 'list the tools')).action(action(async (options) => (await tools()).list(options)));
  onWorkspace(command('find <query>', 'find tools by what they do, best first; above 0.85 means the same job'))
    .option('-n, --limit <n>', 'most tools to print', positive)
    .action(action(async (query, options) => (await tools()).find(query, options)));
  onWorkspace(command('show <tool>', 'print a tool and what the checker says about it')).action(
    action(async (tool, options) => (await tools()).show(tool, options)),
  );
  onApproval(command('check [tools...]', 'check tools without running them; all when none is named'))
    .option('--fix', 'make every repair that findings offer, and commit it')
    .action(action(async (names, options) => (await tools()).check(names, options)));
  onApproval(
    command('test [pattern]', 'run the tests of tools: of one, of a folder, of those that match a glob, or all'),
  )
    .option('--watch', 'run them again when a file changes')
    .option('--coverage', 'tell which lines of the tools ran')
    .option('--accept', 'take the tests as they are for what is meant')
    .option('--case-ms <n>', 'how long one case may take', positive)
    .action(action(async (pattern, options) => (await import('./test_command.js')).test(pattern, options)));
  onApproval(command('exec <tool>', 'run a tool; its result goes to standard output, its logs to standard error'))
    .option('-a, --args <json>', 'arguments: a JSON object, @file, or - for standard input', '{}')
    .option('--timeout-ms <n>', 'CPU time of the run', positive)
    .option('--memory-mb <n>', 'memory of the run', positive)
    .option('--dry-run', 'only print what the run would do')
    .addOption(testFirst('refuse a tool that is not green (strict); people are held to nothing otherwise'))
    .action(action(async (tool, options) => (await tools()).exec(tool, options)));
  onWorkspace(command('log [path]', 'list the commits of a tool or file, or all, newest first'))
    .option('-n, --limit <n>', 'most commits to print', positive)
    .action(action(async (path, options) => (await history()).log(path, options)));
  const changing = (/** @type {Command} */ made) =>
    onApproval(made)
      .option('-w, --why <text>', 'a line for the history')
      .option('--dry-run', 'only print what would change');
  changing(command('remove <path>', 'remove a tool or file, as a commit; one that others import stays')).action(
    action(async (path, options) => (await changes()).remove(path, options)),
  );
  changing(command('move <from> <to>', 'move or rename a tool or file, with all imports of it, as one commit')).action(
    action(async (from, to, options) => (await changes()).move(from, to, options)),
  );
  changing(command('revert <path> <commit>', 'make a tool or file what it was in a commit, as a new commit')).action(
    action(async (path, commit, options) => (await changes()).revert(path, commit, options)),
  );
  onApproval(command('commit [paths...]', 'commit what was written by hand and is not in the history yet'))
    .option('-m, --message <text>', 'what the commit is about')
    .addOption(unforeseeable())
    .action(action(async (paths, options) => (await import('./commit_command.js')).commit(paths, options)));
  onApproval(command('sync', 'push what is not pushed yet, and bring in what others pushed'))
    .addOption(unforeseeable())
    .action(action(async (options) => (await history()).sync(options)));
  onWorkspace(command('stats', 'how many tools were forged here, and how often one was used again')).action(
    action(async (options) => (await tools()).stats(options)),
  );
  const ledger = command('ledger', 'what was asked, decided and done here, and whether that record is whole');
  const ofLedger = (/** @type {string} */ usage, /** @type {string} */ description) =>
    onWorkspace(ledger.command(usage).description(description).allowExcessArguments(false));
  ofLedger('tail', 'print the last events')
    .option('-n, --limit <n>', 'most events to print (default: 20)', positive)
    .option('--session <name>', 'only of this session')
    .option('--path <file>', 'only about this file')
    .option('--tool <name>', 'only of this tool')
    .option('--type <type>', 'only of this type, such as CALL, RESULT or COMMIT')
    .option('-f, --follow', 'go on with those that are recorded from now on; with --json one a line')
    .action(action(async (options) => (await ledgerCommands()).tail(options)));
  ofLedger(
    'show <call>',
    'print a call and all that it caused as a tree; <call> is its id, or the number of one of its events',
  ).action(action(async (call, options) => (await ledgerCommands()).show(call, options)));
  ofLedger(
    'verify',
    'tell whether the record is whole; ends with 3 when it was changed, with 4 when its end is missing',
  )
    .option('--file <export>', 'a file of "tgp ledger export", instead of the workspace')
    .option('--key <file>', 'the public key that the checkpoint of --file must be signed with')
    .action(action(async (options) => (await ledgerCommands()).verify(options)));
  ofLedger('sign-base', 'sign once that events before the first may be gone, for a ledger of an older version').action(
    action(async (options) => (await ledgerCommands()).signBase(options)),
  );
  ofLedger('prune', 'let old events go, up to a signed checkpoint, and make the file smaller')
    .option('--keep <n>', 'keep this many of the newest events', positive)
    .option(
      '--before <time>',
      'let those before this time go (UTC), such as 2026-01-01 or 2026-01-01T10:00; with --keep, what either keeps stays',
    )
    .option('--dry-run', 'only print how many would go')
    .action(action(async (options) => (await ledgerCommands()).prune(options)));
  ofLedger('export', 'print all events as NDJSON, with the newest checkpoint and a signed end as the last lines')
    .option('-o, --output <file>', 'write to a file')
    .action(action(async (options) => (await ledgerCommands()).exportLedger(options)));
  const policy = command('policy', 'what the rules say: whether they can be meant, of one call, of all that were made');
  const ofPolicy = (/** @type {string} */ usage, /** @type {string} */ description) =>
    onWorkspace(policy.command(usage).description(description).allowExcessArguments(false));
  ofPolicy('check [file]', 'tell whether rules can be meant, and run the tests in them').action(
    action(async (file, options) => (await policyCommands()).check(file, options)),
  );
  ofPolicy('explain <tool>', 'print what the rules say of a call, which rule, and what would be allowed instead')
    .option('-a, --args <json>', 'its arguments: a JSON object, @file, or - for standard input', '{}')
    .option('--file <file>', 'other rules than those of the config')
    .option('--agent <name>', 'who makes it, such as cli, mcp or the name of an agent')
    .option('--session <name>', 'in which session')
    .action(action(async (tool, options) => (await policyCommands()).explain(tool, options)));
  ofPolicy('replay <file>', 'print what other rules would have said of the calls in the ledger')
    .option('-n, --limit <n>', 'most calls to judge, the newest (default: 10000)', positive)
    .action(action(async (file, options) => (await policyCommands()).replay(file, options)));
  onApproval(command('mcp', 'serve the tools to MCP clients, over standard input and output or HTTP'))
    .option('--http [port]', 'over HTTP, at a port of this machine')
    .option('--host <address>', 'address to listen at; others than this machine need a token (default: 127.0.0.1)')
    .option('--token <text>', 'bearer token that clients must send (default: the variable TGP_MCP_TOKEN)')
    .option('--dry-run', 'calls only tell what they would do')
    .addOption(testFirst('whether clients write the test of a tool first (default: that of the config)'))
    .action(action(async (options) => (await import('./mcp.js')).mcp(options)));
  reporting(command('demo', 'watch a scripted model forge, break, heal and reuse a tool; needs no network and no key'))
    .option('--keep', 'leave the workspace behind and print where it is')
    .action(
      action(async ({ keep, format }) => {
        const { demo } = await import('../../examples/demo/demo.js');
        return demo({ workspace: keep ? 'keep' : 'remove', format });
      }),
    );
  command('completion <shell>', 'print a script that completes commands in bash, zsh or fish')
    .addHelpText(
      'after',
      '\nbash: eval "$(tgp completion bash)"   zsh: eval "$(tgp completion zsh)"   fish: tgp completion fish | source',
    )
    .action(
      action(async (shell) => {
        const { completion, SHELLS } = await import('./completion.js');
        if (SHELLS.includes(shell)) return completion(shell, program);
        throw new ValidationError(`There is no completion for "${shell}", only for ${SHELLS.join(', ')}.`, {
          details: { field: 'shell' },
        });
      }),
    );
  return program;
}

function tools() {
  return import('./tool_commands.js');
}

function history() {
  return import('./history_commands.js');
}

function changes() {
  return import('./change_commands.js');
}

function policyCommands() {
  return import('./policy_commands.js');
}

function ledgerCommands() {
  return import('./ledger_commands.js');
}

/** An option of commands that cannot be previewed: it must not be taken for one that is ignored. */
function unforeseeable() {
  return new Option('--dry-run').hideHelp();
}

/** @param {string} description */
function testFirst(description) {
  return new Option('--mode <mode>', description).choices(['explore', 'strict', 'debug']);
}

/** @param {string} text */
function positive(text) {
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number <= 0)
    throw new InvalidArgumentError('It must be a positive whole number.');
  return number;
}
