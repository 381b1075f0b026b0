/** Runs a program in a scratch copy of the folder and collects the differences. */

import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { throwIfAborted } from '../boundary/abort.js';
import { ConfigError, IoError } from '../boundary/errors.js';
import { makeTempFolder, removeTempFolder } from '../files/temp_folder.js';
import type { Report, Text } from './confined_program.js';
import { runConfined } from './confined_program.js';
import type { Differences } from './differences.js';
import { differencesOf } from './differences.js';
import type { Launcher } from './launcher.js';
import type { Program } from './program_names.js';
import { isWithin, pathOf, realOrSame } from './program_names.js';
import type { KernelPlaces } from './protected_paths.js';
import { copyFolder } from './scratch_copy.js';
import type { ShellSettings } from './shell_options.js';
import { outsideWorkspaces } from './shell_options.js';

type ProgramCall = { program: Program; args: string[]; stdin: string };
/** The report of a program, and the changes in its scratch copy. */
export type ProgramResult = { report: Report; scratch: string } & Differences;

const MB = 1 << 20;
const REMOVE_TIMEOUT_MS = 60_000;

/**
 * Runs a program and passes its result to `work`; then the copy is removed.
 * @param places of the kernel that controls the program
 */
export async function inScratch<T>(
  launcher: Launcher,
  programs: Map<string, Program>,
  settings: ShellSettings,
  call: ProgramCall,
  places: KernelPlaces | undefined,
  signal: AbortSignal | undefined,
  work: (result: ProgramResult) => Promise<T>,
): Promise<T> {
  const readable = readableFolders(programs, settings, places);
  const place = makeTempFolder('tgp-program-');
  const [scratch, home, temp] = ['work', 'home', 'tmp'].map((name) => join(place, name));
  const [input, failure] = [join(place, 'input'), join(place, 'failure')];
  if (scratch === undefined || home === undefined || temp === undefined)
    throw new IoError('The temporary folder is missing.');
  try {
    for (const folder of [scratch, home, temp]) await mkdir(folder);
    await writeFile(input, call.stdin);
    const rules = {
      maxFiles: settings.files,
      maxBytes: settings.folderMb * MB,
      isHidden: settings.isHidden,
      isReadOnly: settings.isReadOnly,
      keys: settings.keys,
      ...(places && { places }),
    };
    const copy = await copyFolder(settings.folder, scratch, rules, signal);
    const memoryBytes = settings.memoryMb * MB;
    const report = await runConfined(
      {
        launcher: launcher.executable,
        library: launcher.library,
        program: call.program.path,
        args: call.args,
        // The system's Git configuration may contain keys, and is not readable.
        env: {
          LANG: 'C.UTF-8',
          GIT_CONFIG_NOSYSTEM: '1',
          ...settings.env,
          PATH: pathOf(programs),
          HOME: home,
          TMPDIR: temp,
        },
        folder: scratch,
        input,
        confinement: {
          failure,
          readable: [...readable, ...copy.views],
          hidden: [settings.folder, ...(places ? [places.root] : [])],
          writable: [scratch, home, temp],
          memoryBytes,
          fileBytes: settings.folderMb * MB,
          cpuSeconds: Math.ceil(settings.cpuMs / 1_000) + 1,
        },
        limits: {
          timeoutMs: settings.timeoutMs,
          cpuMs: settings.cpuMs,
          memoryBytes,
          tasks: settings.processes,
          // Twice the limit of the copied folder.
          diskBytes: 2 * rules.maxBytes,
          files: 2 * rules.maxFiles,
          outputBytes: settings.outputBytes,
        },
      },
      signal,
    );
    throwIfAborted(signal);
    const isOver = report.end === 'exit' && !report.hasSurvivors;
    const found = isOver ? await differencesOf(settings.folder, scratch, copy, rules) : { changes: [], problems: [] };
    return await work({ report: shown(report, scratch), scratch, ...found });
  } finally {
    await removed(place);
  }
}

/** The folders outside the system's that programs may read. Throws if one contains a kernel workspace. */
function readableFolders(programs: Map<string, Program>, settings: ShellSettings, places: KernelPlaces | undefined) {
  outsideWorkspaces(settings.folder);
  const { root } = places ?? {};
  const meets = (folder: string) =>
    root !== undefined && (isWithin(root, realOrSame(folder)) || isWithin(realOrSame(folder), root));
  if (root !== undefined && isWithin(settings.folder, root)) throw shared('cwd');
  if (settings.readable.some(meets)) throw shared('readable');
  const own = [...programs.values()].flatMap(({ path, folder }) => [
    path,
    ...(folder && !meets(folder) ? [folder] : []),
  ]);
  return [...own, ...settings.readable];
}

function shared(field: string) {
  return new ConfigError(
    `createShellTools options: "${field}" and the workspace of the kernel share files: programs could read its keys. Use other folders.`,
    { details: { field } },
  );
}

/**
 * Removes a folder. Paths may be too long for the system's limit, so `rm`, which descends step by step, is the fallback.
 */
async function removed(place: string) {
  try {
    await removeTempFolder(place);
  } catch {
    await promisify(execFile)('rm', ['-rf', '--', place], { timeout: REMOVE_TIMEOUT_MS });
  }
}

/** The report with the path of the scratch folder replaced by `.`. */
function shown(report: Report, scratch: string): Report {
  const relative = ({ head, tail, leftOut }: Text) => ({
    head: head.replaceAll(scratch, '.'),
    tail: tail.replaceAll(scratch, '.'),
    leftOut,
  });
  return { ...report, stdout: relative(report.stdout), stderr: relative(report.stderr) };
}
