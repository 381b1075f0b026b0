/** A program in a scratch copy of the folder: from the copy to the differences. */

import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { throwIfAborted } from '../boundary/abort.js';
import { IoError } from '../boundary/errors.js';
import { makeTempFolder, removeTempFolder } from '../files/temp_folder.js';
import { runConfined } from './confined_program.js';
import { differencesOf } from './differences.js';
import { pathOf } from './program_names.js';
import { copyFolder } from './scratch_copy.js';

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
 * @param {AbortSignal | undefined} signal
 * @param {(ran: Ran) => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function inScratch(launcher, programs, settings, asked, signal, work) {
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
      hidden: new Set(settings.hidden),
      readOnly: new Set(settings.readOnly),
    };
    const copy = await copyFolder(settings.folder, scratch, rules, signal);
    const memoryBytes = settings.memoryMb * MB;
    const own = [...programs.values()].flatMap(({ path, folder }) => [path, ...(folder ? [folder] : [])]);
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
          readable: [...own, ...settings.readable, ...copy.views],
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
