/** A commit and a repository that a question is about. */
export type GraphScope = {
  /** A full or short hash. The answer is as of this commit. Default: the current commit of the work tree. */
  commit?: string;
  /**
   * The folder of a repository that was ingested. Default: the root of the kernel, or the ingested repository that has the commit.
   */
  root?: string;
  signal?: AbortSignal;
};

/** What {@link KernelGraph.ingest} reads. */
export type GraphIngestOptions = {
  /** The folder of a Git repository, absolute or relative to the config file's folder. Default: the root of the kernel. */
  projectPath?: string;
  /** A full or short hash. Default: the current commit. */
  commitHash?: string;
  signal?: AbortSignal;
};

/** What an ingest did. */
export type GraphIngest = {
  /** The property `root` of the files: `.` for the root of the kernel. */
  root: string;
  /** The full hash of the commit. */
  commit: string;
  /** Commits that were not in the graph before. */
  commitsAdded: number;
  /** Files of the commit. */
  files: number;
};

/** A file that depends on another. */
export type GraphDependent = {
  path: string;
  /** 1: directly. */
  distance: number;
};

/** A run of a tool. */
export type GraphRun = {
  /** The id of its call in the ledger. */
  id: string;
  path: string;
  /** `null`: no result is recorded. */
  ok: boolean | null;
  code: string | null;
  ms: number | null;
  /** ISO 8601. */
  date: string;
};

/** What a change of a file affects. */
export type GraphImpact = {
  path: string;
  exists: boolean;
  /** Files that import it, directly or through others; nearest first. */
  importers: GraphDependent[];
  /** Files that call it or one of its importers by `tgp.exec_tool('…')`, directly or through others; nearest first. */
  callers: GraphDependent[];
  /** Tests of it, of its importers and of its callers. */
  tests: string[];
  /** The newest runs of these tools, newest first. Empty without a ledger. */
  runs: GraphRun[];
  /** Whether a list has more entries. */
  truncated: boolean;
};

/** A commit that changed a file. */
export type GraphChange = {
  commit: string;
  /** ISO 8601. */
  date: string;
  author: string;
  /** The first paragraph of the message. */
  subject: string;
  status: 'added' | 'modified' | 'deleted' | 'renamed';
  /** The path in that commit. */
  path: string;
  /** The path before a rename. */
  from?: string;
  /** Percentage of the text that a rename kept. */
  similarity?: number;
};

/** A picture of the graph. */
export type GraphPictureOptions = GraphScope & {
  /** Default: `mermaid`. */
  format?: 'mermaid' | 'dot' | 'svg';
  /** Only this file, what it depends on and what depends on it. Default: all tools. */
  path?: string;
};

/** How tools, files, commits, sessions and runs are related. See docs/graph.md. */
export type KernelGraph = {
  /**
   * Runs a read-only Cypher query. A query that returns one node or relationship per row yields its properties; every other one
   * yields records by column name.
   * @example
   * const { results } = await kernel.graph.query('MATCH (f:File)-[:IMPORTS]->(:File {path: $path}) RETURN f', { path: 'tools/a.ts' });
   * @throws {ValidationError} for a query that is not valid, writes, or misses a parameter; `details` has line and column
   * @throws a {@link TGPError} with `ERR_LIMIT` for a query that takes too long or returns too much, `ERR_NOT_FOUND` for an unknown
   * commit, `ERR_LEDGER` for sessions and runs without a ledger
   */
  query(
    cypher: string,
    params?: Record<string, unknown>,
    options?: GraphScope,
  ): Promise<{ results: Record<string, unknown>[] }>;
  /** Adds what is missing of a repository's history. Its configuration, hooks and filters are not used. */
  ingest(options?: GraphIngestOptions): Promise<GraphIngest>;
  /** What depends on a file, which tests cover it, and its recent runs: what a change or a removal can break. */
  impact(path: string, options?: GraphScope): Promise<GraphImpact>;
  /** The commits that changed a file, newest first, through renames. */
  history(path: string, options?: GraphScope): Promise<GraphChange[]>;
  /** A picture of the links between files as text: Mermaid, DOT or SVG. */
  picture(options?: GraphPictureOptions): Promise<string>;
};
