/** The command line `tgp`: its commands and their options. Each command is loaded when it is called. */

import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { IoError, TGPError, ValidationError } from '../boundary/errors.js';
import { MODES } from '../boundary/modes.js';
import { packageVersion } from '../boundary/package_version.js';
import type { CommandAction } from './agent/agent_commands.js';
import { addAgentCommands, programsOption, withCommand } from './agent/agent_commands.js';
import { addGraphCommands } from './graph/graph_command_set.js';
import { err, out } from './terminal/output.js';
import type { Format } from './terminal/screen.js';

const WRONG_USAGE = 2;
/** An application of its own, so it is not compiled with the package. */
const DEMO = '../../examples/demo/demo.js';
const FAILED = 1;
/** Errors of the operating system for missing permissions. */
const REFUSED = new Set(['EACCES', 'EPERM', 'EROFS']);

const EXIT_CODES = `
Exit codes:
  0  success
  1  failure: a tool threw or is not valid, or something is missing, broken or not allowed; see the message
  2  wrong usage
  3  agent: the model refused, or its call was denied or not approved; ledger verify: the ledger was changed
  4  ledger verify: the end of the ledger is missing
  130  agent: interrupted`;

/**
 * Parses the command line and runs the command.
 * @returns the exit code
 */
export async function main(argv: string[]): Promise<number> {
  let exitCode = 0;
  /**
   * Runs a command. A TGPError or an error of the file system becomes a message and an exit code; any other error is a defect and is
   * rethrown.
   */
  const action: CommandAction =
    <Values extends unknown[]>(load: () => Promise<(...values: Values) => number | Promise<number>>) =>
    async (...values) => {
      // Commander passes the declared arguments, the options and the command.
      const { json, ...options } = (values.at(-1) as Command).opts();
      const format: Format = json ? 'json' : 'text';
      try {
        const command = await load();
        exitCode = await command(...([...values.slice(0, -2), { ...options, format }] as Values));
      } catch (thrown) {
        const error = fileSystemError(thrown) ?? thrown;
        if (!(error instanceof TGPError)) throw error;
        const { failure } = await import('./terminal/screen.js');
        failure(format, error);
        exitCode = error instanceof ValidationError ? WRONG_USAGE : FAILED;
      }
    };

  const format: Format = argv.includes('--json') ? 'json' : 'text';
  const program = build(action, format);
  try {
    if (argv.length === 0) program.outputHelp();
    else await program.parseAsync(withCommand(argv), { from: 'user' });
    return exitCode;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return 0;
    if (format === 'json') {
      const { failure } = await import('./terminal/screen.js');
      failure(format, new ValidationError(error.message.replace(/^error: /, '')));
    }
    return WRONG_USAGE;
  }
}

/** An error of the file system about a path, with what to do. */
function fileSystemError(thrown: unknown): IoError | undefined {
  const { code, path, syscall, message }: NodeJS.ErrnoException = thrown instanceof Error ? thrown : new Error();
  if (code === undefined || path === undefined || syscall === undefined) return undefined;
  const user = process.getuid === undefined ? 'this user' : `uid ${process.getuid()}`;
  // Only temporary folders are created by this call.
  const remedy =
    syscall === 'mkdtemp'
      ? `Set TMPDIR to a folder that ${user} can write to.`
      : `Run the command in a folder that ${user} can write to, or change the owner of this one.`;
  const advice = REFUSED.has(code) ? ` ${remedy}` : '';
  return new IoError(`${message}.${advice}`, { cause: thrown });
}

/** @param format with JSON, a wrong usage is reported by the caller instead of a message and the help */
function build(action: CommandAction, format: Format) {
  const program = new Command('tgp')
    .description('Tools that an agent forges, checks and runs in a sandbox, versioned in Git.')
    .version(packageVersion(), '-v, --version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .helpCommand('help [command]', 'print help for a command')
    .addHelpText(
      'after',
      `\nStart with "tgp demo" to see it work, or "tgp init" to add it to your application.\n${EXIT_CODES}`,
    )
    .showHelpAfterError('("tgp help" lists all commands)')
    .configureOutput({ writeOut: out, writeErr: format === 'json' ? () => {} : err })
    .exitOverride();

  const command = (usage: string, description: string) =>
    explained(program.command(usage)).description(description).allowExcessArguments(false);
  const reporting = (made: Command) => made.option('--json', 'print one JSON document');
  const onWorkspace = (made: Command) =>
    reporting(made).option(
      '-c, --config <file>',
      'config file (default: tgp.config.* in this folder or a parent folder)',
    );
  const onApproval = (made: Command) =>
    onWorkspace(made).option('-y, --yes', 'approve every call that needs approval, without asking');

  addAgentCommands({ command, onWorkspace, onApproval, action, positive });
  reporting(command('init', 'set TGP up in this folder; safe to run again'))
    .option('-y, --yes', 'do not ask')
    .action(action(async () => (await import('./init/init.js')).init));
  onWorkspace(command('doctor', 'check the installation and the workspace, and print how to fix problems')).action(
    action(async () => (await import('./doctor/doctor.js')).doctor),
  );
  onWorkspace(command('list', 'list the tools')).action(action(async () => (await tools()).list));
  onWorkspace(
    command('find <query>', 'find tools by description, best match first; a score above 0.85 means the same job'),
  )
    .option('-n, --limit <n>', 'maximum number of tools to print', positive)
    .action(action(async () => (await tools()).find));
  onWorkspace(command('show <tool>', 'print a tool and its check result')).action(
    action(async () => (await tools()).show),
  );
  onApproval(command('check [tools...]', 'check tools without running them (default: all tools)'))
    .option('--fix', 'apply every automatic fix and commit it')
    .action(action(async () => (await tools()).check));
  onApproval(command('test [pattern]', 'run the tests of a tool, a folder or a glob (default: all tests)'))
    .option('--watch', 'run the tests again when a file changes')
    .option('--coverage', 'report which lines of the tools ran')
    .option('--accept', 'accept the current tests as the specification')
    .option('--case-ms <n>', 'time limit of one test case in milliseconds', positive)
    .action(action(async () => (await import('./commands/test_command.js')).test));
  onApproval(command('exec <tool>', 'run a tool: the result goes to standard output, logs go to standard error'))
    .option('-a, --args <json>', 'arguments: a JSON object, @file, or - for standard input', '{}')
    .option('--timeout-ms <n>', 'CPU time limit of the run in milliseconds', positive)
    .option('--memory-mb <n>', 'memory limit of the run in MB', positive)
    .option('--dry-run', 'print what the run would do, change nothing')
    .addOption(
      modeOption('test mode: strict refuses a tool whose tests have not passed (default: tests are not required)'),
    )
    .action(action(async () => (await tools()).exec));
  onWorkspace(command('log [path]', 'list the commits of a tool or file, newest first (default: all commits)'))
    .option('-n, --limit <n>', 'maximum number of commits to print', positive)
    .action(action(async () => (await history()).log));
  const changing = (made: Command) =>
    onApproval(made)
      .option('-w, --why <text>', 'reason for the change, recorded in the commit')
      .option('--dry-run', 'print what would change, change nothing');
  changing(command('remove <path>', 'remove a tool or file and commit; refused if other tools import it')).action(
    action(async () => (await changes()).remove),
  );
  changing(command('move <from> <to>', 'move or rename a tool or file, update its imports and commit')).action(
    action(async () => (await changes()).move),
  );
  changing(command('revert <path> <commit>', 'restore a tool or file to an earlier commit, as a new commit')).action(
    action(async () => (await changes()).revert),
  );
  onApproval(command('commit [paths...]', 'commit files that were written or changed by hand'))
    .option('-m, --message <text>', 'commit message')
    .addOption(hiddenDryRunOption())
    .action(action(async () => (await import('./commands/commit_command.js')).commit));
  onApproval(command('sync', 'push local commits and pull remote commits'))
    .addOption(hiddenDryRunOption())
    .action(action(async () => (await history()).sync));
  onWorkspace(command('stats', 'print how many tools were forged and how often tools were reused')).action(
    action(async () => (await tools()).stats),
  );
  addGraphCommands({ command, onWorkspace, explained, action });
  const ledger = command('ledger', 'read, verify, export and prune the audit log');
  const ofLedger = (usage: string, description: string) =>
    onWorkspace(explained(ledger.command(usage)).description(description).allowExcessArguments(false));
  ofLedger('tail', 'print the last events')
    .option('-n, --limit <n>', 'maximum number of events to print (default: 20)', positive)
    .option('--session <name>', 'only events of this session')
    .option('--path <file>', 'only events of this file')
    .option('--tool <name>', 'only events of this tool')
    .option('--type <type>', 'only events of this type, such as CALL, RESULT or COMMIT')
    .option('-f, --follow', 'print new events as they are recorded; with --json one per line')
    .action(action(async () => (await ledgerCommands()).tail));
  ofLedger(
    'show <call>',
    'print a call and the calls that it caused as a tree; <call> is its id, or the number of one of its events',
  ).action(action(async () => (await ledgerCommands()).show));
  ofLedger('verify', 'verify the ledger; exit code 3: it was changed, 4: its end is missing')
    .option('--file <export>', 'verify a file of "tgp ledger export" instead of the workspace')
    .option('--key <file>', 'public key that the checkpoint in --file must be signed with')
    .action(action(async () => (await ledgerCommands()).verify));
  ofLedger(
    'sign-base',
    'sign the first event that is left as the start of the ledger; needed once if an older version deleted events',
  ).action(action(async () => (await ledgerCommands()).signBase));
  ofLedger('prune', 'delete old events up to a signed checkpoint, and shrink the file')
    .option('--keep <n>', 'number of newest events to keep', positive)
    .option(
      '--before <time>',
      'delete events before this time (UTC), such as 2026-01-01 or 2026-01-01T10:00; with --keep, events that either option keeps are kept',
    )
    .option('--dry-run', 'print how many events would be deleted, delete nothing')
    .action(action(async () => (await ledgerCommands()).prune));
  ofLedger('export', 'print all events as NDJSON; the last lines are the newest checkpoint and a signed end')
    .option('-o, --output <file>', 'write to this file')
    .action(action(async () => (await ledgerCommands()).exportLedger));
  const policy = command('policy', 'inspect the policy: validate rules, explain a call, replay recorded calls');
  const ofPolicy = (usage: string, description: string) =>
    onWorkspace(explained(policy.command(usage)).description(description).allowExcessArguments(false));
  ofPolicy('check [file]', 'validate a policy file and run its tests').action(
    action(async () => (await policyCommands()).check),
  );
  ofPolicy('explain <tool>', 'print the verdict on a call, the rule behind it, and what would be allowed instead')
    .option('-a, --args <json>', 'arguments of the call: a JSON object, @file, or - for standard input', '{}')
    .option('--file <file>', 'policy file to use instead of the configured policy')
    .option('--agent <name>', 'caller, such as cli, mcp or the name of an agent')
    .option('--session <name>', 'session of the call')
    .action(action(async () => (await policyCommands()).explain));
  ofPolicy('replay <file>', 'print how another policy would change the verdicts on recorded calls')
    .option('-n, --limit <n>', 'number of newest calls to replay (default: 10000)', positive)
    .action(action(async () => (await policyCommands()).replay));
  onApproval(command('mcp', 'serve the tools to MCP clients, over standard input and output or HTTP'))
    .option('--http [port]', 'serve over HTTP on this port (default: a free port)')
    .option(
      '--host <address>',
      'address to listen on; an address that is not loopback requires a token (default: 127.0.0.1)',
    )
    .option('--token <text>', 'bearer token that clients must send (default: the environment variable TGP_MCP_TOKEN)')
    .option('--dry-run', 'preview every call, change nothing')
    .addOption(modeOption('test mode of clients: whether a tool needs a test first (default: mode of the config)'))
    .addOption(programsOption())
    .action(action(async () => (await import('./commands/mcp.js')).mcp));
  reporting(
    command('demo', 'watch a scripted model forge, break, repair and reuse a tool; needs no network and no key'),
  )
    .option('--keep', 'keep the workspace and print its path')
    .action(
      action(async () => {
        const { demo } = await import(DEMO);
        return ({ keep, format }: { keep?: boolean; format: Format }) =>
          demo({ workspace: keep ? 'keep' : 'remove', format });
      }),
    );
  command('completion <shell>', 'print a shell completion script for bash, zsh or fish')
    .addHelpText(
      'after',
      '\nbash: eval "$(tgp completion bash)"   zsh: eval "$(tgp completion zsh)"   fish: tgp completion fish | source',
    )
    .action(
      action(async () => {
        const { completion, SHELLS } = await import('./commands/completion.js');
        return (shell: string) => {
          if (SHELLS.includes(shell)) return completion(shell, program);
          throw new ValidationError(`"${shell}" is not a supported shell. Use one of: ${SHELLS.join(', ')}.`, {
            details: { field: 'shell' },
          });
        };
      }),
    );
  return program;
}

function tools() {
  return import('./commands/tool_commands.js');
}

function history() {
  return import('./commands/history_commands.js');
}

function changes() {
  return import('./commands/change_commands.js');
}

function policyCommands() {
  return import('./commands/policy_commands.js');
}

function ledgerCommands() {
  return import('./commands/ledger_commands.js');
}

/** A hidden `--dry-run` for commands without a preview: they refuse the option instead of ignoring it. */
function hiddenDryRunOption() {
  return new Option('--dry-run').hideHelp();
}

function modeOption(description: string) {
  return new Option('--mode <mode>', description).choices(MODES);
}

function positive(text: string) {
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number <= 0)
    throw new InvalidArgumentError('It must be a positive whole number.');
  return number;
}

/** Errors of a command name its own help. */
function explained(command: Command): Command {
  const names: string[] = [];
  for (let at: Command | null = command; at !== null; at = at.parent) names.unshift(at.name());
  return command.showHelpAfterError(`("${names.join(' ')} --help" lists its arguments and options)`);
}
