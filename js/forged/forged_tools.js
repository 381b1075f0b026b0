/** Offers forged tools as tools that models call by name, in sync with the registry. */

import { posix } from 'node:path';
import { guarded } from '../boundary/guarded.js';
import { visible } from '../boundary/harmless.js';
import { messageOf } from '../boundary/thrown.js';
import { ownerOf } from '../tool_shape/tool_owner.js';
import { ToolBudget } from './chosen_tools.js';
import { forgedSchema } from './cleaned_parameters.js';
import { forgedTool } from './forged_tool.js';
import { KnownTools } from './known_tools.js';
import { KERNEL_TOOL_NAMES } from './tool_names.js';

/**
 * @typedef {import('../../index.js').ToolMetadata} ToolMetadata
 * @typedef {import('../../index.js').ForgedTool} ForgedTool
 * @typedef {import('../../index.js').ToolsChange} ToolsChange
 * @typedef {import('../../index.js').ToolSet} ToolSet
 * @typedef {import('../../index.js').Logger} Logger
 * @typedef {import('../tool_shape/tool_owner.js').ToolOwner} ToolOwner
 * @typedef {import('../boundary/crossing.js').ToolsSince} ToolsSince
 * @typedef {import('../boundary/crossing.js').OfferedTools} OfferedTools
 * @typedef {{ path: string, hash: string }} Version of a tool's text
 * @typedef {{ path: string, name: string, tool: ForgedTool, chars: number }} Offer
 * @typedef {{ base: ToolSet, tools: ToolSet, owner: ToolOwner, names: Map<string, string>, filled: Promise<unknown> }} LiveSet a live tool set; `names` are those of its forged tools, by path
 *
 * @typedef {object} Source
 * @property {(since: number | undefined) => Promise<ToolsSince>} list
 * @property {(wanted: { after: number, offered: string[], limit: number, counted: boolean }, caller: ToolOwner['caller']) => Promise<OfferedTools>} offered the most useful tools visible to a caller
 * @property {(paths: string[]) => Promise<ToolMetadata[]>} at
 * @property {() => number} life number of the kernel's life: versions of an earlier one are invalid
 * @property {(path: string, args: unknown, options: { signal: AbortSignal | undefined, dryRun?: true }, caller: ToolOwner['caller']) => Promise<any>} run
 * @property {(paths: string[], caller: ToolOwner['caller']) => Promise<boolean[] | undefined>} shown whether each tool is visible to the caller; undefined: all are
 * @property {(schema: Record<string, any>) => string} typeOf a schema as TypeScript
 * @property {() => { tools: number, chars: number }} budget of tools offered by name
 * @property {import('../tool_shape/bounded_result.js').ResultRule} results
 */

/** The default owner, for tool sets without an agent. @type {ToolOwner} */
const SOME_AGENT = { caller: { agent: 'agent' } };

/** Maximum number of paths in a message. */
const MAX_NAMED = 10;

/** Candidates considered per offered tool, because some exceed the remaining budget. */
const CANDIDATES = 4;

export class ForgedTools {
  /** @type {Source} */
  #source;
  /** @type {Logger} */
  #logger;
  /** @type {number | undefined} */
  #version;
  /** @type {number | undefined} */
  #life;
  /** The first version in this life of the kernel. */
  #first = 0;
  /** The version of the rules that hide tools. @type {string | undefined} */
  #rules;
  /** Files that are not tools because of their names. @type {Set<string>} */
  #leftOut = new Set();
  /** Runnable tools. */
  #known = new KnownTools();
  /** @type {Map<string, { meta: ToolMetadata, byOwner: WeakMap<ToolOwner, Map<string, Offer>> }>} by path: a tool keeps its object identity until it changes */
  #made = new Map();
  /** The refresh in progress. @type {Promise<unknown>} */
  #look = Promise.resolve();
  /** The refresh queued after it. @type {Promise<void> | undefined} */
  #next;
  #hasWarnedOfBudget = false;
  /** @type {Set<(change: ToolsChange) => void>} */
  #listeners = new Set();
  /** @type {Set<WeakRef<LiveSet>>} */
  #live = new Set();
  /** @type {WeakMap<ToolSet, LiveSet>} keeps the record of a live set as long as the set */
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
   * The current tools: those of `paths`, or as many as the budget allows.
   * @param {string[]} [paths]
   * @returns {Promise<Record<string, ForgedTool>>}
   */
  async snapshot(paths) {
    await this.refresh();
    const reserved = new Set(KERNEL_TOOL_NAMES);
    const offers = paths
      ? await this.#offersOf(await this.#shown(paths, SOME_AGENT), reserved, SOME_AGENT)
      : await this.#chosen([], reserved, SOME_AGENT);
    return Object.fromEntries(offers.sort(byPath).map(({ name, tool }) => [name, tool]));
  }

  /**
   * One object with the tools of `base` and the forged ones within the budget, kept in sync with the registry. Forged tools run on
   * behalf of the owner of `base`.
   * @param {ToolSet} base
   * @returns {Promise<ToolSet>}
   */
  async live(base) {
    await this.refresh();
    /** @type {ToolSet} */
    const tools = { ...base };
    const owner = ownerOf(base) ?? SOME_AGENT;
    /** @type {LiveSet} */
    const record = { base: { ...base }, tools, owner, names: new Map(), filled: Promise.resolve() };
    this.#records.set(tools, record);
    this.#live.add(new WeakRef(record));
    await this.#fill(record);
    return tools;
  }

  /** The names of the tools in the newest live set, by path. @returns {Map<string, string>} */
  get liveNames() {
    const records = [...this.#live].flatMap((reference) => reference.deref() ?? []);
    return records.at(-1)?.names ?? new Map();
  }

  /**
   * Validates arguments for a tool that is named by its path.
   * @param {string} path
   * @param {unknown} args
   * @returns {Promise<unknown>} the converted arguments
   */
  async argumentsOf(path, args) {
    await this.refresh();
    const known = this.#known.versions([posix.normalize(path)]);
    await this.#read(known);
    const meta = this.#made.get(known[0]?.path ?? '')?.meta;
    // Unknown paths are reported when they are run.
    if (meta === undefined) return args;
    return forgedSchema(meta.parameters, meta.path, this.#source.typeOf).read(args);
  }

  /**
   * Validates arguments for code without a file.
   * @param {Record<string, unknown>} parameters the schema of its arguments
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
   * Makes a change that may affect tools, and refreshes before it returns.
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
      // The change has been made, so a failed refresh must not fail it.
      await this.refresh().catch((error) => this.#logger.warn(`The list of tools is out of date: ${messageOf(error)}`));
    }
  }

  /**
   * Reads the changes of the registry and notifies listeners. One refresh at a time; callers during a refresh share the next.
   * @returns {Promise<void>}
   */
  refresh() {
    if (this.#next === undefined) {
      this.#next = this.#look.then(() => {
        this.#next = undefined;
        return this.#follow();
      });
      this.#look = this.#next.catch(() => {});
    }
    return this.#next;
  }

  /** @returns {Promise<void>} */
  async #follow() {
    const since = this.#life === this.#source.life() ? this.#version : undefined;
    const { version, rules, changes } = await this.#source.list(since);
    const hasNewRules = rules !== this.#rules;
    this.#rules = rules;
    if (changes === undefined) {
      if (hasNewRules) await this.#followRules();
      return;
    }
    // The kernel was restarted meanwhile, so the difference is to another life.
    if (changes.isDifference && this.#life !== this.#source.life()) return this.#follow();
    const isFollowed = this.#version !== undefined;
    const life = this.#source.life();
    if (!isFollowed || this.#life !== life) this.#first = version;
    const change = await this.#known.take(changes, isFollowed);
    this.#version = version;
    this.#life = life;
    this.#warnOf(changes.leftOut);
    for (const { path } of change?.removed ?? []) this.#made.delete(path);
    const failures = await this.#fillAll();
    if (change && change.added.length + change.changed.length + change.removed.length > 0) this.#notify(change);
    this.#unlessFailed(failures);
  }

  /** Applies changed rules. Listeners are called if the offered tools differ; no tool itself has changed. */
  async #followRules() {
    const offered = () => [...this.#live].map((reference) => Object.keys(reference.deref()?.tools ?? {}).join(' '));
    const before = offered();
    const failures = await this.#fillAll();
    if (offered().join('\n') !== before.join('\n')) this.#notify({ added: [], changed: [], removed: [] });
    this.#unlessFailed(failures);
  }

  /** @returns {Promise<unknown[]>} errors */
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

  /** @param {unknown[]} failures of filling; the next refresh retries */
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
   * Updates the tools of a live set. Updates are serialised, so that the last one is the newest.
   * @param {LiveSet} record
   * @returns {Promise<void>}
   */
  #fill(record) {
    const filled = record.filled.then(async () => {
      const { base, tools, owner, names } = record;
      const reserved = new Set([...KERNEL_TOOL_NAMES, ...Object.keys(base)]);
      const offers = (await this.#chosen([...names.keys()], reserved, owner)).sort(byPath);
      const now = new Set([...Object.keys(base), ...offers.map(({ name }) => name)]);
      for (const name of Object.keys(tools)) if (!now.has(name)) delete tools[name];
      for (const { name, tool } of offers) tools[name] = tool;
      record.names = new Map(offers.map(({ path, name }) => [path, name]));
    });
    record.filled = filled.catch(() => {});
    return filled;
  }

  /**
   * Filters tools by visibility to an owner, according to the rules and the token.
   * @param {string[]} paths
   * @param {ToolOwner} owner
   * @returns {Promise<string[]>}
   */
  async #shown(paths, { caller }) {
    const shown = await this.#source.shown(paths, caller).catch((error) => {
      if (isDeniedToken(error)) return [];
      throw error;
    });
    return shown ? paths.filter((_, at) => shown[at] === true) : paths;
  }

  /**
   * The tools offered by name: recently written ones, then those already offered, then the most used ones.
   * @param {string[]} offered paths
   * @param {Set<string>} reserved
   * @param {ToolOwner} owner
   * @returns {Promise<Offer[]>}
   */
  async #chosen(offered, reserved, owner) {
    const limits = this.#source.budget();
    const counted = !this.#hasWarnedOfBudget;
    const wanted = { after: this.#first, offered, limit: limits.tools * CANDIDATES, counted };
    const { tools, total } = await this.#source.offered(wanted, owner.caller).catch((error) => {
      if (isDeniedToken(error)) return { tools: [], total: 0 };
      throw error;
    });
    /** @type {ToolBudget<Offer>} */
    const budget = new ToolBudget(limits);
    for (let from = 0; from < tools.length && !budget.isSpent; from += limits.tools) {
      const paths = tools.slice(from, from + limits.tools).map(({ path }) => path);
      for (const offer of await this.#offersOf(paths, reserved, owner)) budget.offer(offer);
    }
    const { chosen } = budget;
    if (total !== undefined && chosen.length < total && !this.#hasWarnedOfBudget) {
      this.#hasWarnedOfBudget = true;
      this.#logger.warn(
        `${chosen.length} of ${total} forged tools are offered by name (agent.liveTools is ${limits.tools}, agent.liveToolChars is ${limits.chars}): the most recent and most used ones. Use find_tool and exec_tool for the others.`,
      );
    }
    return chosen;
  }

  /**
   * @param {string[]} paths unknown ones are skipped until the next refresh
   * @param {Set<string>} reserved
   * @param {ToolOwner} owner
   * @returns {Promise<Offer[]>}
   */
  async #offersOf(paths, reserved, owner) {
    const known = this.#known.versions(paths);
    await this.#read(known);
    return known.flatMap(({ path }) => {
      const made = this.#made.get(path);
      return made ? [this.#make(this.#known.nameOf(path, reserved), made, owner)] : [];
    });
  }

  /**
   * Loads the metadata of new or changed tools.
   * @param {Version[]} versions
   */
  async #read(versions) {
    const fresh = versions.filter(({ path, hash }) => this.#made.get(path)?.meta.hash !== hash);
    if (fresh.length === 0) return;
    for (const meta of await this.#source.at(fresh.map(({ path }) => path))) {
      if (this.#made.get(meta.path)?.meta.hash === meta.hash) continue;
      this.#made.set(meta.path, { meta, byOwner: new WeakMap() });
    }
  }

  /**
   * @param {string} name
   * @param {{ meta: ToolMetadata, byOwner: WeakMap<ToolOwner, Map<string, Offer>> }} made
   * @param {ToolOwner} owner
   * @returns {Offer}
   */
  #make(name, { meta, byOwner }, owner) {
    const byName = byOwner.get(owner) ?? new Map();
    byOwner.set(owner, byName);
    const cached = byName.get(name);
    if (cached) return cached;
    const tool = forgedTool(name, meta, owner, this.#source);
    const offer = { path: meta.path, name, tool, chars: charsOf(name, tool) };
    byName.set(name, offer);
    return offer;
  }

  /** @param {string[]} leftOut files that are not tools because of their names; each is logged once */
  #warnOf(leftOut) {
    const fresh = leftOut.filter((path) => !this.#leftOut.has(path));
    this.#leftOut = new Set(leftOut);
    if (fresh.length === 0) return;
    const named = fresh.slice(0, MAX_NAMED).map((path) => visible(path));
    const more = fresh.length > MAX_NAMED ? ` and ${fresh.length - MAX_NAMED} more` : '';
    this.#logger.warn(
      `Not listed as tools, because their names look like those of other tools: ${named.join(', ')}${more}. Rename them.`,
    );
  }

  /** @param {import('../../index.js').ToolsChange} change */
  #notify(change) {
    const complain = (/** @type {unknown} */ error) =>
      this.#logger.error('A listener of onToolsChanged failed.', error);
    for (const listener of this.#listeners) guarded(complain, listener)(change);
  }
}

/**
 * The size of a tool in a prompt, in characters.
 * @param {string} name
 * @param {ForgedTool} tool
 */
function charsOf(name, { description, parameters }) {
  return name.length + description.length + JSON.stringify(parameters).length;
}

/** @param {any} error whether the token is denied, so that no tool is visible */
function isDeniedToken(error) {
  return error?.code === 'ERR_DENIED';
}

/**
 * @param {Offer} one
 * @param {Offer} other
 */
function byPath(one, other) {
  return one.path < other.path ? -1 : 1;
}
