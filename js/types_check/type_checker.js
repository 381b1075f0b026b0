import { guarded, ignored } from '../boundary/guarded.js';
import { FOLDER, SETTINGS, TypeFiles } from './type_files.js';
import { libraryFolder, TypesServer, TypesServerFailed } from './types_server.js';
import { locateTypeScript } from './typescript_location.js';

/**
 * @typedef {import('../../index.js').Diagnostic} Diagnostic
 * @typedef {import('../boundary/crossing.js').TypeSources} TypeSources
 * @typedef {{ diagnostics: Diagnostic[] } | { notice: string, remedy?: string }} Outcome the notice is for whoever wrote the tool,
 * often a model; the remedy is for whoever runs the application
 * @typedef {{ pos: number, end: number, code: number, category: number, text: string, messageChain?: Found[] }} Found
 * @typedef {{ server: TypesServer, files: TypeFiles, snapshot?: number }} Session
 */

/** How long the server may take to start and to answer. Milliseconds are usual, and a busy machine is not a reason to give up. */
const TIME_LIMITS = { startMs: 20_000, checkMs: 10_000 };
/** After so long without a check the server is stopped: it holds some 40 MB. */
const IDLE_MS = 120_000;
const REMEDY =
  'The type checker comes with @tgp/core as an optional dependency: install again without --omit=optional, or add TypeScript 7 to ' +
  'the application, as "typescript" or, beside an older one, as "typescript-7": "npm:typescript@7".';
/** The compiler's own number for an error. */
const ERROR = 1;
/** Most findings of one tool that are reported, and how long and deep each may be. */
const MAX_FINDINGS = 100;
const MAX_MESSAGE_CHARS = 2_000;
const MAX_CHAIN = 8;
/**
 * Findings that do not hold for tools: a top-level `return` is how a script body answers, and a plain script that is
 * imported has no types.
 */
const NOT_FOR_TOOLS = new Set([1108, 7016]);

/** Checks tools with TypeScript's own checker, one after the other. */
export class TypeChecker {
  #baseDir;
  #functions;
  #timeLimits;
  /** @type {string | null | undefined} null: looked for and not found */
  #program;
  /** @type {Session | undefined} */
  #session;
  /** @type {Promise<unknown>} */
  #last = Promise.resolve();
  /** @type {NodeJS.Timeout | undefined} */
  #idle;
  #stopped = false;

  /**
   * @param {string} baseDir the application's folder
   * @param {readonly string[]} functions declarations of the application's own functions on `tgp`
   * @param {{ startMs: number, checkMs: number }} [timeLimits]
   * @param {string} [program] the checker itself, if not the one that is found
   */
  constructor(baseDir, functions, timeLimits = TIME_LIMITS, program = undefined) {
    this.#baseDir = baseDir;
    this.#functions = functions;
    this.#timeLimits = timeLimits;
    this.#program = program;
  }

  /**
   * @param {TypeSources} sources
   * @returns {Promise<Outcome>}
   */
  async check(sources) {
    if (sources.severity === undefined) return { notice: 'Types were not checked: the rule "types" is off.' };
    if (sources.refused !== undefined) return { notice: `Types were not checked: ${sources.refused}.` };
    this.#program ??= locateTypeScript(this.#baseDir) ?? null;
    if (this.#program === null) {
      return { notice: 'Types were not checked: there is no type checker here.', remedy: REMEDY };
    }
    const program = this.#program;
    const turn = this.#last.then(() => this.#attempt(program, sources));
    this.#last = turn;
    return turn;
  }

  /** Ends the server. */
  stop() {
    this.#stopped = true;
    clearTimeout(this.#idle);
    this.#drop();
  }

  /**
   * @param {string} program
   * @param {TypeSources} sources
   * @returns {Promise<Outcome>}
   */
  async #attempt(program, sources) {
    clearTimeout(this.#idle);
    try {
      return await this.#run(program, sources);
    } catch (error) {
      this.#drop();
      const reason = error instanceof TypesServerFailed ? error.message : 'the type checker could not be started';
      return { notice: `Types were not checked: ${reason}.` };
    } finally {
      this.#idle = setTimeout(
        guarded(ignored, () => this.#drop()),
        IDLE_MS,
      ).unref();
    }
  }

  /**
   * @param {string} program
   * @param {TypeSources} sources
   * @returns {Promise<Outcome>}
   */
  async #run(program, sources) {
    const [tool] = sources.files;
    if (tool === undefined) return { diagnostics: [] };
    const { ask, files, snapshot, project } = await this.#shown(program, sources);
    const about = { snapshot, project, file: files.pathOf(tool.path) };
    const found = [
      ...((await ask('getSyntacticDiagnostics', about)) ?? []),
      ...((await ask('getSemanticDiagnostics', about)) ?? []),
    ];
    return { diagnostics: toDiagnostics(found, tool.text, sources, files) };
  }

  /**
   * @param {string} program
   * @param {TypeSources} sources
   */
  async #shown(program, sources) {
    // A server that had died since the last check is not this check's fault.
    const known = this.#session && (await this.#show(this.#session, sources).catch(ignored));
    return known ?? this.#show(await this.#start(program), sources);
  }

  /**
   * Has a server look at the files of a check.
   * @param {Session} session
   * @param {TypeSources} sources
   */
  async #show(session, sources) {
    const { server, files, snapshot: before } = session;
    const fileChanges = files.show(sources.files, sources.packages);
    // One deadline for all that one check asks.
    const deadline = Date.now() + this.#timeLimits.checkMs;
    const ask = (/** @type {string} */ method, /** @type {object} */ params) =>
      server.request(method, params, Math.max(1, deadline - Date.now()));
    const opened = before === undefined ? { openProjects: [SETTINGS] } : {};
    const { snapshot, projects } = await ask('updateSnapshot', { ...opened, fileChanges });
    session.snapshot = snapshot;
    if (before !== undefined) await ask('release', { snapshot: before });
    return { ask, files, snapshot, project: projects[0].id };
  }

  /** @param {string} program */
  async #start(program) {
    this.#drop();
    if (this.#stopped) throw new TypesServerFailed('the kernel has been shut down');
    const files = new TypeFiles(this.#baseDir, this.#functions, libraryFolder(program));
    /** @type {Session} */
    const session = { server: new TypesServer(program, FOLDER, files), files };
    this.#session = session;
    await session.server.request('initialize', null, this.#timeLimits.startMs);
    return session;
  }

  #drop() {
    this.#session?.server.stop();
    this.#session = undefined;
  }
}

/**
 * @param {Found[]} found
 * @param {string} text of the tool
 * @param {TypeSources} sources
 * @param {TypeFiles} files
 * @returns {Diagnostic[]}
 */
function toDiagnostics(found, text, sources, files) {
  const positionOf = positionsIn(text.replace(/^\uFEFF/, ''));
  return found
    .filter(({ category, code }) => category === ERROR && !NOT_FOR_TOOLS.has(code))
    .map((item) => ({ ...item, start: positionOf(item.pos), stop: positionOf(item.end) }))
    .filter(({ start }) => !sources.ignoredLines.includes(start.line))
    .slice(0, MAX_FINDINGS)
    .map(({ start, stop, code, ...item }) => ({
      rule: 'types',
      severity: sources.severity ?? 'error',
      message: `${withoutInstalling(files.scrub(messageOf(item, 0))).slice(0, MAX_MESSAGE_CHARS)} (TS${code})`,
      line: start.line,
      column: start.column,
      endLine: stop.line,
      endColumn: stop.column,
    }));
}

/**
 * Without the compiler's advice to install something or to change a setting: whoever repairs a tool can do neither.
 * @param {string} message
 */
function withoutInstalling(message) {
  return message.replace(/ Do you need to (?:install type definitions|change your target library)[^\n]*/, '');
}

/**
 * A message with what is said in support of it, as the compiler prints it.
 * @param {Pick<Found, 'text' | 'messageChain'>} found
 * @param {number} depth
 * @returns {string}
 */
function messageOf({ text, messageChain = [] }, depth) {
  if (depth >= MAX_CHAIN) return text;
  const inner = messageChain.map((part) => `\n${'  '.repeat(depth + 1)}${messageOf(part, depth + 1)}`);
  return [text, ...inner].join('');
}

/**
 * Offsets as lines and columns, both counted from 1.
 * @param {string} text
 */
function positionsIn(text) {
  const starts = [0, ...[...text.matchAll(/\r\n|[\n\r\u2028\u2029]/g)].map((end) => end.index + end[0].length)];
  return (/** @type {number} */ offset) => {
    let [low, high] = [0, starts.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle;
    }
    return { line: low + 1, column: offset - (starts[low] ?? 0) + 1 };
  };
}
