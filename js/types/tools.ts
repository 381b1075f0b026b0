import type { z } from 'zod';
import type { TGPError } from '../boundary/errors.js';
import type { TGP } from '../kernel/tgp.js';
import type { AGENT_TOOLS, ToolName } from '../tool_shape/agent_tool_table.js';
import type {
  ApplyDiffParams,
  CheckToolParams,
  DeleteFileParams,
  ExecToolParams,
  FileHistoryParams,
  FindToolParams,
  ListFilesParams,
  MoveFileParams,
  PatchFileParams,
  QueryGraphParams,
  ReadFileParams,
  RevertFileParams,
  RunCodeParams,
  SearchFilesParams,
  TestToolParams,
  WriteFileParams,
} from '../tool_shape/tool_parameters.js';
import type { DryRunOption, DryRunResult } from './dry_run.js';
import type { TGPErrorCode } from './errors.js';
import type { GraphChange, GraphImpact } from './graph.js';
import type { Approve } from './policy.js';
import type { LogEntry, RunStats } from './runs.js';
import type { Mode, TestResult } from './tests.js';

/** The part of the AI SDK's call options that the tools use. */
export type ToolCallOptions = {
  abortSignal?: AbortSignal;
  /** The AI SDK's id of the call. */
  toolCallId?: string;
  /** Maximum characters of the result. Default: `agent.resultChars` of the configuration. */
  maxChars?: number;
};

/** A tool with a dry run. */
export type PreviewedTool<Args = any, Result = any> = Omit<AgentTool<Args, Result>, 'execute'> & {
  execute: {
    (args: Args, options: ToolCallOptions & DryRunOption): Promise<DryRunResult>;
    (args: Args, options?: ToolCallOptions): Promise<Result>;
  };
};

/**
 * A tool of an agent. The same object works in Vercel AI SDK 4 to 7. `parameters` and `inputSchema` are one schema: a
 * plain JSON Schema that the SDKs also recognise as one of their own, and has the `parse` and `safeParse` of zod.
 */
export type AgentTool<Args = any, Result = any> = {
  description: string;
  parameters: any;
  inputSchema: any;
  /** Checks the arguments, then runs. Fails by rejecting with a {@link TGPError}, never by throwing at once. */
  execute: (args: Args, options?: ToolCallOptions) => Promise<Result>;
  /** Whether the AI SDK must have a call approved before it makes it. Only with `approval: 'sdk'`. */
  needsApproval?: (args: any, options: { toolCallId: string; messages: any[] }) => Promise<boolean>;
};

/** Tools of an agent by name. */
export type ToolSet = Record<string, AgentTool>;

/** A tool that an agent has forged. It reports as `exec_tool` does, and refuses arguments that do not fit its schema. */
export type ForgedTool = PreviewedTool<any, ExecToolResult>;

/** Forged tools by the name that a model calls: at most 64 of `a-z A-Z 0-9 _ -`, no two alike, none of the kernel's own. */
export type ForgedTools = Record<string, ForgedTool>;

/** Which of the forged tools {@link TGP.tools} returns. */
export type ToolsOptions = {
  /** Only tools that fit this description of a job, at most `limit` or 5. */
  query?: string;
  /** Maximum number of tools to return; without `query` those that were run most often. Default: as many as `agent.liveTools` and `agent.liveToolChars` allow. */
  limit?: number;
};

/** The tools of a kernel, as {@link TGP.tools}. */
export type KernelTools = {
  /**
   * The tools that can be run, each as a tool that a model calls by its own name and with its own schema: `reports_downgrade` for
   * `tools/reports/downgrade.ts`. Providers take some 128 tools at most, and each costs tokens in every step: of more than
   * `agent.liveTools` only the most recently written or most often run ones are included, which is logged once. `find_tool` and
   * `exec_tool` reach the others; `query` and `limit` select.
   *
   * The names are a snapshot; the code behind each is always current. Call it again for every conversation, or use
   * {@link TGP.liveTools}, which also includes tools that are forged later.
   * @example
   * const tools = { ...tgpTools(kernel), ...(await kernel.tools()) };
   */
  (options?: ToolsOptions): Promise<ForgedTools>;
  /**
   * Writes a tool or data file as `write_file` does for agents: under the policy, checked, committed and recorded.
   * @example
   * const { persisted, findings } = await kernel.tools.write('tools/reports/downgrade.ts', source);
   */
  write(path: string, text: string, note?: CommitNote): Promise<WriteFileResult>;
};

/** Changes of the tools that can be run. `name` is the one of {@link TGP.tools}. */
export type ToolsChange = {
  added: { name: string; path: string }[];
  changed: { name: string; path: string }[];
  removed: { name: string; path: string }[];
};

/** Arguments of `list_files`. */
export type ListFilesArgs = z.input<typeof ListFilesParams>;
/** Arguments of `read_file`. */
export type ReadFileArgs = z.input<typeof ReadFileParams>;
/** Arguments of `write_file`. */
export type WriteFileArgs = z.input<typeof WriteFileParams>;
/** Arguments of `patch_file`. */
export type PatchFileArgs = z.input<typeof PatchFileParams>;
/** Arguments of `apply_diff`. */
export type ApplyDiffArgs = z.input<typeof ApplyDiffParams>;
/** Arguments of `delete_file`. */
export type DeleteFileArgs = z.input<typeof DeleteFileParams>;
/** Arguments of `move_file`. */
export type MoveFileArgs = z.input<typeof MoveFileParams>;
/** Arguments of `revert_file`. */
export type RevertFileArgs = z.input<typeof RevertFileParams>;
/** Arguments of `run_code`. */
export type RunCodeArgs = z.input<typeof RunCodeParams>;
/** Arguments of `search_files`. */
export type SearchFilesArgs = z.input<typeof SearchFilesParams>;
/** Arguments of `find_tool`. */
export type FindToolArgs = z.input<typeof FindToolParams>;
/** Arguments of `file_history`. */
export type FileHistoryArgs = z.input<typeof FileHistoryParams>;
/** Arguments of `query_graph`. */
export type QueryGraphArgs = z.input<typeof QueryGraphParams>;
/** Arguments of `check_tool`. */
export type CheckToolArgs = z.input<typeof CheckToolParams>;
/** Arguments of `test_tool`. */
export type TestToolArgs = z.input<typeof TestToolParams>;
/** Arguments of `exec_tool`. */
export type ExecToolArgs = z.input<typeof ExecToolParams>;

/** Persistence of a file change. */
export type Persistence = {
  /**
   * `true`: committed, and at the remote if there is one. `'local'`: committed locally and pushed later; `problem` has the reason.
   * `false`: on disk only.
   */
  persisted: boolean | 'local';
  /** The commit that holds it. */
  commit?: string;
  /** The pull request that asks for it, with `writeStrategy: 'pr'`. */
  pullRequest?: { number: number; url: string };
  /** Why it is not committed, or not at the remote yet. */
  problem?: string;
  /** Errors of the check, one line each; {@link TGPTools.check_tool} has details. A file with a secret is not committed. */
  findings?: string[];
};

/**
 * Trailers of a commit message (`TGP-Why`, `TGP-Session`, `TGP-Model`). Each becomes
 * one line without control characters: `why` of at most 200 characters, the others of at most 100.
 */
export type CommitNote = {
  why?: string;
  session?: string;
  model?: string;
};

/** Result of a write: persistence and findings. */
export type WriteResult = Persistence & {
  path: string;
  /** Other tools that do the same job: one of them is probably enough. */
  similar?: { path: string; score: number }[];
  /** With `check: 'strict'`: why the types were not checked. */
  notice?: string;
};

/** Result of a removal, with files that still mention the path. */
export type RemoveResult = WriteResult & {
  /** Files that hold its path as text, such as `tgp.exec_tool('tools/…')`. They are not changed. */
  mentions?: string[];
};

/** Result of `delete_file`. */
export type DeleteFileResult = RemoveResult & { success: true };

/** Result of a move, with updated imports. */
export type MoveResult = WriteResult & {
  /** Files whose imports were changed in the same commit. */
  relinked?: string[];
  /** Files that hold the old path as text, such as `tgp.exec_tool('tools/…')`. They are not changed. */
  mentions?: string[];
};

/** Result of `move_file`. */
export type MoveFileResult = MoveResult & { success: true };

/** Result of `write_file`. A write that fails rejects instead. */
export type WriteFileResult = WriteResult & { success: true };

/** Result of `patch_file`. */
export type PatchFileResult = WriteFileResult & {
  /** Number of occurrences of the text in the file. The first occurrence was replaced. */
  matches: number;
  /** Advice if there were several occurrences. */
  advice?: string;
};

/** One commit of a file's history. */
export type FileHistoryEntry = {
  commit: string;
  message: string;
  author: string;
  /** ISO 8601. */
  date: string;
  /** Reason for the change, if given. */
  why?: string;
  session?: string;
  model?: string;
};

/** Result of `query_graph`: that of the query, of `impact`, or of `history`. */
export type QueryGraphResult = { results: Record<string, unknown>[] } | GraphImpact | { history: GraphChange[] };

/** Options of the history. */
export type HistoryOptions = {
  /** Maximum number of commits to return. Default: 20; from 1 to 1000. */
  limit?: number;
};

/** A file whose state on disk is not committed. */
export type UncommittedFile = {
  path: string;
  /** `new`: the history has none of this path. `missing`: it has one, and the disk does not. */
  state: 'new' | 'changed' | 'missing';
};

/** The repository of a kernel. */
export type KernelGit = {
  /**
   * Pulls remote commits, rebases local commits, and returns the files that changed.
   * @throws {GitError} when the remote cannot be reached
   */
  hydrate(): Promise<{ changed: string[] }>;
  /**
   * Commits files as they are on disk, in one commit, and pushes it. The removal of a missing file is committed. When one of them
   * contains a secret, nothing is committed: `persisted` is `false`, and `findings` has the locations.
   */
  persist(message: string, files: string[]): Promise<Persistence>;
  /**
   * The files whose state on disk is not committed, sorted by path: files that a person wrote with an editor, drafts of a
   * strict check, files with a secret. `persist` commits them. Files ignored by `.gitignore`, and `meta.json`, are omitted.
   */
  uncommitted(): Promise<UncommittedFile[]>;
  /** The commits that changed a file, or all of them, newest first, as many as can be read in ten seconds. */
  log(path?: string, options?: HistoryOptions): Promise<FileHistoryEntry[]>;
  /** A unified diff of a file, or of everything. Default: what the current commit changed. */
  diff(path?: string, options?: { from?: string; to?: string }): Promise<string>;
  /** Restores a file to `commit`, as a new commit. */
  revert(path: string, commit: string, note?: CommitNote): Promise<WriteResult>;
  /**
   * Removes a file, as a commit.
   * @throws a `ValidationError` when other tools import it; `details.importers` lists them
   */
  remove(path: string, note?: CommitNote): Promise<RemoveResult>;
  /** Moves a file and updates imports of it and in it, as one commit. */
  move(from: string, to: string, note?: CommitNote): Promise<MoveResult>;
};

/** Result of `apply_diff`. */
export type ApplyDiffResult = WriteFileResult & {
  /** Each change of the diff, in its order. */
  applied: {
    /** Where it was made, counted from 1 in the file as it was. */
    line: number;
    /** Tolerated difference, if the text did not match exactly. */
    tolerated?: 'trailing-space' | 'whitespace';
    /** How far the diff's own line number was off. */
    lineOffset?: number;
  }[];
};

/** Result of `search_files`. */
export type SearchFilesResult = {
  /** In the order of the paths. Lines and columns count from 1; long lines are cut. */
  matches: { path: string; line: number; column: number; text: string }[];
  /** Whether there are more matches than were returned, or files that were not searched. */
  truncated: boolean;
  /** Set if the search timed out before the last file. */
  notice?: string;
  /** Number of searched text files: all that `list_files` returns. Nothing of `.git` is read, and `.gitignore` hides nothing. */
  files: number;
};

/** Result of `exec_tool`: a failed run is returned, not thrown. */
export type ExecToolResult =
  | {
      success: true;
      /** What is missing, and the files under the root that hold it, when this is only a part. */
      notice?: string;
      result: any;
      logs: LogEntry[];
      stats: RunStats;
    }
  | {
      success: false;
      notice?: string;
      error: string;
      code: TGPErrorCode;
      logs: LogEntry[];
      stack?: string;
      line?: number;
      column?: number;
    };

/** Result of `test_tool`. In a long list of cases failed ones come first. */
export type TestToolResult = Omit<TestResult, 'files'> & {
  /** What is omitted. */
  notice?: string;
};

/** The tools that need no database. */
type KernelToolName = {
  [Name in ToolName]: (typeof AGENT_TOOLS)[Name] extends { database: true } ? never : Name;
}[ToolName];

/** A tool that only reads has no dry run. */
type KernelTool<Args, Result, OnlyReads> = OnlyReads extends true
  ? AgentTool<Args, Result>
  : PreviewedTool<Args, Result>;

/**
 * The tools that {@link tgpTools} returns, each with its arguments and its result; docs/agent_tools.md lists them. No result is
 * longer than `agent.resultChars`: a longer text ends with a line, and a longer list with an entry, that describes how to get the
 * rest.
 */
export type TGPTools = {
  [Name in KernelToolName]: KernelTool<
    z.input<(typeof AGENT_TOOLS)[Name]['parameters']>,
    (typeof AGENT_TOOLS)[Name]['result'],
    (typeof AGENT_TOOLS)[Name]['hints']['readOnlyHint']
  >;
};

/** Options of {@link tgpTools}: identity of the caller, recorded in commits and the ledger, and approval. */
export type TGPToolsOptions = {
  /** Id of the conversation. */
  session?: string;
  /** The model. */
  model?: string;
  /** The agent's name, for the ledger and for rules (`principal`). */
  agent?: string;
  /** A capability token that limits what the tools can do. */
  token?: string;
  /** The approver of calls of these tools, instead of the kernel's own `approve`. */
  approve?: Approve;
  /**
   * `sdk`: calls that need approval are approved through the AI SDK (6 and later, `needsApproval`). Requests during a run go to
   * `approve`, because a run cannot wait for the conversation.
   */
  approval?: 'sdk';
  /** Test mode of this agent. Default: the configuration's. */
  mode?: Mode;
  /** Whether tools that change something only make dry runs, which return a {@link DryRunResult}. Default: `false`. */
  dryRun?: boolean;
};
