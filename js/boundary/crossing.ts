/* Made from the Rust types by a test, `src/binding/crossing.rs`. Do not edit. */

export type AcceptedTest = { path: string, };

export type Access = "read" | "write" | "schema";

export type AgentConfig = { resultChars: number, approvalMs: number, liveTools: number, liveToolChars: number, };

export type Allowed = { allowed: boolean, verdict: Decision, code?: string, reason?: string, rule?: string, at?: string, nearest?: string, };

export type Applied = { line: number, tolerated?: Tolerance, lineOffset?: number, };

export type Ask = "impact" | "history" | "picture";

export type Binding = number | string;

export type Booted = { config: Config, warnings: Array<string>, };

export type Bundled = { manifest: string, code: string | null, };

export type CallVerdict = { verdict?: Verdict, text: string, also: Array<ReachedFiles>, tests: Array<[string, string]>, };

export type Caller = { number?: number, parent?: number, session?: string, agent?: string, id?: string, model?: string, token?: string, approval?: string, dryRun?: boolean, mode?: Mode, };

export type CallerKind = "application" | "agent" | "mcp" | "cli" | "tool" | "kernel";

export type Case = "sensitive" | "insensitive";

export type Catalogue = { tools: Array<ListedTool>, total: number, };

export type Change = { call: number, tool: string, before: Verdict, after: Verdict, };

export type CheckMode = "off" | "warn" | "strict";

export type CheckReport = { valid: boolean, errors: Array<string>, diagnostics: Array<Diagnostic>, types: TypeSources, };

export type CheckpointReport = { note: string, size: number, head: string, };

export type CommitNote = { why?: string, session?: string, model?: string, };

export type Config = { rootDir: string, git: GitConfig, sandbox: SandboxConfig, check: CheckMode, rules: { [key in string]: RuleLevel }, mode: Mode, guardian: GuardianMode, exempt: Array<string>, fs: FsConfig, allowedImports: Array<string>, memory: MemoryMode, reuse: ReuseMode, allowedFetchUrls: Array<string>, network: NetworkConfig, agent: AgentConfig, secrets: { [key in string]: SecretConfig }, ledger: LedgerConfig, tokens: TokensConfig, };

export type ConfinementReport = { isolation: IsolationMode, warning?: string, noNewPrivileges: Hold, capabilities: Hold, landlock: Hold, seccomp: Hold, resourceLimits: Hold, engine: EngineReport, };

export type ContentHash = string;

export type Contradiction = { filePath: string, ledger: 'exists' | 'absent', git: 'exists' | 'absent', commit?: string, message: string, };

export type DatabaseOptions = { file: string, busyTimeoutMs: number, shared?: SharedFile, };

export type DeciderAnswer = { verdict: Decision, by?: string, reason?: string, rule?: string, };

export type Decision = "allow" | "ask" | "deny";

export type Diagnostic = { rule: string, standard?: number, severity: Severity, message: string, line: number, column: number, endLine: number, endColumn: number, help?: string, fix?: Fix, };

export type Dialect = "sqlite" | "postgres" | "mysql" | "any";

export type Diffed = { applied: Array<Applied>, path: string, persisted: Persisted, commit?: string, findings?: Array<string>, notice?: string, pullRequest?: PullRequestLink, problem?: string, similar?: Array<SimilarTool>, };

export type Effect = "read" | "write" | "run" | "sql" | "net" | "app" | "shell";

export type EmbedReply = { dimension: number, numbers: string, };

export type EngineReport = { version: string, pointerCompression: boolean, sandbox: Hold, };

export type EventJson = any;

export type ExecOptions = { timeoutMs?: number, wallMs?: number, memoryMb?: number, seed?: number, now?: number, caseMs?: number, coverage?: boolean, caller?: Caller, trace?: boolean, below?: boolean, validate?: boolean, };

export type ExecValue = { result: any, logs: Array<LogLine>, stats: RunStats, trace?: TraceReport, preview?: PreviewReport, };

export type ExportPage = { lines: Array<string>, next: number | null, };

export type FileChangeCall = { "tool": "write_file", path: string, content: string, } | { "tool": "patch_file", path: string, search: string, replace: string, } | { "tool": "apply_diff", path: string, diff: string, } | { "tool": "revert_file", path: string, commit: string, } | { "tool": "delete_file", path: string, } | { "tool": "move_file", from: string, to: string, } | { "tool": "fix_tool", path: string, };

export type FileDiff = { path: string, diff: string, };

export type FilePreview = { diffs: Array<FileDiff>, result: any, };

export type Fix = { line: number, column: number, endLine: number, endColumn: number, text: string, };

export type FixReport = { applied: number, written?: Written, };

export type FoundTool = { path: string, name: string, description: string, score: number, parameters: Record<string, unknown>, };

export type FsConfig = { allowedDirs: Array<string>, blockUpwardTraversal: boolean, fileBytes: number, rootBytes: number, rootFiles: number, };

export type GitConfig = { provider: GitProvider, repo?: string, branch: string, apiBaseUrl?: string, auth: GitIdentity, writeStrategy: GitWriteStrategy, fetchBytes: number, timeoutMs: number, };

export type GitIdentity = { token?: Secret, user: string, email: string, };

export type GitProvider = "local" | "github" | "gitlab" | "bitbucket";

export type GitWriteStrategy = "direct" | "pr";

export type GraphAnswer = { results: Record<string, unknown>[], } | GraphImpact | { history: Array<GraphHistoryEntry>, } | { picture: string, more: number, };

export type GraphDependent = { path: string, distance: number, };

export type GraphHistoryEntry = { commit: string, time: number, author: string, subject: string, status: string, path: string, from?: string, similarity?: number, };

export type GraphImpact = { path: string, exists: boolean, importers: Array<GraphDependent>, callers: Array<GraphDependent>, tests: Array<string>, runs: Array<GraphRun>, truncated: boolean, };

export type GraphQuestion = { query?: string, params?: Record<string, unknown>, ask?: Ask, path?: string, format?: PictureFormat, commit?: string, root?: string, };

export type GraphRun = { id: string, path: string, ok: boolean | null, code: string | null, ms: number | null, time: number, };

export type GuardianMode = "off" | "warn" | "halt";

export type GuardianReport = { ok: boolean, contradictions: Array<Contradiction>, violations: Array<Violation>, halts: Array<string>, };

export type HeldCall = { name: string, args: any[], };

export type HeldRequest = { method: string, url: string, };

export type HistoryEntry = { commit: string, message: string, author: string, time: number, why?: string, session?: string, model?: string, };

export type Hold = "active" | "partial" | "missing";

export type Incoming = { changed: Array<string>, warnings: Array<string>, };

export type IngestReport = { root: string, commit: string, commitsAdded: number, files: number, };

export type IsolationMode = "process" | "thread";

export type IssuedToken = { token: string, id: string, };

export type LedgerConfig = { on: boolean, fsync: boolean, postgres?: Secret, key?: Secret, checkpointEvents: number, retainDays: number, blobBytes: number, spoolBytes: number, retainEvents?: number, };

export type LedgerQuery = { limit?: number, session?: string, path?: string, tool?: string, type?: string, since: number, until: number, call?: string, after: number, };

export type LineCounts = { covered: number, total: number, };

export type LineCoverage = { lines: LineCounts, uncovered: Array<number>, };

export type ListedPage = { version: number, tools: Array<ListedTool>, };

export type ListedSince = { version: number, usesVersion: number, isDifference: boolean, tools: Array<ListedTool>, removed: Array<string>, uses?: Array<[string, number]>, };

export type ListedTool = { path: string, name: string, description: string, parameters: Record<string, unknown>, tags: Array<string>, imports: Array<string>, kind: ToolKind, hash: ContentHash, uses: number, };

export type LogLevel = "debug" | "info" | "log" | "warn" | "error";

export type LogLine = { level: LogLevel, message: string, };

export type MemoryMode = "auto" | "off";

export type MemoryReport = { by: 'meaning' | 'words', texts: number, waiting: number, problem?: string, };

export type Mode = "explore" | "strict" | "debug";

export type Moved = { relinked?: Array<string>, mentions?: Array<string>, path: string, persisted: Persisted, commit?: string, findings?: Array<string>, notice?: string, pullRequest?: PullRequestLink, problem?: string, similar?: Array<SimilarTool>, };

export type NetworkConfig = { proxy?: Secret, noProxy: Array<string>, ca?: string, forTools: boolean, };

export type OfferedTool = { path: string, hash: ContentHash, };

export type OfferedTools = { tools: Array<OfferedTool>, total?: number, };

export type ParameterShape = { "positional": number } | { "named": Array<string> };

export type Patched = { path: string, persisted: Persisted, commit?: string, findings?: Array<string>, notice?: string, pullRequest?: PullRequestLink, problem?: string, similar?: Array<SimilarTool>, matches: number, line: number, };

export type Persisted = boolean | 'local';

export type Phase = { name: string, start: number, end: number, };

export type PictureFormat = "mermaid" | "dot" | "svg";

export type PolicyReport = { version: string, rules: number, inForce: string, approved: string, };

export type PreviewReport = { diffs: Array<FileDiff>, requests: Array<HeldRequest>, calls: Array<HeldCall>, leftOut?: number, };

export type ProgramLauncher = { executable: string, library: string, };

export type PruneReport = { events: number, first: number, };

export type PullRequestLink = { number: number, url: string, };

export type QueryLimits = { maxRows: number, maxBytes: number, timeoutMs: number, };

export type Reach = { tables: Array<string> | null, planned: boolean, names: Array<string>, calls: Array<string>, written: Array<string>, };

export type ReachedFiles = { effect: Effect, paths: Array<string>, };

export type Reconciled = { ok: boolean, };

export type RemoteAnswer = { branches: number, hasBranch: boolean, };

export type Removed = { mentions?: Array<string>, path: string, persisted: Persisted, commit?: string, findings?: Array<string>, notice?: string, pullRequest?: PullRequestLink, problem?: string, similar?: Array<SimilarTool>, };

export type Replay = { judged: number, stricter: number, milder: number, changes: Array<Change>, };

export type Returns = "rows" | "count";

export type ReuseDay = { day: string, forged: number, reused: number, duplicate: number, refused: number, };

export type ReuseMode = "off" | "warn" | "strict";

export type ReuseTally = { forged: number, reused: number, duplicate: number, refused: number, };

export type ReviewDecision = { "type": "approve", justification: string, } | { "type": "deny", reason: string, };

export type RuleLevel = "off" | "advice" | "warning" | "error";

export type RuleList = { tables: Array<string> | null, verbs: Array<SqlVerb> | null, };

export type RunStats = { cpuMs: number, packageLoadMs: number, wallMs: number, queueMs: number, heapPeakBytes: number, hostCalls: number, };

export type SandboxConfig = { isolation: IsolationMode, seed: number | null, now: number | null, memoryMb: number, timeoutMs: number, packageLoadMs: number, wallMs: number, workers: number, waiting: number, warm: number, idleMs: number, resultBytes: number, argsBytes: number, logBytes: number, hostCalls: number, totalHostCalls: number, answerBytes: number, queue: number, queueMs: number, scratchBytes: number, scratchFiles: number, writeBytes: number, writeFiles: number, callDepth: number, nestedRuns: number, nestedTimeoutMs: number, pendingBytes: number, fetchBytes: number, fetchTimeoutMs: number, };

export type SearchMatch = { path: string, line: number, column: number, text: string, };

export type SearchQuery = { pattern: string, glob?: string, case?: Case, limit?: number, };

export type SearchReport = { matches: Array<SearchMatch>, truncated: boolean, files: number, notice?: string, };

export type Secret = string;

export type SecretConfig = { value: Secret, hosts: Array<string>, functions: Array<string>, };

export type SelfInquiry = { findings: Array<string>, };

export type SentRequest = { id: string, tool: string, effect: Effect, path?: string, args?: any, hiddenBytes?: number, text?: string, call: string, parent?: string, session?: string, agent: string, also?: Array<ReachedFiles>, always?: any, waitsMs: number, rules: string, };

export type Severity = "error" | "warning" | "advice";

export type SharedFile = { readOnly: boolean, foreignKeys: boolean, synchronous: number, };

export type SimilarTool = { path: string, score: number, };

export type SkippedCase = { name: string, why: Why, };

export type SourceText = { path: string, text: string, };

export type SqlOptions = { readOnly: boolean, dryRun: boolean, ddl: boolean, allow: RuleList, deny: RuleList, maxRows: number, maxBytes: number, resultChars: number, statementTimeoutMs: number, };

export type SqlVerb = "select" | "insert" | "update" | "delete" | "replace" | "merge" | "truncate" | "create" | "alter" | "drop" | "show" | "maintain";

export type Statement = { access: Access, verbs: Array<SqlVerb>, returns: Returns, enforceReadOnly: boolean, detail: 'nothing' | 'verbs' | 'tables', sql: string, bindings: Array<Binding>, reach?: Reach, };

export type Stats = { total: ReuseTally, days: Array<ReuseDay>, memory: MemoryReport, };

export type TestCase = { name: string, ok: boolean, line?: number, at?: string, message?: string, diff?: string, hollow: true, };

export type TestFileReport = { path: string, ok: boolean, passed: number, failed: number, cases: Array<TestCase>, skipped: Array<SkippedCase>, reason?: TestReason, tests: Array<TestedText>, tool?: TestedText, coverage?: LineCoverage, state?: ToolState, };

export type TestReason = { kind: string, message: string, file?: string, line?: number, column?: number, };

export type TestedText = { path: string, sha256: string, };

export type TokensConfig = { keys: Array<Secret>, revoked: Array<string>, };

export type Tolerance = "trailing-space" | "whitespace";

export type ToolChanges = { isDifference: boolean, paths: Array<string>, hashes: Array<ContentHash>, removed: Array<string>, leftOut: Array<string>, };

export type ToolKind = "tool" | "module";

export type ToolState = { phase: 'no_test' | 'red' | 'green' | 'changed', reason: string, };

export type ToolsSince = { version: number, rules: string, changes?: ToolChanges, };

export type TraceReport = { call: string, after: number, phases: Array<Phase>, calls: Array<TracedCall>, leftOut?: number, };

export type TracedCall = { call: string, parent?: string, tool: string, effect: string, start: number, end: number, code?: string, path?: string, };

export type TypeSources = { files: Array<SourceText>, packages: Array<string>, severity?: Severity, ignoredLines: Array<number>, refused?: string, };

export type TypesFinding = { severity: Severity, message: string, line: number, column: number, endLine: number, endColumn: number, };

export type TypesReply = { diagnostics: Array<TypesFinding>, } | { notice: string, };

export type Uncommitted = { path: string, state: UncommittedState, };

export type UncommittedState = "new" | "changed" | "missing";

export type Verdict = { verdict: Decision, rule: string, at: string, reason: string, nearest?: string, };

export type VerifyProblem = { kind: 'changed' | 'missing' | 'order' | 'truncated' | 'signature', seq: number, message: string, cause?: 'removed' | 'unknown', };

export type VerifyReport = { ok: boolean, first: number, events: number, head: string, problem?: VerifyProblem, note?: string, };

export type Violation = { invariant: string, expected: 'rows' | 'no rows', actual: 'rows found' | 'no rows found', at: string, message: string, };

export type Why = "skip" | "todo";

export type Written = { path: string, persisted: Persisted, commit?: string, findings?: Array<string>, notice?: string, pullRequest?: PullRequestLink, problem?: string, similar?: Array<SimilarTool>, };

export interface KernelAnswers {
  boot: Booted
  writeFile: Written
  patchFile: Patched
  sync: Incoming
  hydrate: Incoming
  persist: Written
  acceptTest: AcceptedTest
  fileDiff: string
  uncommitted: Array<Uncommitted>
  revertFile: Written
  applyDiff: Diffed
  deleteFile: Removed
  moveFile: Moved
  findTool: Array<FoundTool>
  readTexts: MemoryReport
  memoryReport: MemoryReport
  stats: Stats
  listTools: Array<ListedTool>
  listToolsNow: ListedSince
  listToolsPage: ListedPage
  listToolsSince: ToolsSince
  offeredTools: OfferedTools
  toolsAt: Array<ListedTool>
  fitArguments: null
  catalogue: Catalogue
  hydrateRegistry: null
  registerTool: ListedTool
  syncRegistry: Written
  checkTool: CheckReport
  confinement: ConfinementReport
  fixTool: FixReport
  previewChange: FilePreview
  enter: null
  ledgerTail: Array<EventJson>
  ledgerTree: Array<EventJson>
  ledgerBlob: string
  leave: null
  ledgerAppend: null
  ledgerWaitForSpools: null
  ledgerVerify: VerifyReport
  ledgerSignBase: null
  ledgerPrune: PruneReport
  ledgerCheckpoint: CheckpointReport
  ledgerExport: ExportPage
  ledgerChronicle: Array<EventJson>
  ingestGraph: IngestReport
  judge: CallVerdict
  guardianCheck: GuardianReport
  guardianAssert: null
  guardianReconcile: Reconciled
  guardianReview: ReviewDecision
  guardianSelfInquiry: SelfInquiry
  allowed: Allowed
  answerApproval: Verdict | null
  replacePolicy: PolicyReport
  checkPolicy: PolicyReport
  shownTools: Array<boolean>
  sqlDetail: string
  openTables: Array<boolean>
  explainPolicy: Verdict
  replayPolicy: Replay
  issueToken: IssuedToken
  revokeToken: null
  exec: ExecValue
  testFiles: Array<string>
  shutdown: null
}

export interface KernelReads {
  list_files: Array<string>
  read_file: string
  search_files: SearchReport
  file_history: Array<HistoryEntry>
  query_graph: GraphAnswer
}

export interface VfsAnswers {
  read: string
  write: null
  remove: null
  exists: boolean
  list: Array<string>
}

export interface SqlRulesAnswers {
  options: SqlOptions
  classify: Statement
  allowsTable: boolean
  deniesTable: boolean
}

export interface DatabaseAnswers {
  connect: number
  begin: null
  savepoint: null
  commit: null
  rollback: null
}

export interface ModuleAnswers {
  askRemote: RemoteAnswer | null
  verifyExport: VerifyReport
  narrowedToken: string
  programLauncher: ProgramLauncher
  unifiedDiff: string
}
