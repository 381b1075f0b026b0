import { readFileSync } from 'node:fs';

const HELP = `tgp: tools that an agent forges, checks, runs in a sandbox and keeps in Git

Usage:
  tgp demo [--keep]   Watch a scripted model forge, break, heal and reuse a tool. Needs no network and no key.
                      --keep leaves the workspace behind and prints where it is.
  tgp --version       Print the version.
  tgp help            Print this text.

Exit codes: 0 done, 1 failed, 2 wrong usage.
`;

const OK = 0;
const WRONG_USAGE = 2;

/** @type {Record<string, (args: string[]) => Promise<number> | number>} */
const COMMANDS = {
  demo: async (args) => {
    const unknown = args.find((arg) => arg !== '--keep');
    if (unknown !== undefined) return wrongUsage(`"tgp demo" does not know "${unknown}".`);
    const { demo } = await import('../examples/demo/demo.js');
    return demo({ workspace: args.includes('--keep') ? 'keep' : 'remove' });
  },
  help: () => print(HELP),
  version: () => {
    const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
    return print(`${version}\n`);
  },
};

/** @type {Record<string, string>} */
const ALIASES = { '--help': 'help', '-h': 'help', '--version': 'version', '-v': 'version' };

/**
 * @param {string[]} argv
 * @returns {Promise<number>} the exit code
 */
export async function main(argv) {
  const [given = 'help', ...args] = argv;
  const name = ALIASES[given] ?? given;
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  return command ? command(args) : wrongUsage(`There is no command "${given}".`);
}

/** @param {string} text */
function print(text) {
  process.stdout.write(text);
  return OK;
}

/** @param {string} problem */
function wrongUsage(problem) {
  process.stderr.write(`${problem}\n\n${HELP}`);
  return WRONG_USAGE;
}
