/**
 * Mistakes of people at the command line and in a program of their own. `files` are written into the folder first; without
 * `isEmpty` it has a workspace with the tools of {@link TOOLS}. A program has the exports of the package and a `kernel`.
 *
 * @typedef {{ mistake: string, args: string[], files?: Record<string, string>, isEmpty?: boolean }} CommandMistake
 * @typedef {{ mistake: string, program: string }} ProgramMistake
 */

/** @type {Record<string, string>} */
export const TOOLS = {
  'tools/shipping/dim_weight.ts': `/** Dimensional weight of a parcel: its volume by a divisor. */
export default (args: { length: number; width: number; height: number; divisor: number }): number => {
  return (args.length * args.width * args.height) / args.divisor;
};
`,
  'tools/shipping/quote.ts': `/** Price of a parcel by its dimensional weight. */
import dimWeight from './dim_weight.ts';
export default (args: { side: number; divisor: number; rate: number }): number => {
  const { side, divisor, rate } = args;
  return dimWeight({ length: side, width: side, height: side, divisor }) * rate;
};
`,
  'tools/names.ts': `/** First letter of the first name. */
export default (args: { names: string[] }): string => {
  const [first] = args.names;
  if (first === undefined) throw new Error('names is empty');
  return first.trim().slice(0, 1);
};
`,
};

const WEIGHT = ['exec', 'shipping/dim_weight'];
const ARGS = ['--args', '{"length":10,"width":20,"height":30,"divisor":139}'];

/** @type {CommandMistake[]} */
export const COMMAND_MISTAKES = [
  { mistake: 'A misspelt command', args: ['lst'] },
  { mistake: 'A misspelt option', args: [...WEIGHT, ...ARGS, '--dry-rum'] },
  { mistake: 'A command without its argument', args: ['exec'] },
  { mistake: 'An option without its value', args: [...WEIGHT, '--args'] },
  { mistake: 'A value that is not a number', args: [...WEIGHT, ...ARGS, '--timeout-ms', '5s'] },
  { mistake: 'A command in a folder without a workspace', args: ['list'], isEmpty: true },
  { mistake: 'A configuration file that is not there', args: ['list', '--config', 'tgp.conf.ts'] },
  { mistake: 'A misspelt tool', args: ['exec', 'shipping/dim_wieght', ...ARGS, '--yes'] },
  { mistake: 'A tool by its path on disk', args: ['show', './.tgp/tools/shipping/dim_wieght.ts'] },
  { mistake: 'Arguments that are not JSON', args: [...WEIGHT, '--args', '{length: 10}', '--yes'] },
  { mistake: 'Arguments without --args', args: [...WEIGHT, '{"length":10}', '--yes'] },
  {
    mistake: 'Arguments of the wrong type',
    args: [...WEIGHT, '--args', '{"length":"ten","width":20,"height":30,"divisor":139}', '--yes'],
  },
  { mistake: 'A file of arguments that is not there', args: [...WEIGHT, '--args', '@box.json', '--yes'] },
  { mistake: 'A run without a terminal and without --yes', args: [...WEIGHT, ...ARGS] },
  { mistake: 'A tool that throws', args: ['exec', 'names', '--args', '{"names":[]}', '--yes'] },
  {
    mistake: 'A file without a default export',
    files: { '.tgp/tools/rates.ts': 'export const vat = (price: number) => price;\n' },
    args: ['exec', 'rates', '--yes'],
  },
  { mistake: 'Tests where there are none', args: ['test'] },
  { mistake: 'The history of a file that never existed', args: ['log', 'tools/names.tss'] },
  { mistake: 'A commit that is not in the history', args: ['revert', 'names', 'abc1234', '--yes'] },
  { mistake: 'The removal of a tool that another one imports', args: ['remove', 'shipping/dim_weight', '--yes'] },
  { mistake: 'A move onto a tool that exists', args: ['move', 'names', 'shipping/quote', '--yes'] },
  { mistake: 'A search without a query', args: ['find'] },
  { mistake: 'A call that is not in the ledger', args: ['ledger', 'show', 'latest'] },
  { mistake: 'A session that does not exist', args: ['replay', 'yesterday'] },
  { mistake: 'A port that is not a number', args: ['mcp', '--http', 'eight'] },
  { mistake: 'A shell without completion', args: ['completion', 'powershell'] },
  { mistake: 'A task without model, packages, key and workspace', args: ['Weigh my parcel.'], isEmpty: true },
  { mistake: 'A model without its provider', args: ['Weigh my parcel.', '--model', 'gpt-5'] },
  {
    mistake: 'A syntax error in the configuration',
    files: { 'tgp.config.mjs': "export default { rootDir: './.tgp', };\n}\n" },
    args: ['list'],
  },
  {
    mistake: 'A configuration without a default export',
    files: { 'tgp.config.mjs': "export const settings = { rootDir: './.tgp' };\n" },
    args: ['list'],
  },
  {
    mistake: 'A misspelt key in the configuration',
    files: {
      'tgp.config.mjs': "export default { rootDir: './.tgp', allowedFetchUrl: ['https://api.example.com'] };\n",
    },
    args: ['list'],
  },
  {
    mistake: 'A package of the configuration that is not installed',
    files: { 'tgp.config.mjs': "import { Pool } from 'pgg';\n\nexport default { sql: new Pool() };\n" },
    args: ['list'],
  },
  {
    mistake: 'A rule with a misspelt effect',
    files: { 'rules.yaml': 'default: ask\nrules:\n  - { id: reading, alow: [read] }\n' },
    args: ['policy', 'check', 'rules.yaml'],
  },
  {
    mistake: 'A policy with an invalid default',
    files: { 'rules.yaml': 'default: maybe\n' },
    args: ['policy', 'check', 'rules.yaml'],
  },
];

/** @type {ProgramMistake[]} */
export const PROGRAM_MISTAKES = [
  { mistake: 'A limit as text', program: "await new TGP({ config: { sandbox: { timeoutMs: '5s' } } }).boot();" },
  { mistake: 'A limit out of its range', program: 'await new TGP({ config: { sandbox: { memoryMb: 1 } } }).boot();' },
  { mistake: 'The path of a config file instead of options', program: "await new TGP('./tgp.config.ts').boot();" },
  { mistake: 'An option beside config instead of in it', program: "await new TGP({ rootDir: './.tgp' }).boot();" },
  { mistake: 'A config file that is not there', program: "await new TGP({ configFile: './tgp.conf.ts' }).boot();" },
  {
    mistake: 'A remote without its address',
    program: "await new TGP({ config: { git: { provider: 'github', auth: { token: 'x' } } } }).boot();",
  },
  {
    mistake: 'An address without https://',
    program: "await new TGP({ config: { allowedFetchUrls: ['api.example.com'] } }).boot();",
  },
  { mistake: 'A misspelt policy', program: "await new TGP({ config: { policy: 'saef' } }).boot();" },
  {
    mistake: 'A database as a connection string',
    program: "await new TGP({ sql: 'postgres://localhost/app' }).boot();",
  },
  {
    mistake: 'A function of the application that is a value',
    program: 'await new TGP({ sandboxAPI: { rate: 0.19 } }).boot();',
  },
  {
    mistake: 'A secret without its hosts',
    program: "await new TGP({ config: { secrets: { STRIPE: { value: 'sk_test_1234' } } } }).boot();",
  },
  { mistake: 'Tools without a kernel', program: 'tgpTools();' },
  { mistake: 'SQL tools of a connection string', program: "createSqlTools('postgres://localhost/app');" },
  { mistake: 'A tool that is not there', program: "await kernel.exec('tools/shipping/dim_wieght.ts');" },
  {
    mistake: 'Arguments that JSON does not have',
    program: "await kernel.exec('tools/names.ts', { names: () => ['Ada'] });",
  },
  {
    mistake: 'Code outside tools/',
    program: "await tgpTools(kernel).write_file.execute({ path: 'src/a.ts', content: 'export default () => 1;' });",
  },
  { mistake: 'A file read from the disk of the host', program: "await kernel.vfs.readFile('../package.json');" },
  { mistake: 'An agent without a model', program: "await kernel.agent({}).run('Weigh my parcel.').result;" },
  {
    mistake: 'An agent with the name of a model',
    program: "throw (await kernel.agent({ model: 'gpt-5' }).run('Weigh my parcel.').result).error;",
  },
  {
    mistake: 'A call after shutdown',
    program: `const other = new TGP();
await other.shutdown();
await other.exec('tools/names.ts', { names: [] });`,
  },
];
