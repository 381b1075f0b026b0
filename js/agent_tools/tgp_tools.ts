/** Implements the kernel tools of an agent over a kernel. */

import type { Caller } from '../boundary/caller.js';
import type { GraphAnswer, KernelReads } from '../boundary/crossing.js';
import { ValidationError } from '../boundary/errors.js';
import { KERNEL_TOOL_FACTS } from '../boundary/kernel_tool_facts.js';
import { parseArguments } from '../boundary/validation.js';
import { ARGUMENTS_OF, ON_BEHALF, RESULTS } from '../kernel/access_symbols.js';
import type { agentFiles } from '../kernel/agent_access.js';
import { reply } from '../kernel/graph/kernel_graph.js';
import type { TGP } from '../kernel/tgp.js';
import type { CallMode } from '../tool_shape/agent_tool.js';
import { report } from '../tool_shape/agent_tool.js';
import { AGENT_TOOLS, type ToolName } from '../tool_shape/agent_tool_table.js';
import { boundedTools } from '../tool_shape/bounded_result.js';
import { listPage, textPage } from '../tool_shape/pages.js';
import { ownedTools } from '../tool_shape/tool_owner.js';
import type { QueryGraphResult, TGPTools, TGPToolsOptions } from '../types/tools.js';
import { agentOwner, guardedTools } from './agent_owner.js';
import { type Implementations, implementedTools } from './checked_tool.js';
import { policyCalls } from './policy_calls.js';
import {
  fewer,
  findingsPage,
  graphPage,
  matchesPage,
  patchReport,
  pathsPage,
  testPage,
  withPlace,
} from './tool_answers.js';
import { TgpToolsOptionsSchema } from './tools_options.js';

/** Reads whose result is the kernel's answer as it is. The others need an implementation. */
type PlainRead = {
  [Name in keyof TGPTools & keyof KernelReads]: KernelReads[Name] extends (typeof AGENT_TOOLS)[Name]['result']
    ? Name
    : never;
}[keyof TGPTools & keyof KernelReads];

type TGPImplementations = Implementations<Exclude<keyof TGPTools, PlainRead>> & Partial<Implementations<PlainRead>>;

/** Checks that the argument is a kernel. */
function checkedKernel(kernel: TGP): TGP {
  try {
    if (kernel[ON_BEHALF] !== undefined) return kernel;
  } catch {
    // A getter or proxy threw: not a kernel.
  }
  throw new ValidationError('tgpTools(kernel): "kernel" must be a TGP. Create one with new TGP().', {
    details: { field: 'kernel' },
  });
}

/**
 * The kernel's tools, ready for an agent.
 *
 * @example
 * await generateText({ model, tools: tgpTools(kernel), system: kernel.getSystemPrompt(), stopWhen: stepCountIs(20), prompt });
 */
export function tgpTools(kernel: TGP, options: TGPToolsOptions = {}): TGPTools {
  const parsed = parseArguments(TgpToolsOptionsSchema, options, 'tgpTools options');
  const { agent: id, approval, dryRun = false, ...context } = parsed;
  const caller: Caller = { agent: 'agent', ...(id !== undefined && { id }), ...context };
  return toolsFor(kernel, caller, { approval, mode: dryRun ? 'dry' : 'real' });
}

/**
 * The kernel tools for a given caller.
 * @param options `approval`: the AI SDK approves
 * calls; `mode`: whether every call is a dry run
 * @internal
 */
export function toolsFor(
  kernel: TGP,
  caller: Caller,
  { approval, mode = 'real' }: { approval?: 'sdk'; mode?: CallMode } = {},
): TGPTools {
  const own = checkedKernel(kernel);
  const isAlways = mode === 'dry';
  const owner = { ...agentOwner(own, caller, approval), isDry: isAlways };
  const access = own[ON_BEHALF](owner.caller);
  const { files } = access;
  const { session, model } = owner.caller;
  const context = { session, model };
  const note = (why: string | undefined) => ({ ...context, why });
  const implementations: TGPImplementations = {
    list_files: {
      run: async ({ dir, glob, limit, after }, signal) =>
        pathsPage(await files.read('list_files', { dir, glob }, signal), { limit, after }),
    },
    read_file: {
      run: async ({ path, ...range }, signal) => textPage(await files.read('read_file', { path }, signal), range),
    },
    write_file: {
      run: ({ path, content, why }, signal) => changed(files.write(path, content, note(why), signal)),
      preview: ({ path, content }, signal) => files.preview({ tool: 'write_file', path, content }, signal),
    },
    patch_file: {
      run: ({ path, search, replace, why }, signal) =>
        changed(files.patch(path, search, replace, note(why), signal).then(patchReport)),
      preview: ({ path, search, replace }, signal) =>
        files.preview({ tool: 'patch_file', path, search, replace }, signal),
    },
    apply_diff: {
      run: ({ path, diff, start_line, end_line, why }, signal) =>
        changed(files.diff(path, withPlace(diff, start_line, end_line), note(why), signal)),
      preview: ({ path, diff, start_line, end_line }, signal) =>
        files.preview({ tool: 'apply_diff', path, diff: withPlace(diff, start_line, end_line) }, signal),
    },
    delete_file: {
      run: ({ path, why }, signal) => changed(files.remove(path, note(why), signal)),
      preview: ({ path }, signal) => files.preview({ tool: 'delete_file', path }, signal),
    },
    move_file: {
      run: ({ from, to, why }, signal) => changed(files.move(from, to, note(why), signal)),
      preview: ({ from, to }, signal) => files.preview({ tool: 'move_file', from, to }, signal),
    },
    revert_file: {
      run: ({ path, commit, why }, signal) => changed(files.revert(path, commit, note(why), signal)),
      preview: ({ path, commit }, signal) => files.preview({ tool: 'revert_file', path, commit }, signal),
    },
    search_files: { run: async (query, signal) => matchesPage(await files.read('search_files', query, signal)) },
    find_tool: {
      run: async ({ query, limit }, signal) =>
        listPage(await access.find(query, limit, signal), fewer('Ask with a narrower query or a smaller limit.')),
    },
    file_history: {
      run: async ({ path, limit }, signal) =>
        listPage(await files.history(path, limit, signal), fewer('Ask with a smaller limit.')),
    },
    query_graph: {
      run: async (question, signal) => graphPage(graphResult(await files.read('query_graph', question, signal))),
    },
    check_tool: { run: async ({ path }, signal) => findingsPage(await access.check(path, signal)) },
    test_tool: {
      run: async ({ path }, signal) => testPage(await access.test(path, signal)),
      // Tests change nothing. As a dry run they need no approval.
      preview: async ({ path }, signal) => testPage(await access.test(path, signal, 'dry')),
    },
    exec_tool: {
      run: ({ path, args }, signal) => report(access.exec(path, args, { signal })),
      preview: ({ path, args }, signal) => report(access.exec(path, args, { signal, dryRun: true })),
    },
    run_code: {
      run: ({ code, args }, signal) => report(access.run(code, args, { signal })),
      preview: ({ code, args }, signal) => report(access.run(code, args, { signal, dryRun: true })),
    },
  };
  const tools = implementedTools(isAlways, { ...plainReads(files), ...implementations });
  const descriptions = policyCalls((path, args) => own[ARGUMENTS_OF](path, args));
  const guarded = guardedTools(tools, owner, descriptions);
  return ownedTools(boundedTools(guarded, own[RESULTS]), owner) as TGPTools;
}

/** Every read, with the kernel's answer as its result. */
function plainReads({ read }: ReturnType<typeof agentFiles>): Partial<Implementations<ToolName>> {
  const isPlain = (name: ToolName) => KERNEL_TOOL_FACTS[name].effect === 'read' && !('database' in AGENT_TOOLS[name]);
  const names = (Object.keys(AGENT_TOOLS) as ToolName[]).filter(isPlain) as PlainRead[];
  const entries = names.map((name) => [
    name,
    { run: (args: Record<string, unknown>, signal: AbortSignal | undefined) => read(name, args, signal) },
  ]);
  return Object.fromEntries(entries);
}

/** The public form of an answer of the graph. */
function graphResult(answer: GraphAnswer): QueryGraphResult {
  if ('history' in answer) return { history: reply('history', answer) };
  return 'results' in answer ? answer : reply('impact', answer);
}

/** The result of a file change. */
async function changed(change: Promise<object>) {
  return { success: true as const, ...(await change) };
}
