/** Made by scripts/limits.mjs from the tables in src/kernel/config. */

export const LIMITS = {
  sandbox: {
    memoryMb: { default: 64, least: 8, most: 4096, about: "V8 heap and ArrayBuffers of one run together, in MB." },
    timeoutMs: { default: 50, least: 1, most: 3600000, about: "CPU time of one run; waiting and loading packages do not count." },
    packageLoadMs: { default: 2000, least: 1, most: 3600000, about: "CPU time in which one run may load packages; all the runs that it starts have as much again, together." },
    wallMs: { default: 30000, least: 1, most: 3600000, about: "Time from start to result of one run." },
    workers: { default: 4, least: 1, most: 64, about: "How many runs may go on at once." },
    waiting: { default: 16, least: 0, most: 256, about: "Runs that may wait for an answer or a timer without counting among `workers`; each has a worker of its own." },
    warm: { default: 1, least: 0, most: 64, about: "How many workers are kept ready while the kernel is in use." },
    idleMs: { default: 60000, least: 10, most: 86400000, about: "How long a worker may be idle until it ends; those of \"warm\" end after ten times as long without a run." },
    resultBytes: { default: 8388608, least: 64, most: 67108864, about: "Largest result, as JSON text." },
    argsBytes: { default: 4194304, least: 64, most: 67108864, about: "Largest arguments, as JSON text." },
    logBytes: { default: 262144, least: 1, most: 67108864, about: "Captured log text of one run; the rest is cut off and marked." },
    hostCalls: { default: 64, least: 1, most: 10000, about: "Host calls of one run that may wait for an answer at one time." },
    totalHostCalls: { default: 10000, least: 1, most: 10000000, about: "Host calls that one run may make in all, with all that it starts." },
    answerBytes: { default: 268435456, least: 64, most: 2147483648, about: "Answers to the host calls of one run, with all that it starts, in bytes." },
    queue: { default: 1000, least: 1, most: 100000, about: "Runs that may wait for a worker at one time." },
    queueMs: { default: 120000, least: 1, most: 3600000, about: "How long a run may wait for a worker." },
    scratchBytes: { default: 16777216, least: 0, most: 268435456, about: "What one run may keep under /tmp, in bytes." },
    scratchFiles: { default: 256, least: 0, most: 65536, about: "What one run may keep under /tmp, in files." },
    writeBytes: { default: 67108864, least: 0, most: 2147483648, about: "What one run, with all that it starts, may write into allowed folders, in bytes." },
    writeFiles: { default: 1000, least: 0, most: 1000000, about: "What one run, with all that it starts, may write into allowed folders, in files." },
    callDepth: { default: 8, least: 0, most: 32, about: "How deep tools may run tools." },
    nestedRuns: { default: 64, least: 1, most: 100000, about: "Runs that one run may have started, directly or not, and not yet ended." },
    nestedTimeoutMs: { default: 1000, least: 1, most: 3600000, about: "CPU time of all the runs that one run starts, together." },
    pendingBytes: { default: 33554432, least: 64, most: 2147483648, about: "Arguments of host calls that one run may have under way, nested runs included." },
    fetchBytes: { default: 8388608, least: 64, most: 67108864, about: "Largest body of a request or response, unpacked." },
    fetchTimeoutMs: { default: 10000, least: 1, most: 3600000, about: "Time for one request with all its redirects." },
  },
  fs: {
    fileBytes: { default: 1048576, least: 64, most: 67108864, about: "Largest file of the root and of the allowed folders." },
    rootBytes: { default: 1073741824, least: 1024, most: 2147483648, about: "What the root may hold in all, in bytes." },
    rootFiles: { default: 50000, least: 1, most: 1000000, about: "What the root may hold in all, in files." },
  },
  git: {
    fetchBytes: { default: 134217728, least: 65536, most: 2147483648, about: "Maximum size of one fetch, as sent." },
    timeoutMs: { default: 300000, least: 100, most: 3600000, about: "Time for one exchange with the remote." },
  },
  agent: {
    resultChars: { default: 16000, least: 1000, most: 10000000, about: "Maximum number of characters of one result of a tool; the rest is paged or kept in a file." },
    approvalMs: { default: 300000, least: 1000, most: 86400000, about: "How long an approval is waited for, and how long it counts, in milliseconds." },
    liveTools: { default: 100, least: 0, most: 10000, about: "Maximum number of forged tools that are offered by name at once." },
    liveToolChars: { default: 32000, least: 0, most: 10000000, about: "Maximum number of characters of the schemas and descriptions of forged tools that are offered by name." },
  },
  ledger: {
    checkpointEvents: { default: 1000, least: 1, most: 1000000, about: "Events between two signed checkpoints." },
    retainDays: { default: 0, least: 0, most: 36500, about: "Days that events are kept, up to a checkpoint; 0 for ever." },
    blobBytes: { default: 262144, least: 0, most: 67108864, about: "Largest argument or result that is kept whole." },
    spoolBytes: { default: 67108864, least: 65536, most: 2147483648, about: "What may wait on disk while events cannot be stored, in bytes." },
    retainEvents: { default: 2000000, least: 0, most: 1000000000, about: "Events that are kept, from a checkpoint on; 0 for all." },
  },
  sql: {
    maxRows: { default: 10000, least: 1, most: 1000000, about: "Maximum number of rows of one statement." },
    maxBytes: { default: 4194304, least: 64, most: 67108864, about: "Maximum number of bytes of the rows of one statement, as JSON." },
    resultChars: { default: 16000, least: 1000, most: 10000000, about: "Maximum number of characters of the rows that one call of `exec_sql` shows a model." },
    statementTimeoutMs: { default: 10000, least: 1, most: 3600000, about: "Maximum time of one statement." },
  },
  find_tool: {
    limit: { default: 5, least: 1, most: 100, about: "Maximum number of tools to return." },
  },
  search_files: {
    limit: { default: 100, least: 1, most: 1000, about: "Maximum number of matching lines to return." },
  },
  file_history: {
    limit: { default: 20, least: 1, most: 1000, about: "Maximum number of commits to return." },
  },
};

/** The default configuration. */
export const DEFAULTS = {
  "rootDir": "./.tgp",
  "git": {
    "provider": "local",
    "branch": "main",
    "auth": {
      "user": "tgp-bot[bot]",
      "email": "tgp-bot@users.noreply.github.com"
    },
    "writeStrategy": "direct",
    "fetchBytes": 134217728,
    "timeoutMs": 300000
  },
  "sandbox": {
    "isolation": "process",
    "seed": null,
    "now": null,
    "memoryMb": 64,
    "timeoutMs": 50,
    "packageLoadMs": 2000,
    "wallMs": 30000,
    "workers": 4,
    "waiting": 16,
    "warm": 1,
    "idleMs": 60000,
    "resultBytes": 8388608,
    "argsBytes": 4194304,
    "logBytes": 262144,
    "hostCalls": 64,
    "totalHostCalls": 10000,
    "answerBytes": 268435456,
    "queue": 1000,
    "queueMs": 120000,
    "scratchBytes": 16777216,
    "scratchFiles": 256,
    "writeBytes": 67108864,
    "writeFiles": 1000,
    "callDepth": 8,
    "nestedRuns": 64,
    "nestedTimeoutMs": 1000,
    "pendingBytes": 33554432,
    "fetchBytes": 8388608,
    "fetchTimeoutMs": 10000
  },
  "check": "warn",
  "rules": {},
  "mode": "explore",
  "guardian": "off",
  "exempt": [],
  "fs": {
    "allowedDirs": [
      "./tmp"
    ],
    "blockUpwardTraversal": true,
    "fileBytes": 1048576,
    "rootBytes": 1073741824,
    "rootFiles": 50000
  },
  "allowedImports": [
    "@tgp/std",
    "zod",
    "date-fns"
  ],
  "memory": "auto",
  "reuse": "warn",
  "allowedFetchUrls": [],
  "network": {
    "noProxy": [],
    "forTools": false
  },
  "agent": {
    "resultChars": 16000,
    "approvalMs": 300000,
    "liveTools": 100,
    "liveToolChars": 32000
  },
  "secrets": {},
  "ledger": {
    "on": true,
    "fsync": false,
    "checkpointEvents": 1000,
    "retainDays": 0,
    "blobBytes": 262144,
    "spoolBytes": 67108864
  },
  "tokens": {
    "keys": [],
    "revoked": []
  }
};
