import { pathToFileURL } from 'node:url';
import { TypesServer, TypesServerFailed } from './types_server.js';
import { TypesWorkspace } from './types_workspace.js';
import { locateTypeScript } from './typescript_location.js';

/**
 * @typedef {import('../index.js').Diagnostic} Diagnostic
 * @typedef {object} TypeSources what `BindingKernel.checkTool` gives as `types`
 * @property {{ path: string, text: string }[]} files the tool first
 * @property {string[]} packages
 * @property {Diagnostic['severity']} [severity]
 * @property {number[]} ignoredLines
 * @property {string} [refused]
 * @typedef {{ diagnostics: Diagnostic[] } | { notice: string }} Outcome
 */

/** How long the server may take to start and to answer. Milliseconds are usual, and a busy machine is not a reason to give up. */
const PATIENCE = { startMs: 20_000, checkMs: 10_000 };
/** After so long without a check the server is stopped: it holds some 40 MB. */
const IDLE_MS = 120_000;
/** LSP: an error, not a hint. */
const ERROR = 1;
/**
 * Findings that do not hold for tools: a top-level `return` is how a script body answers, and a plain script that is
 * imported has no types.
 */
const NOT_FOR_TOOLS = new Set([1108, 7016]);

/** Checks tools with TypeScript's own checker, one after the other. */
export class TypeChecker {
  #baseDir;
  #functions;
  #patience;
  /** @type {string | null | undefined} null: looked for and not found */
  #program;
  /** @type {TypesWorkspace | undefined} */
  #workspace;
  /** @type {TypesServer | undefined} */
  #server;
  /** @type {Map<string, { text: string, version: number }>} open documents by path */
  #open = new Map();
  /** @type {Promise<unknown>} */
  #last = Promise.resolve();
  /** @type {NodeJS.Timeout | undefined} */
  #idle;
  #stopped = false;

  /**
   * @param {string} baseDir the application's folder
   * @param {readonly string[]} functions names of the application's own functions on `tgp`
   * @param {{ startMs: number, checkMs: number }} [patience]
   */
  constructor(baseDir, functions, patience = PATIENCE) {
    this.#baseDir = baseDir;
    this.#functions = functions;
    this.#patience = patience;
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
      return {
        notice:
          'Types were not checked: TypeScript 7 or later is not installed. Run "npm install --save-dev typescript@7".',
      };
    }
    const program = this.#program;
    const turn = this.#last.then(() => this.#attempt(program, sources));
    this.#last = turn;
    return turn;
  }

  /** Ends the server and removes its folder. */
  stop() {
    this.#stopped = true;
    clearTimeout(this.#idle);
    this.#dropServer();
    this.#workspace?.remove();
    this.#workspace = undefined;
  }

  /**
   * @param {string} program
   * @param {TypeSources} sources
   * @returns {Promise<Outcome>}
   */
  async #attempt(program, sources) {
    clearTimeout(this.#idle);
    try {
      // A server that had died since the last check is not this check's fault.
      const wasRunning = this.#server !== undefined;
      return await this.#run(program, sources).catch((error) => {
        if (!wasRunning || this.#stopped || !(error instanceof TypesServerFailed)) throw error;
        this.#dropServer();
        return this.#run(program, sources);
      });
    } catch (error) {
      this.#dropServer();
      const reason = error instanceof TypesServerFailed ? error.message : 'the type checker could not be started';
      return { notice: `Types were not checked: ${reason}.` };
    } finally {
      this.#idle = setTimeout(() => this.#dropServer(), IDLE_MS).unref();
    }
  }

  /**
   * @param {string} program
   * @param {TypeSources} sources
   * @returns {Promise<Outcome>}
   */
  async #run(program, sources) {
    const workspace = this.#prepare(sources);
    const server = await this.#started(program, workspace);
    this.#show(server, workspace, sources.files);
    const [tool] = sources.files;
    if (tool === undefined) return { diagnostics: [] };
    const textDocument = { uri: workspace.uri(tool.path) };
    const report = await server.request('textDocument/diagnostic', { textDocument }, this.#patience.checkMs);
    return { diagnostics: toDiagnostics(report.items ?? [], sources, workspace) };
  }

  /** @param {TypeSources} sources */
  #prepare(sources) {
    if (this.#stopped) throw new TypesServerFailed('the kernel has been shut down');
    this.#workspace ??= new TypesWorkspace(this.#baseDir, this.#functions);
    for (const { path } of sources.files) this.#workspace.prepare(path);
    for (const name of sources.packages) this.#workspace.link(name);
    return this.#workspace;
  }

  /**
   * @param {string} program
   * @param {TypesWorkspace} workspace
   */
  async #started(program, workspace) {
    if (this.#server?.alive) return this.#server;
    this.#dropServer();
    const server = new TypesServer(program, workspace.folder);
    this.#server = server;
    const rootUri = pathToFileURL(workspace.folder).href;
    await server.request('initialize', { processId: process.pid, rootUri, capabilities: {} }, this.#patience.startMs);
    server.notify('initialized', {});
    return server;
  }

  #dropServer() {
    this.#server?.stop();
    this.#server = undefined;
    this.#open.clear();
  }

  /**
   * Makes exactly these files the open documents.
   * @param {TypesServer} server
   * @param {TypesWorkspace} workspace
   * @param {TypeSources['files']} files
   */
  #show(server, workspace, files) {
    const wanted = new Set(files.map((file) => file.path));
    for (const path of [...this.#open.keys()].filter((path) => !wanted.has(path))) {
      server.notify('textDocument/didClose', { textDocument: { uri: workspace.uri(path) } });
      this.#open.delete(path);
    }
    for (const { path, text: given } of files) {
      const text = given.replace(/^\uFEFF/, '');
      const uri = workspace.uri(path);
      const open = this.#open.get(path);
      const version = (open?.version ?? 0) + 1;
      if (open?.text === text) continue;
      if (open === undefined) {
        const languageId = path.endsWith('.json') ? 'json' : 'typescript';
        server.notify('textDocument/didOpen', { textDocument: { uri, languageId, version, text } });
      } else {
        server.notify('textDocument/didChange', { textDocument: { uri, version }, contentChanges: [{ text }] });
      }
      this.#open.set(path, { text, version });
    }
  }
}

/**
 * @param {any[]} items LSP diagnostics
 * @param {TypeSources} sources
 * @param {TypesWorkspace} workspace
 * @returns {Diagnostic[]}
 */
function toDiagnostics(items, sources, workspace) {
  return items
    .filter((item) => (item.severity ?? ERROR) === ERROR && !NOT_FOR_TOOLS.has(Number(item.code)))
    .filter((item) => !sources.ignoredLines.includes(item.range.start.line + 1))
    .map(({ range, message, code }) => ({
      rule: 'types',
      severity: sources.severity ?? 'error',
      message: `${workspace.scrub(message)} (TS${code})`,
      line: range.start.line + 1,
      column: range.start.character + 1,
      endLine: range.end.line + 1,
      endColumn: range.end.character + 1,
    }));
}
