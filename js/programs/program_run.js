/** A program in a scratch copy of the folder: from the copy to the differences. */

import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { throwIfAborted } from '../boundary/abort.js';
import { ConfigError, IoError } from '../boundary/errors.js';
import { makeTempFolder, removeTempFolder } from '../files/temp_folder.js';
import { runConfined } from './confined_program.js';
import { differencesOf } from './differences.js';
import { isWithin, pathOf, realOrSame } from './program_names.js';
import { copyFolder } from './scratch_copy.js';
import { outsideWorkspaces } from './shell_options.js';

/**
 * @typedef {import('./shell_options.js').ShellSettings} ShellSettings
 * @typedef {import('./program_names.js').Program} Program
 * @typedef {import('./confined_program.js').Report} Report
 * @typedef {{ program: Program, args: string[], stdin: string }} Asked
 * @typedef {{ report: Report, scratch: string } & import('./differences.js').Differences} Ran
 */

const MB = 1 << 20;
const REMOVING_MS = 60_000;

/**
 * Runs a program and hands what came of it to `work`; after that the copy is gone.
 * @template T
 * @param {import('./launcher.js').Launcher} launcher
 * @param {Map<string, Program>} programs
 * @param {ShellSettings} settings
 * @param {Asked} asked
 * @param {import('./kept_back.js').KernelPlaces | undefined} places of the kernel that judges the program
 * @param {AbortSignal | undefined} signal
 * @param {(ran: Ran) => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function inScratch(launcher, programs, settings, asked, places, signal, work) {
  const readable = readableFolders(programs, settings, places);
  const place = makeTempFolder('tgp-program-');
  const [scratch, home, temp] = ['work', 'home', 'tmp'].map((name) => join(place, name));
  const [input, failure] = [join(place, 'input'), join(place, 'failure')];
  if (scratch === undefined || home === undefined || temp === undefined) throw new IoError('There is no folder.');
  try {
    for (const folder of [scratch, home, temp]) await mkdir(folder);
    await writeFile(input, asked.stdin);
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
        program: asked.program.path,
        args: asked.args,
        // The settings of the system's Git may hold keys, and are not readable.
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
        walls: {
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
          // As much again as there may be.
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

/**
 * What programs may read beside the system's folders, as long as no workspace of a kernel lies there.
 * @param {Map<string, Program>} programs
 * @param {ShellSettings} settings
 * @param {import('./kept_back.js').KernelPlaces | undefined} places
 */
function readableFolders(programs, settings, places) {
  outsideWorkspaces(settings.folder);
  const { root } = places ?? {};
  const meets = (/** @type {string} */ folder) =>
    root !== undefined && (isWithin(root, realOrSame(folder)) || isWithin(realOrSame(folder), root));
  if (root !== undefined && isWithin(settings.folder, root)) throw shared('cwd');
  if (settings.readable.some(meets)) throw shared('readable');
  const own = [...programs.values()].flatMap(({ path, folder }) => [
    path,
    ...(folder && !meets(folder) ? [folder] : []),
  ]);
  return [...own, ...settings.readable];
}

/** @param {string} field */
function shared(field) {
  return new ConfigError(
    `createShellTools options: "${field}" and the workspace of the kernel share files: programs would see its keys. Name other folders.`,
    { details: { field } },
  );
}

/**
 * Folders may lie deeper than a path can name: the program `rm` goes there step by step.
 * @param {string} place
 */
async function removed(place) {
  try {
    await removeTempFolder(place);
  } catch {
    await promisify(execFile)('rm', ['-rf', '--', place], { timeout: REMOVING_MS });
  }
}

/**
 * What a program says of its folder is true of the real one, as far as anybody needs to know.
 * @param {Report} report
 * @param {string} scratch
 * @returns {Report}
 */
function shown(report, scratch) {
  const told = (/** @type {import('./confined_program.js').Text} */ { head, tail, leftOut }) => ({
    head: head.replaceAll(scratch, '.'),
    tail: tail.replaceAll(scratch, '.'),
    leftOut,
  });
  return { ...report, stdout: told(report.stdout), stderr: told(report.stderr) };
}
