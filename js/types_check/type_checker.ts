/** Checks the types of tools with TypeScript. */

import { isBuiltin } from 'node:module';
import type { CheckReport, TypeSources } from '../boundary/crossing.js';
import { guarded, ignored } from '../boundary/guarded.js';
import type { CheckResult, Diagnostic } from '../types/kernel.js';
import { FOLDER, SETTINGS, TypeFiles } from './type_files.js';
import type { TypeScriptFinding } from './types_server.js';
import { libraryFolder, TypesServer, TypesServerFailed } from './types_server.js';
import { locateTypeScript } from './typescript_location.js';

/** The notice is for the author of the tool, often a model; the remedy is for the operator of the application. */
export type TypeCheckOutcome = { diagnostics: Diagnostic[] } | { notice: string; remedy?: string };
/** Asks the server within the deadline of a check. */
type AskServer = <Method extends Parameters<TypesServer['request']>[0]>(
  method: Method,
  params: object,
) => ReturnType<typeof TypesServer.prototype.request<Method>>;
/** The findings of the rules. */
type NativeReport = Omit<CheckReport, 'types'>;
type Place = { line: number; column: number; endLine: number; endColumn: number };
type Session = { server: TypesServer; files: TypeFiles; snapshot?: number };

/** Timeouts for starting and answering. Far above the usual milliseconds, for busy machines. */
const TIME_LIMITS = { startMs: 20_000, checkMs: 10_000 };
/** The server, which takes some 40 MB, is stopped after this time without a check. */
const IDLE_MS = 120_000;
const REMEDY =
  'The type checker is an optional dependency of @tgp/core: install again without --omit=optional, or add TypeScript 7 to ' +
  'the application, as "typescript" or, next to an older one, as "typescript-7": "npm:typescript@7".';
/** The compiler's category of errors. */
const ERROR = 1;
/** Limits of findings: number per tool, message length, nesting. */
const MAX_FINDINGS = 100;
const MAX_MESSAGE_CHARS = 2_000;
const MAX_CHAIN = 8;
/**
 * Findings that do not apply to tools: a script body returns its result with a top-level `return`, and an imported plain script has
 * no types.
 */
const NOT_FOR_TOOLS = new Set([1108, 7016]);
/**
 * Findings that follow from the missing types of a module of Node: type arguments of its functions and classes, and parameters of
 * callbacks, which only its types would give a type.
 */
const WITHOUT_NODE_TYPES = new Set([2347, 7006, 7019, 7031]);
const IMPORTED_NAME = /\b(?:from|import|require\()\s*\(?['"](?:node:)?([\w/]+)['"]/g;

/** Rules with a better message than the type checker's finding at the same position. */
const PREFERRED_RULES = ['no-forbidden-globals', 'missing-export'];

/** Checks tools with the TypeScript compiler, sequentially. */
export class TypeChecker {
  #baseDir;
  #functions;
  #timeLimits;
  /** `null`: not found. */
  #program: string | null | undefined;
  #session: Session | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #idle: NodeJS.Timeout | undefined;
  #stopped = false;

  /**
   * @param baseDir the application's folder
   * @param functions declarations of the application's own functions on `tgp`
   * @param program path of the compiler, if not the located one
   */
  constructor(
    baseDir: string,
    functions: readonly string[],
    timeLimits: { startMs: number; checkMs: number } = TIME_LIMITS,
    program?: string,
  ) {
    this.#baseDir = baseDir;
    this.#functions = functions;
    this.#timeLimits = timeLimits;
    this.#program = program;
  }

  async check(sources: TypeSources): Promise<TypeCheckOutcome> {
    if (sources.severity === undefined) return { notice: 'Types were not checked: the rule "types" is off.' };
    if (sources.refused !== undefined) return { notice: `Types were not checked: ${sources.refused}.` };
    this.#program ??= locateTypeScript(this.#baseDir) ?? null;
    if (this.#program === null) {
      return { notice: 'Types were not checked: no type checker is available.', remedy: REMEDY };
    }
    const program = this.#program;
    const turn = this.#last.then(() => this.#attempt(program, sources));
    this.#last = turn;
    return turn;
  }

  /** Stops the server. */
  stop() {
    this.#stopped = true;
    clearTimeout(this.#idle);
    this.#drop();
  }

  async #attempt(program: string, sources: TypeSources): Promise<TypeCheckOutcome> {
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

  async #run(program: string, sources: TypeSources): Promise<TypeCheckOutcome> {
    const [tool] = sources.files;
    if (tool === undefined) return { diagnostics: [] };
    const { ask, files, snapshot, project, release } = await this.#shown(program, sources);
    const about = { snapshot, project, file: files.pathOf(tool.path) };
    // One after the other, each would wait for the server again.
    const [syntactic, semantic] = await Promise.all([
      ask('getSyntacticDiagnostics', about),
      ask('getSemanticDiagnostics', about),
    ]);
    release();
    const found = [...(syntactic ?? []), ...(semantic ?? [])];
    return { diagnostics: toDiagnostics(found, tool.text, sources, files) };
  }

  async #shown(program: string, sources: TypeSources) {
    // A server that has died since the last check is restarted.
    const answer = this.#session && (await this.#show(this.#session, sources).catch(ignored));
    return answer ?? this.#show(await this.#start(program), sources);
  }

  /** Gives a server the files of a check. */
  async #show(session: Session, sources: TypeSources) {
    const { server, files, snapshot: before } = session;
    const fileChanges = files.show(sources.files, sources.packages);
    // One deadline for all requests of a check.
    const deadline = Date.now() + this.#timeLimits.checkMs;
    const ask: AskServer = (method, params) => server.request(method, params, Math.max(1, deadline - Date.now()));
    const opened = before === undefined ? { openProjects: [SETTINGS] } : {};
    const { snapshot, projects } = await ask('updateSnapshot', { ...opened, fileChanges });
    session.snapshot = snapshot;
    // The report does not wait for it. If it fails, the server has ended, which the next check notices.
    const release = () => {
      if (before === undefined) return;
      void server.request('release', { snapshot: before }, this.#timeLimits.checkMs).catch(ignored);
    };
    return { ask, files, snapshot, project: projects[0].id, release };
  }

  async #start(program: string) {
    this.#drop();
    if (this.#stopped) throw new TypesServerFailed('the kernel has been shut down');
    const files = new TypeFiles(this.#baseDir, this.#functions, libraryFolder(program));
    const session: Session = { server: new TypesServer(program, FOLDER, files), files };
    this.#session = session;
    await session.server.request('initialize', null, this.#timeLimits.startMs);
    return session;
  }

  #drop() {
    this.#session?.server.stop();
    this.#session = undefined;
  }
}

/** @param text of the tool */
function toDiagnostics(found: TypeScriptFinding[], text: string, sources: TypeSources, files: TypeFiles): Diagnostic[] {
  const positionOf = positionsIn(text.replace(/^\uFEFF/, ''));
  const usesNode = [...text.matchAll(IMPORTED_NAME)].some(([, name = '']) => isBuiltin(name));
  return found
    .filter(({ category, code }) => category === ERROR && !NOT_FOR_TOOLS.has(code))
    .filter(({ code }) => !usesNode || !WITHOUT_NODE_TYPES.has(code))
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

/** Removes the compiler's advice to install types or to change settings, which the author of a tool cannot do. */
function withoutInstalling(message: string) {
  return message.replace(/ Do you need to (?:install type definitions|change your target library)[^\n]*/, '');
}

/** A message with its chain of details, as the compiler prints it. */
function messageOf(
  { text, messageChain = [] }: Pick<TypeScriptFinding, 'text' | 'messageChain'>,
  depth: number,
): string {
  if (depth >= MAX_CHAIN) return text;
  const inner = messageChain.map((part) => `\n${'  '.repeat(depth + 1)}${messageOf(part, depth + 1)}`);
  return [text, ...inner].join('');
}

/** Converts offsets to lines and columns, both starting at 1. */
function positionsIn(text: string) {
  const starts = [0, ...[...text.matchAll(/\r\n|[\n\r\u2028\u2029]/g)].map((end) => end.index + end[0].length)];
  return (offset: number) => {
    let [low, high] = [0, starts.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle;
    }
    return { line: low + 1, column: offset - (starts[low] ?? 0) + 1 };
  };
}

/** One report of the findings of the rules and the type checker, in source order. */
export function withTypes(path: string, report: NativeReport, types: TypeCheckOutcome): CheckResult {
  if ('notice' in types) return { ...report, typesChecked: false, notice: types.notice };
  const covered = new Set(report.diagnostics.filter(({ rule }) => PREFERRED_RULES.includes(rule)).map(placeOf));
  const others = types.diagnostics.filter((found) => !covered.has(placeOf(found)));
  const diagnostics = [...report.diagnostics, ...others].sort(
    (left, right) => left.line - right.line || left.column - right.column,
  );
  const errors = diagnostics
    .filter((found) => found.severity === 'error')
    .map((found) => `${path}:${found.line}:${found.column}: ${found.message}`);
  return { valid: errors.length === 0, errors, diagnostics, typesChecked: true };
}

function placeOf({ line, column, endLine, endColumn }: Place) {
  return `${line}:${column}:${endLine}:${endColumn}`;
}
