/** Offers forged tools as tools that models call by name, in sync with the registry. */

import type { Caller } from '../boundary/caller.js';
import type { OfferedTools, ToolsSince } from '../boundary/crossing.js';
import { TGPError } from '../boundary/errors.js';
import { guarded } from '../boundary/guarded.js';
import { visible } from '../boundary/harmless.js';
import { messageOf } from '../boundary/thrown.js';
import type { ResultRule } from '../tool_shape/bounded_result.js';
import type { ToolOwner } from '../tool_shape/tool_owner.js';
import { ownerOf } from '../tool_shape/tool_owner.js';
import type { DryRunResult } from '../types/dry_run.js';
import type { Logger, ToolMetadata } from '../types/kernel.js';
import type { ExecResult } from '../types/runs.js';
import type { ForgedTool, ToolSet, ToolsChange } from '../types/tools.js';
import { forgedTool } from './forged_tool.js';
import { KnownTools } from './known_tools.js';
import { ToolBudget } from './tool_budget.js';
import { KERNEL_TOOL_NAMES } from './tool_names.js';

/** A tool and the hash of its text. */
type Version = { path: string; hash: string };
type Offer = { path: string; name: string; tool: ForgedTool; chars: number };
/** A live tool set; `names` are those of its forged tools, by path. */
type LiveSet = {
  base: ToolSet;
  tools: ToolSet;
  owner: ToolOwner;
  names: Map<string, string>;
  filled: Promise<unknown>;
};
/** The kernel as the set sees it. */
export type Source = {
  list: (since: number | undefined) => Promise<ToolsSince>;
  /** The most useful tools visible to a caller. */
  offered: (
    wanted: { after: number; offered: string[]; limit: number; counted: boolean },
    caller: Caller,
  ) => Promise<OfferedTools>;
  at: (paths: string[]) => Promise<ToolMetadata[]>;
  /** Counts the restarts of the kernel: versions of an earlier generation are invalid. */
  generation: () => number;
  run: (
    path: string,
    args: unknown,
    options: { signal: AbortSignal | undefined; dryRun?: true },
    caller: Caller,
  ) => Promise<ExecResult | DryRunResult>;
  /** Whether each tool is visible to the caller; undefined: all are. */
  shown: (paths: string[], caller: Caller) => Promise<boolean[] | undefined>;
  /** A schema as TypeScript. */
  typeOf: (schema: object) => string;
  /** Of tools offered by name. */
  budget: () => { tools: number; chars: number };
  results: ResultRule;
};

/** The default owner, for tool sets without an agent. */
const SOME_AGENT: ToolOwner = { caller: { agent: 'agent' } };

/** Maximum number of paths in a message. */
const MAX_NAMED = 10;

/** Candidates considered per offered tool, because some exceed the remaining budget. */
const CANDIDATES = 4;

/** A set of forged tools that follows the registry. */
export class LiveForgedTools {
  #source: Source;
  #logger: Logger;
  #version: number | undefined;
  #generation: number | undefined;
  /** The first version in this generation of the kernel. */
  #first = 0;
  /** The version of the rules that hide tools. */
  #rules: string | undefined;
  /** Files that are not tools because of their names. */
  #leftOut = new Set<string>();
  /** Runnable tools. */
  #known = new KnownTools();
  /** By path: a tool keeps its object identity until it changes. */
  #made = new Map<string, { meta: ToolMetadata; byOwner: WeakMap<ToolOwner, Map<string, Offer>> }>();
  /** The refresh in progress. */
  #look: Promise<unknown> = Promise.resolve();
  /** The refresh queued after it. */
  #next: Promise<void> | undefined;
  #hasWarnedOfBudget = false;
  #listeners = new Set<(change: ToolsChange) => void>();
  #live = new Set<WeakRef<LiveSet>>();
  /** Keeps the record of a live set as long as the set. */
  #records = new WeakMap<ToolSet, LiveSet>();

  constructor(source: Source, logger: Logger) {
    this.#source = source;
    this.#logger = logger;
  }

  /** The current tools: those of `paths`, or as many as the budget allows. */
  async snapshot(paths?: string[]): Promise<Record<string, ForgedTool>> {
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
   */
  async live(base: ToolSet): Promise<ToolSet> {
    await this.refresh();
    const tools: ToolSet = { ...base };
    const owner = ownerOf(base) ?? SOME_AGENT;
    const record: LiveSet = { base: { ...base }, tools, owner, names: new Map(), filled: Promise.resolve() };
    this.#records.set(tools, record);
    this.#live.add(new WeakRef(record));
    await this.#fill(record);
    return tools;
  }

  /** The names of the tools in the newest live set, by path. */
  get liveNames(): Map<string, string> {
    const records = [...this.#live].flatMap((reference) => reference.deref() ?? []);
    return records.at(-1)?.names ?? new Map();
  }

  onChanged(listener: (change: ToolsChange) => void) {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  /** Makes a change that may affect tools, and refreshes before it returns. */
  async during<T>(change: () => Promise<T>): Promise<T> {
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
   */
  refresh(): Promise<void> {
    if (this.#next === undefined) {
      this.#next = this.#look.then(() => {
        this.#next = undefined;
        return this.#follow();
      });
      this.#look = this.#next.catch(() => {});
    }
    return this.#next;
  }

  async #follow(): Promise<void> {
    const since = this.#generation === this.#source.generation() ? this.#version : undefined;
    const { version, rules, changes } = await this.#source.list(since);
    const hasNewRules = rules !== this.#rules;
    this.#rules = rules;
    if (changes === undefined) {
      if (hasNewRules) await this.#followRules();
      return;
    }
    // The kernel was restarted meanwhile, so the difference is to another generation.
    if (changes.isDifference && this.#generation !== this.#source.generation()) return this.#follow();
    const isFollowed = this.#version !== undefined;
    const generation = this.#source.generation();
    if (!isFollowed || this.#generation !== generation) this.#first = version;
    const change = await this.#known.take(changes, isFollowed);
    this.#version = version;
    this.#generation = generation;
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

  /** @returns errors */
  async #fillAll(): Promise<unknown[]> {
    const failures: unknown[] = [];
    for (const reference of this.#live) {
      const record = reference.deref();
      if (record) await this.#fill(record).catch((error) => failures.push(error));
      else this.#live.delete(reference);
    }
    return failures;
  }

  /** @param failures of filling; the next refresh retries */
  #unlessFailed(failures: unknown[]) {
    if (failures.length === 0) return;
    this.#version = undefined;
    throw failures[0];
  }

  #isFollowed() {
    for (const reference of this.#live) if (!reference.deref()) this.#live.delete(reference);
    return this.#listeners.size + this.#live.size > 0;
  }

  /** Updates the tools of a live set. Updates are serialised, so that the last one is the newest. */
  #fill(record: LiveSet): Promise<void> {
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

  /** Filters tools by visibility to an owner, according to the rules and the token. */
  async #shown(paths: string[], { caller }: ToolOwner): Promise<string[]> {
    const shown = await this.#source.shown(paths, caller).catch((error) => {
      if (isDeniedToken(error)) return [];
      throw error;
    });
    return shown ? paths.filter((_, at) => shown[at] === true) : paths;
  }

  /**
   * The tools offered by name: recently written ones, then those already offered, then the most used ones.
   * @param offered paths
   */
  async #chosen(offered: string[], reserved: Set<string>, owner: ToolOwner): Promise<Offer[]> {
    const limits = this.#source.budget();
    const counted = !this.#hasWarnedOfBudget;
    const wanted = { after: this.#first, offered, limit: limits.tools * CANDIDATES, counted };
    const { tools, total } = await this.#source.offered(wanted, owner.caller).catch((error) => {
      if (isDeniedToken(error)) return { tools: [], total: 0 };
      throw error;
    });
    const budget = new ToolBudget<Offer>(limits);
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

  /** @param paths unknown ones are skipped until the next refresh */
  async #offersOf(paths: string[], reserved: Set<string>, owner: ToolOwner): Promise<Offer[]> {
    const known = this.#known.versions(paths);
    await this.#read(known);
    return known.flatMap(({ path }) => {
      const made = this.#made.get(path);
      return made ? [this.#make(this.#known.nameOf(path, reserved), made, owner)] : [];
    });
  }

  /** Loads the metadata of new or changed tools. */
  async #read(versions: Version[]) {
    const fresh = versions.filter(({ path, hash }) => this.#made.get(path)?.meta.hash !== hash);
    if (fresh.length === 0) return;
    for (const meta of await this.#source.at(fresh.map(({ path }) => path))) {
      if (this.#made.get(meta.path)?.meta.hash === meta.hash) continue;
      this.#made.set(meta.path, { meta, byOwner: new WeakMap() });
    }
  }

  #make(
    name: string,
    { meta, byOwner }: { meta: ToolMetadata; byOwner: WeakMap<ToolOwner, Map<string, Offer>> },
    owner: ToolOwner,
  ): Offer {
    const byName = byOwner.get(owner) ?? new Map();
    byOwner.set(owner, byName);
    const cached = byName.get(name);
    if (cached) return cached;
    const tool = forgedTool(name, meta, owner, this.#source);
    const offer = { path: meta.path, name, tool, chars: charsOf(name, tool) };
    byName.set(name, offer);
    return offer;
  }

  /** @param leftOut files that are not tools because of their names; each is logged once */
  #warnOf(leftOut: string[]) {
    const fresh = leftOut.filter((path) => !this.#leftOut.has(path));
    this.#leftOut = new Set(leftOut);
    if (fresh.length === 0) return;
    const named = fresh.slice(0, MAX_NAMED).map((path) => visible(path));
    const more = fresh.length > MAX_NAMED ? ` and ${fresh.length - MAX_NAMED} more` : '';
    this.#logger.warn(
      `Not listed as tools, because their names look like those of other tools: ${named.join(', ')}${more}. Rename them.`,
    );
  }

  #notify(change: ToolsChange) {
    const complain = (error: unknown) => this.#logger.error('A listener of onToolsChanged failed.', error);
    for (const listener of this.#listeners) guarded(complain, listener)(change);
  }
}

/** The size of a tool in a prompt, in characters. */
function charsOf(name: string, { description, parameters }: ForgedTool) {
  return name.length + description.length + JSON.stringify(parameters).length;
}

/** Whether an error denies the token, so that no tool is visible. */
function isDeniedToken(error: unknown) {
  return error instanceof TGPError && error.code === 'ERR_DENIED';
}

function byPath(one: Offer, other: Offer) {
  return one.path < other.path ? -1 : 1;
}
