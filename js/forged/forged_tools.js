/** The tools that agents have forged, as tools that a model calls by name, kept level with the registry. */

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
 * @typedef {{ base: ToolSet, tools: ToolSet, owner: ToolOwner, names: Map<string, string>, filled: Promise<unknown> }} LiveSet with the names of its forged tools, by path
 *
 * @typedef {object} Source
 * @property {(since: number | undefined) => Promise<ToolsSince>} list
 * @property {(wanted: { after: number, offered: string[], limit: number, counted: boolean }, who: ToolOwner['who']) => Promise<OfferedTools>} offered the most useful ones, of those that lists name to them
 * @property {(paths: string[]) => Promise<ToolMetadata[]>} at
 * @property {() => number} life versions of one life of the kernel say nothing in the next
 * @property {(path: string, args: unknown, options: { signal: AbortSignal | undefined, dryRun?: true }, who: ToolOwner['who']) => Promise<any>} run
 * @property {(paths: string[], who: ToolOwner['who']) => Promise<boolean[] | undefined>} shown whether lists name each to them; all, where nothing is said
 * @property {(schema: Record<string, any>) => string} typeOf a schema as TypeScript
 * @property {() => { tools: number, chars: number }} budget of what is offered by name
 * @property {import('../tool_shape/bounded_result.js').ResultRule} results
 */

/** On whose behalf tools are run that were asked for without any of an agent. @type {ToolOwner} */
const SOME_AGENT = { who: { agent: 'agent' } };

/** Paths in one message. */
const MAX_NAMED = 10;

/** Tools that are looked at for each that is offered: some are too large for what is left of the budget. */
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
  /** The version that was there first, in this life of the kernel. */
  #first = 0;
  /** The version of the rules by which tools are left out. @type {string | undefined} */
  #rules;
  /** Files that were left out because of their names. @type {Set<string>} */
  #leftOut = new Set();
  /** Those that can be run. */
  #known = new KnownTools();
  /** @type {Map<string, { meta: ToolMetadata, byOwner: WeakMap<ToolOwner, Map<string, Offer>> }>} by path: a tool stays one object until it changes */
  #made = new Map();
  /** The look at the registry that is under way. @type {Promise<unknown>} */
  #look = Promise.resolve();
  /** The one that begins after it. @type {Promise<void> | undefined} */
  #next;
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
    const reserved = new Set(KERNEL_TOOL_NAMES);
    const offers = paths
      ? await this.#offersOf(await this.#shown(paths, SOME_AGENT), reserved, SOME_AGENT)
      : await this.#chosen([], reserved, SOME_AGENT);
    return Object.fromEntries(offers.sort(byPath).map(({ name, tool }) => [name, tool]));
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
   * What a model has sent to a tool that it names by its path, held against the tool's schema.
   * @param {string} path
   * @param {unknown} args
   * @returns {Promise<unknown>} as the tool takes them
   */
  async argumentsOf(path, args) {
    await this.refresh();
    const known = this.#known.versions([posix.normalize(path)]);
    await this.#read(known);
    const meta = this.#made.get(known[0]?.path ?? '')?.meta;
    // Whatever else is named: running it says what is wrong.
    if (meta === undefined) return args;
    return forgedSchema(meta.parameters, meta.path, this.#source.typeOf).read(args);
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

  /**
   * Looks at the registry; tells of what has changed since the last time. One look at a time: who comes meanwhile shares the next.
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
    // The kernel was booted anew meanwhile: what is different to its last life is not known.
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
   * Offers in a live set what belongs there now: one filling after the other, so that the last one is the newest.
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
   * Of these tools those that lists name to an owner, by the rules and the token: others are not offered.
   * @param {string[]} paths
   * @param {ToolOwner} owner
   * @returns {Promise<string[]>}
   */
  async #shown(paths, { who }) {
    const shown = await this.#source.shown(paths, who).catch((error) => {
      if (isWorthless(error)) return [];
      throw error;
    });
    return shown ? paths.filter((_, at) => shown[at] === true) : paths;
  }

  /**
   * Those that are offered by name: what was just written, then what is offered already, then what was run most often.
   * @param {string[]} offered paths
   * @param {Set<string>} reserved
   * @param {ToolOwner} owner
   * @returns {Promise<Offer[]>}
   */
  async #chosen(offered, reserved, owner) {
    const limits = this.#source.budget();
    const counted = !this.#hasToldOfBudget;
    const wanted = { after: this.#first, offered, limit: limits.tools * CANDIDATES, counted };
    const { tools, total } = await this.#source.offered(wanted, owner.who).catch((error) => {
      if (isWorthless(error)) return { tools: [], total: 0 };
      throw error;
    });
    /** @type {ToolBudget<Offer>} */
    const budget = new ToolBudget(limits);
    for (let from = 0; from < tools.length && !budget.isSpent; from += limits.tools) {
      const paths = tools.slice(from, from + limits.tools).map(({ path }) => path);
      for (const offer of await this.#offersOf(paths, reserved, owner)) budget.offer(offer);
    }
    const { chosen } = budget;
    if (total !== undefined && chosen.length < total && !this.#hasToldOfBudget) {
      this.#hasToldOfBudget = true;
      this.#logger.warn(
        `${chosen.length} of ${total} forged tools are offered by name (agent.liveTools is ${limits.tools}, agent.liveToolChars is ${limits.chars}): those written last and run most often. The others are found by find_tool and run by exec_tool.`,
      );
    }
    return chosen;
  }

  /**
   * @param {string[]} paths those that are not known are left out: the next look finds them
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
   * Reads what is not known of these tools.
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
    const known = byName.get(name);
    if (known) return known;
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
      `Not listed as tools, because their names look like those of others: ${named.join(', ')}${more}. Rename them.`,
    );
  }

  /** @param {import('../../index.js').ToolsChange} change */
  #notify(change) {
    const complain = (/** @type {unknown} */ error) =>
      this.#logger.error('A listener of onToolsChanged has thrown.', error);
    for (const listener of this.#listeners) guarded(complain, listener)(change);
  }
}

/**
 * What a tool costs a prompt.
 * @param {string} name
 * @param {ForgedTool} tool
 */
function charsOf(name, { description, parameters }) {
  return name.length + description.length + JSON.stringify(parameters).length;
}

/** @param {any} error whether a token does not count any more: it is good for nothing */
function isWorthless(error) {
  return error?.code === 'ERR_DENIED';
}

/**
 * @param {Offer} one
 * @param {Offer} other
 */
function byPath(one, other) {
  return one.path < other.path ? -1 : 1;
}
