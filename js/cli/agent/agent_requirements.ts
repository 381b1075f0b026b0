/** What `tgp "<task>"` requires: a model, its packages and its key. Reports everything that is missing at once. */

import { detect, getUserAgent } from 'package-manager-detector/detect';
import { optionalPackage } from '../../agent/optional_package.js';
import { FORMS, requirementsOf } from '../../agent/providers.js';
import { ConfigError, ValidationError } from '../../boundary/errors.js';
import { packageCommand } from '../workspace/package_command.js';

const MODEL_VARIABLE = 'TGP_MODEL';
/** Models to propose, by the provider whose key is set. */
const EXAMPLES = ['openai/gpt-5', 'anthropic/claude-sonnet-5'];
/** A longer task is not repeated in the proposed command. */
const MAX_SHOWN_TASK = 200;

/**
 * The model of the command, with its packages installed and its key set.
 * @param named by `--model`
 * @param task undefined for a resumed session
 * @throws ValidationError without a model, ConfigError if only packages or the key are missing
 */
export async function requireModel(named: string | undefined, task: string | undefined): Promise<string> {
  const set = named || process.env[MODEL_VARIABLE] || undefined;
  const model = set ?? EXAMPLES.find((example) => requirementsOf(example).variable === undefined) ?? EXAMPLES[0] ?? '';
  const { packages, variable } = requirementsOf(model);
  const missing = await missingOf(packages);
  const problems = [
    ...(set === undefined ? [`No model is set. Add --model ${FORMS}, or set ${MODEL_VARIABLE}.`] : []),
    ...(missing.length > 0 ? [`Not installed: ${missing.join(', ')}.`] : []),
    ...(variable === undefined ? [] : [`${variable} is not set.`]),
  ];
  if (set !== undefined && problems.length === 0) return set;
  const commands = [
    ...(missing.length > 0 ? [packageCommand(await packageManager(), 'add', missing)] : []),
    ...(variable === undefined ? [] : [assignment(variable)]),
    [packageCommand(await packageManager(), 'execute-local', ['tgp']), ...argumentsOf(named, set, model, task)].join(
      ' ',
    ),
  ];
  const message = `${problems.join('\n')}\nCopy this line${variable === undefined ? '' : ', with your key'}:\n  ${joined(commands)}\n`;
  throw set === undefined
    ? new ValidationError(message, { details: { field: 'model', missing } })
    : new ConfigError(message, { details: { missing, ...(variable !== undefined && { variable }) } });
}

async function missingOf(packages: string[]): Promise<string[]> {
  const missing: string[] = [];
  for (const name of packages) {
    try {
      await optionalPackage(name, 'The agent');
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      missing.push(name);
    }
  }
  return missing;
}

async function packageManager() {
  return (await detect({ cwd: process.cwd() }))?.agent ?? getUserAgent() ?? 'npm';
}

function argumentsOf(named: string | undefined, set: string | undefined, model: string, task: string | undefined) {
  const isShown = task !== undefined && task.length <= MAX_SHOWN_TASK && !/[\n\r]/.test(task);
  const shown = task === undefined ? ['--resume'] : [isShown ? quoted(task) : '"<task>"'];
  return [...shown, ...(named === undefined && set !== undefined ? [] : ['--model', model])];
}

const isWindows = process.platform === 'win32';

/** As in PowerShell on Windows, elsewhere as in a POSIX shell. */
function assignment(variable: string) {
  return isWindows ? `$env:${variable} = '<key>'` : `export ${variable}=<key>`;
}

function quoted(text: string) {
  return `'${text.replaceAll("'", isWindows ? "''" : "'\\''")}'`;
}

function joined(commands: string[]) {
  return commands.join(isWindows ? '; ' : ' && ');
}
