/** The tools that agents have forged, as tools that a model calls by name, kept level with the registry. */

import { posix } from 'node:path';
import { guarded } from '../boundary/guarded.js';
import { visible } from '../boundary/harmless.js';
import { messageOf } from '../boundary/thrown.js';
import { agentTool, report } from '../tool_shape/agent_tool.js';
import { boundedTool } from '../tool_shape/bounded_result.js';
import { setForgedPath } from '../tool_shape/forged_path.js';
import { ownerOf } from '../tool_shape/tool_owner.js';
import { chosenTools } from './chosen_tools.js';
import { forgedSchema } from './cleaned_parameters.js';
import { KERNEL_TOOL_NAMES, toolNames } from './tool_names.js';

/**
 * @typedef {import('../../index.js').ToolMetadata} ToolMetadata
 * @typedef {import('../../index.js').ForgedTool} ForgedTool
 * @typedef {import('../../index.js').ToolsChange} ToolsChange
 * @typedef {import('../../index.js').ToolSet} ToolSet
 * @typedef {import('../../index.js').Logger} Logger
 * @typedef {import('../tool_shape/tool_owner.js').ToolOwner} ToolOwner
 * @typedef {{ base: ToolSet, tools: ToolSet, owner: ToolOwner }} LiveSet
 *
 * @typedef {object} Source
 * @property {(since: number | undefined) => Promise<{ version: number, rules: string, tools?: ToolMetadata[], leftOut?: string[] }>} list
 * @property {() => number} life versions of one life of the kernel say nothing in the next
 * @property {(path: string, args: unknown, options: { signal: AbortSignal | undefined, dryRun?: true }, who: ToolOwner['who']) => Promise<any>} run
 * @property {(paths: string[], who: ToolOwner['who']) => Promise<boolean[] | undefined>} shown whether lists name each to them; all, where nothing is said
 * @property {(schema: Record<string, any>) => string} typeOf a schema as TypeScript
 * @property {() => { tools: number, chars: number }} budget of what is offered by name
 * @property {import('../tool_shape/bounded_result.js').ResultRule} results
 */

/** What OpenAI takes. */
const MAX_DESCRIPTION_CHARS = 1024;

/** On whose behalf tools are run that were asked for without any of an agent. @type {ToolOwner} */
const SOME_AGENT = { who: { agent: 'agent' } };

/** Paths in one message. */
const MAX_NAMED = 10;

export class ForgedTools {
  /** @type {Source} */
  #source;
  /** @type {Logger} */
  #logger;
  /** @type {number | undefined} */
  #version;
  /** @type {number | undefined} */
  #life;
  /** The version of the rules by which tools are left out. @type {string | undefined} */
  #rules;
  /** Files that were left out because of their names. @type {Set<string>} */
  #leftOut = new Set();
  /** @type {ToolMetadata[]} those that can be run, by path */
  #tools = [];
  /** @type {Map<string, { hash: string, byOwner: WeakMap<ToolOwner, Map<string, ForgedTool>> }>} by path: a tool stays one object until it changes */
  #made = new Map();
  /** @type {Map<string, number>} by path: the version with which it was last written, while this kernel ran */
  #changed = new Map();
  #hasToldOfBudget = false;
  /** @type {Set<(change: ToolsChange) => void>} */
  #listeners = new Set();
  /** @type {Set<WeakRef<LiveSet>>} */
  #live = new Set();
  /** @type {WeakMap<ToolSet, LiveSet>} keeps a live set's record for as long as the set */
  #records = new WeakMap();

  /**
   * @param {Source} source
   * @param {Logger} logger
   */
  constructor(source, logger) {
    this.#source = source;
    this.#logger = logger;
  }

  /**
   * The tools as they are now: as many as there is room for, or those of `paths`.
   * @param {string[]} [paths]
   * @returns {Promise<Record<string, ForgedTool>>}
   */
  async snapshot(paths) {
    await this.refresh();
    const wanted = paths && new Set(paths);
    const shown = await this.#shownTo(SOME_AGENT);
    const all = this.#named(KERNEL_TOOL_NAMES).filter(({ path }) => shown?.has(path) ?? true);
    const named = wanted ? all.filter(({ path }) => wanted.has(path)) : this.#chosen(all, {}, SOME_AGENT);
    return Object.fromEntries(named.map(({ name, meta }) => [name, this.#make(name, meta, SOME_AGENT)]));
  }

  /**
   * The tools of `base` and the forged ones for which there is room, in one object that follows the registry. The forged ones work
   * for whom those of `base` do.
   * @param {ToolSet} base
   * @returns {Promise<ToolSet>}
   */
  async live(base) {
    await this.refresh();
    /** @type {ToolSet} */
    const tools = { ...base };
    const record = { base: { ...base }, tools, owner: ownerOf(base) ?? SOME_AGENT };
    this.#records.set(tools, record);
    this.#live.add(new WeakRef(record));
    await this.#fill(record);
    return tools;
  }

  /** The names of the tools in the newest live set, by path. @returns {Map<string, string>} */
  get liveNames() {
    const records = [...this.#live].flatMap((reference) => reference.deref() ?? []);
    const newest = records.at(-1);
    if (newest === undefined) return new Map();
    const { base, tools } = newest;
    const named = this.#named([...KERNEL_TOOL_NAMES, ...Object.keys(base)]);
    return new Map(named.filter(({ name }) => Object.hasOwn(tools, name)).map(({ path, name }) => [path, name]));
  }

  /**
   * What a model has sent to a tool that it names by its path, held against the tool's schema.
   * @param {string} path
   * @param {unknown} args
   * @returns {Promise<unknown>} as the tool takes them
   */
  async argumentsOf(path, args) {
    await this.refresh();
    const wanted = posix.normalize(path);
    const known = this.#tools.find((tool) => tool.path === wanted);
    // Whatever else is named: running it says what is wrong.
    if (known === undefined) return args;
    return forgedSchema(known.parameters, known.path, this.#source.typeOf).read(args);
  }

  /**
   * The same for code that is in no file.
   * @param {Record<string, unknown>} parameters the schema of what it takes
   * @param {unknown} args
   * @returns {unknown}
   */
  argumentsOfCode(parameters, args) {
    return forgedSchema(parameters, 'run_code args', this.#source.typeOf).read(args);
  }

  /** @param {(change: ToolsChange) => void} listener */
  onChanged(listener) {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  /**
   * Does something that may change tools, and tells of the change before it is done.
   * @template T
   * @param {() => Promise<T>} change
   * @returns {Promise<T>}
   */
  async during(change) {
    if (!this.#isFollowed()) return change();
    if (this.#version === undefined) await this.refresh();
    try {
      return await change();
    } finally {
      // The change has happened: what it is answered with must not depend on who listens.
      await this.refresh().catch((error) => this.#logger.warn(`The list of tools is out of date: ${messageOf(error)}`));
    }
  }

  /** Looks at the registry; tells of what has changed since the last time. */
  async refresh() {
    const isNewLife = () => this.#life !== this.#source.life();
    const { version, rules, tools, leftOut = [] } = await this.#source.list(isNewLife() ? undefined : this.#version);
    // Answers may overtake each other: an older one knows nothing new.
    const isKnown = this.#version !== undefined && version <= this.#version && !isNewLife();
    const hasNewRules = rules !== this.#rules;
    this.#rules = rules;
    if (tools === undefined || isKnown) {
      if (hasNewRules) await this.#followRules();
      return;
    }
    const before = this.#version === undefined ? undefined : this.#tools;
    this.#version = version;
    this.#life = this.#source.life();
    this.#tools = tools.filter(({ kind }) => kind === 'tool');
    this.#warnOf(leftOut);
    if (before !== undefined) this.#noteChanges(before, version);
    const failures = await this.#fillAll();
    if (before !== undefined) this.#tell(before);
    this.#unlessFailed(failures);
  }

  /** Offers what the rules now show. Listeners are called where that is another list: no tool itself has changed. */
  async #followRules() {
    const offered = () => [...this.#live].map((reference) => Object.keys(reference.deref()?.tools ?? {}).join(' '));
    const before = offered();
    const failures = await this.#fillAll();
    if (offered().join('\n') !== before.join('\n')) this.#notify({ added: [], changed: [], removed: [] });
    this.#unlessFailed(failures);
  }

  /** @returns {Promise<unknown[]>} what has failed */
  async #fillAll() {
    /** @type {unknown[]} */
    const failures = [];
    for (const reference of this.#live) {
      const record = reference.deref();
      if (record) await this.#fill(record).catch((error) => failures.push(error));
      else this.#live.delete(reference);
    }
    return failures;
  }

  /** @param {unknown[]} failures of filling; the next look fills again */
  #unlessFailed(failures) {
    if (failures.length === 0) return;
    this.#version = undefined;
    throw failures[0];
  }

  #isFollowed() {
    for (const reference of this.#live) if (!reference.deref()) this.#live.delete(reference);
    return this.#listeners.size + this.#live.size > 0;
  }

  /**
   * @param {LiveSet} record
   * @returns {Promise<void>}
   */
  async #fill(record) {
    const { base, tools, owner } = record;
    const all = this.#tools;
    const shown = await this.#shownTo(owner);
    // The tools have changed meanwhile.
    if (all !== this.#tools) return this.#fill(record);
    const reserved = [...KERNEL_TOOL_NAMES, ...Object.keys(base)];
    const named = this.#chosen(
      this.#named(reserved).filter(({ path }) => shown?.has(path) ?? true),
      tools,
      owner,
    );
    const now = new Set([...Object.keys(base), ...named.map(({ name }) => name)]);
    for (const name of Object.keys(tools)) if (!now.has(name)) delete tools[name];
    for (const { name, meta } of named) tools[name] = this.#make(name, meta, owner);
  }

  /**
   * The tools that lists name to an owner, by the rules and the token: others are not offered.
   * @param {ToolOwner} owner
   * @returns {Promise<Set<string> | undefined>} paths; nothing where all are
   */
  async #shownTo({ who }) {
    const paths = this.#tools.map(({ path }) => path);
    const shown = await this.#source.shown(paths, who).catch((error) => {
      // A token that does not count any more is good for nothing.
      if (error?.code === 'ERR_DENIED') return [];
      throw error;
    });
    return shown && new Set(paths.filter((_, at) => shown[at] === true));
  }

  /** @param {string[]} reserved */
  #named(reserved) {
    const names = toolNames(
      this.#tools.map(({ path }) => path),
      reserved,
    );
    return this.#tools.map((meta) => ({ name: names.get(meta.path) ?? meta.name, path: meta.path, meta }));
  }

  /**
   * Those that are offered by name.
   * @template {{ name: string, path: string, meta: ToolMetadata }} Named
   * @param {Named[]} named
   * @param {ToolSet} offered
   * @param {ToolOwner} owner
   * @returns {Named[]}
   */
  #chosen(named, offered, owner) {
    const candidates = named.map((own) => ({
      own,
      path: own.path,
      changed: this.#changed.get(own.path) ?? 0,
      isOffered: Object.hasOwn(offered, own.name),
      uses: own.meta.uses,
      chars: charsOf(own.name, this.#make(own.name, own.meta, owner)),
    }));
    const budget = this.#source.budget();
    const chosen = chosenTools(candidates, budget);
    if (chosen.length < named.length && !this.#hasToldOfBudget) {
      this.#hasToldOfBudget = true;
      this.#logger.warn(
        `${chosen.length} of ${named.length} forged tools are offered by name (agent.liveTools is ${budget.tools}, agent.liveToolChars is ${budget.chars}): those written last and run most often. The others are found by find_tool and run by exec_tool.`,
      );
    }
    return chosen.map(({ own }) => own);
  }

  /**
   * @param {ToolMetadata[]} before
   * @param {number} version
   */
  #noteChanges(before, version) {
    const old = new Map(before.map(({ path, hash }) => [path, hash]));
    const present = new Set(this.#tools.map(({ path }) => path));
    for (const { path, hash } of this.#tools) if (old.get(path) !== hash) this.#changed.set(path, version);
    for (const path of this.#changed.keys()) if (!present.has(path)) this.#changed.delete(path);
  }

  /**
   * @param {string} name
   * @param {ToolMetadata} meta
   * @param {ToolOwner} owner
   * @returns {ForgedTool}
   */
  #make(name, { path, description, parameters, hash }, owner) {
    let made = this.#made.get(path);
    if (made?.hash !== hash) {
      made = { hash, byOwner: new WeakMap() };
      this.#made.set(path, made);
    }
    const byName = made.byOwner.get(owner) ?? new Map();
    made.byOwner.set(owner, byName);
    const known = byName.get(name);
    if (known) return known;
    const { schema, unwrap } = forgedSchema(parameters, name, this.#source.typeOf);
    const unbounded = agentTool(described(path, description), schema, async (args, signal, mode) => {
      const given = unwrap(args);
      const dry = (mode === 'dry' || owner.isDry) && { dryRun: /** @type {const} */ (true) };
      return report(this.#source.run(path, given, { signal, ...dry }, owner.who));
    });
    const callOf = (/** @type {any} */ args) => ({ tool: 'exec_tool', effect: 'run', path, args: unwrap(args) });
    const guarded = owner.guard?.(unbounded, callOf) ?? unbounded;
    const tool = boundedTool(guarded, this.#source.results);
    setForgedPath(tool, path);
    byName.set(name, tool);
    return tool;
  }

  /** @param {string[]} leftOut files that are not tools because of their names; each is logged once */
  #warnOf(leftOut) {
    const fresh = leftOut.filter((path) => !this.#leftOut.has(path));
    this.#leftOut = new Set(leftOut);
    if (fresh.length === 0) return;
    const named = fresh.slice(0, MAX_NAMED).map((path) => visible(path));
    const more = fresh.length > MAX_NAMED ? ` and ${fresh.length - MAX_NAMED} more` : '';
    this.#logger.warn(
      `Not listed as tools, because their names look like those of others: ${named.join(', ')}${more}. Rename them.`,
    );
  }

  /** @param {ToolMetadata[]} before */
  #tell(before) {
    const old = new Map(before.map(({ path, hash }) => [path, hash]));
    const present = new Set(this.#tools.map(({ path }) => path));
    const named = this.#named(KERNEL_TOOL_NAMES);
    const oldNames = toolNames([...old.keys()]);
    const gone = [...old.keys()].filter((path) => !present.has(path));
    for (const path of gone) this.#made.delete(path);
    const change = {
      added: named.filter(({ path }) => !old.has(path)).map(identity),
      changed: named.filter(({ path, meta }) => old.has(path) && old.get(path) !== meta.hash).map(identity),
      removed: gone.map((path) => ({ name: oldNames.get(path) ?? path, path })),
    };
    if (change.added.length + change.changed.length + change.removed.length > 0) this.#notify(change);
  }

  /** @param {import('../../index.js').ToolsChange} change */
  #notify(change) {
    const complain = (/** @type {unknown} */ error) =>
      this.#logger.error('A listener of onToolsChanged has thrown.', error);
    for (const listener of this.#listeners) guarded(complain, listener)(change);
  }
}

/**
 * @param {string} path
 * @param {string} description
 */
function described(path, description) {
  // The path is what a model needs to read, check and repair the tool.
  const suffix = `[${path}]`;
  const room = MAX_DESCRIPTION_CHARS - suffix.length - 1;
  const text = description.length > room ? `${description.slice(0, room - 1)}…` : description;
  return `${text} ${suffix}`.trim();
}

/**
 * What a tool costs a prompt.
 * @param {string} name
 * @param {ForgedTool} tool
 */
function charsOf(name, { description, parameters }) {
  return name.length + description.length + JSON.stringify(parameters).length;
}

/** @param {{ name: string, path: string }} named */
function identity({ name, path }) {
  return { name, path };
}
