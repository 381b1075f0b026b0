/** `tgp doctor`: its checks in their order, and its report. */

import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { TGPError } from '../../boundary/errors.js';
import { native } from '../../boundary/native.js';
import { makeTempFolder, removeTempFolder } from '../../files/temp_folder.js';
import { FILES } from '../../kernel/access_symbols.js';
import { TGP } from '../../kernel/tgp.js';
import type { Format } from '../terminal/screen.js';
import { fitted, json, line, styled, withProgress } from '../terminal/screen.js';
import { SILENT } from '../workspace/workspace.js';
import { agent } from './doctor_agent.js';
import type { CheckContext } from './doctor_config.js';
import { config, examineNextConfig } from './doctor_config.js';
import { database } from './doctor_database.js';
import { remote } from './doctor_remote.js';
import { workspace } from './doctor_workspace.js';
import type { Finding } from './finding.js';
import { ok, problem, warning } from './finding.js';

type Examined = Finding & { name: string };

const OLDEST_NODE = 20;
const V8_SANDBOX = {
  active: "with V8's own sandbox",
  partial: "with V8's own sandbox in part",
  missing: "without V8's own sandbox",
};
const MARKS = { ok: '✓', warning: '!', problem: '✗' };
const COLOURS = { ok: 'green', warning: 'yellow', problem: 'red' } as const;

/** The check that all checks below it need. */
const NATIVE = 'Native part';

const CHECKS: Record<string, (context: CheckContext) => Promise<Finding> | Finding> = {
  Platform: () => ok(`${process.platform}-${process.arch}${glibc()}`),
  Node: () => {
    const version = process.versions.node;
    return Number.parseInt(version, 10) >= OLDEST_NODE
      ? ok(version)
      : problem(version, `Install Node ${OLDEST_NODE} or newer.`);
  },
  [NATIVE]: () => {
    native();
    return ok('');
  },
  Worker: worker,
  V8: engine,
  Confinement: confinement,
  Config: config,
  Workspace: workspace,
  Remote: remote,
  Database: ({ options, located }) => (located === undefined ? ok('') : database(options, located.resolved)),
  Agent: agent,
  'Next.js': async () => (await examineNextConfig(process.cwd())) ?? ok(''),
};

/**
 * `tgp doctor`: checks everything that the kernel needs. Changes nothing.
 * @returns the exit code
 */
export async function doctor({ format, ...options }: CheckContext['options'] & { format: Format }): Promise<number> {
  const examined: Examined[] = [];
  const context: CheckContext = { options };
  for (const [name, examine] of Object.entries(CHECKS)) {
    const finding = await withProgress(format, name, () => settled(examine, context));
    if (finding.detail === '') continue;
    examined.push({ name, ...finding });
    if (format === 'text') print({ name, ...finding });
    if (name === NATIVE) break;
  }
  const problems = examined.filter(({ status }) => status === 'problem').length;
  if (format === 'json') json({ healthy: problems === 0, checks: examined });
  else
    line(
      `\n${problems === 0 ? styled('green', 'Ready.') : styled('red', `${problems} ${problems === 1 ? 'problem' : 'problems'} found.`)}`,
    );
  return problems === 0 ? 0 : 1;
}

/** Runs a check; a TGPError is reported as a problem. */
async function settled(
  examine: (context: CheckContext) => Promise<Finding> | Finding,
  context: CheckContext,
): Promise<Finding> {
  try {
    return await examine(context);
  } catch (error) {
    if (!(error instanceof TGPError)) throw error;
    return problem(error.code, error.message);
  }
}

/** Checks that a worker process starts and runs a tool. */
async function worker(context: CheckContext): Promise<Finding> {
  context.worker = 'untried';
  const isWritable = await access(tmpdir(), constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  );
  if (!isWritable) {
    return warning(`not tried: ${tmpdir()} is not writable`, 'Set TMPDIR to a writable folder for temporary files.');
  }
  context.worker = 'faulty';
  return withScratchKernel(async (kernel) => {
    const started = performance.now();
    await kernel[FILES].write(
      'tools/sum.ts',
      'export default (args: { of: number[] }) => args.of.reduce((a, b) => a + b)',
    );
    const { result } = await kernel.exec('tools/sum.ts', { of: [20, 22] });
    const ms = Math.round(performance.now() - started);
    context.worker = 'well';
    return result === 42
      ? ok(`started, ran a tool and committed it in ${ms} ms`)
      : problem('ran a tool with a wrong result', 'Reinstall @tgp/core: its files are of different versions.');
  });
}

/** The V8 engine of the sandbox, as a worker reports it; only its version if no worker starts. */
async function engine({ worker }: CheckContext): Promise<Finding> {
  const node = `${process.versions.v8} in Node`;
  if (worker !== 'well') return ok(`${native().engineVersion()} in the sandbox, ${node}`);
  return withScratchKernel(async (kernel) => {
    const { version, pointerCompression, sandbox } = (await kernel.confinement()).engine;
    const traits = [`${pointerCompression ? 'with' : 'without'} pointer compression`, V8_SANDBOX[sandbox]].join(', ');
    const detail = `${version} in the sandbox (${traits}), ${node}`;
    return sandbox === 'partial'
      ? warning(detail, 'Raise the address space limit (ulimit -v): V8 reserves one terabyte and uses little of it.')
      : ok(detail);
  });
}

/** The operating system confinement of a worker. */
async function confinement({ worker }: CheckContext): Promise<Finding> {
  // The worker check has reported the problem already.
  if (worker !== 'well') return ok('');
  return withScratchKernel(async (kernel) => {
    const { isolation: _, engine: __, ...layers } = await kernel.confinement();
    const detail = Object.entries(layers)
      .map(([name, state]) => (state === 'active' ? name : `${name} ${state}`))
      .join(', ');
    const remedy = 'Use a Linux kernel with Landlock and seccomp, and a container that allows them.';
    return Object.values(layers).every((state) => state === 'active') ? ok(detail) : warning(detail, remedy);
  });
}

/** Runs `work` with a kernel in a temporary folder. */
async function withScratchKernel<T>(work: (kernel: TGP) => Promise<T>) {
  const folder = makeTempFolder('tgp-doctor-');
  const kernel = new TGP({ config: { rootDir: join(folder, '.tgp') }, logger: SILENT });
  try {
    return await work(kernel);
  } finally {
    await kernel.shutdown();
    await removeTempFolder(folder);
  }
}

function glibc() {
  const { header }: { header?: { glibcVersionRuntime?: string } } = process.report?.getReport() ?? {};
  return header?.glibcVersionRuntime === undefined ? '' : `, glibc ${header.glibcVersionRuntime}`;
}

function print({ name, status, detail, remedy }: Examined) {
  const head = `${MARKS[status]} ${name.padEnd('Confinement'.length)}  `;
  line(`${styled(COLOURS[status], MARKS[status])}${head.slice(1)}${fitted(detail, head.length)}`);
  if (remedy !== undefined) line(`    ${fitted(remedy, '    '.length)}`);
}
