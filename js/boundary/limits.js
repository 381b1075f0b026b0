/** Made by scripts/limits.mjs from the tables in src/kernel/config. */

export const LIMITS = {
  sandbox: {
    memoryMb: { least: 8, most: 4096, about: "V8 heap and ArrayBuffers of one run together, in MB." },
    timeoutMs: { least: 1, most: 3600000, about: "CPU time of one run; waiting does not count." },
    wallMs: { least: 1, most: 3600000, about: "Time from start to result of one run." },
    workers: { least: 1, most: 64, about: "How many runs may go on at once." },
    warm: { least: 0, most: 64, about: "How many workers are kept ready while the kernel is in use." },
    idleMs: { least: 10, most: 86400000, about: "How long a worker may be idle until it ends; those of \"warm\" end after ten times as long without a run." },
    resultBytes: { least: 64, most: 67108864, about: "Largest result, as JSON text." },
    argsBytes: { least: 64, most: 67108864, about: "Largest arguments, as JSON text." },
    logBytes: { least: 1, most: 67108864, about: "Captured log text of one run; the rest is cut off and marked." },
    hostCalls: { least: 1, most: 10000, about: "Host calls of one run that may wait for an answer at one time." },
    totalHostCalls: { least: 1, most: 10000000, about: "Host calls that one run may make in all, with all that it starts." },
    answerBytes: { least: 64, most: 2147483648, about: "Answers to the host calls of one run, with all that it starts, in bytes." },
    queue: { least: 1, most: 100000, about: "Runs that may wait for a worker at one time." },
    scratchBytes: { least: 0, most: 268435456, about: "What one run may keep under /tmp, in bytes." },
    scratchFiles: { least: 0, most: 65536, about: "What one run may keep under /tmp, in files." },
    writeBytes: { least: 0, most: 2147483648, about: "What one run, with all that it starts, may write into allowed folders, in bytes." },
    writeFiles: { least: 0, most: 1000000, about: "What one run, with all that it starts, may write into allowed folders, in files." },
    callDepth: { least: 0, most: 32, about: "How deep tools may run tools." },
    nestedRuns: { least: 1, most: 100000, about: "Runs that one run may have started, directly or not, and not yet ended." },
    nestedTimeoutMs: { least: 1, most: 3600000, about: "CPU time of all the runs that one run starts, together." },
    pendingBytes: { least: 64, most: 2147483648, about: "Arguments of host calls that one run may have under way, nested runs included." },
    fetchBytes: { least: 64, most: 67108864, about: "Largest body of a request or response, unpacked." },
    fetchTimeoutMs: { least: 1, most: 3600000, about: "Time for one request with all its redirects." },
  },
  fs: {
    fileBytes: { least: 64, most: 67108864, about: "Largest file of the root and of the allowed folders." },
    rootBytes: { least: 1024, most: 2147483648, about: "What the root may hold in all, in bytes." },
    rootFiles: { least: 1, most: 1000000, about: "What the root may hold in all, in files." },
  },
  git: {
    fetchBytes: { least: 65536, most: 2147483648, about: "Most that one fetch may bring, as sent." },
    timeoutMs: { least: 100, most: 3600000, about: "Time for one exchange with the remote." },
  },
  sql: {
    maxRows: { least: 1, most: 1000000, about: "Most rows of one statement." },
    maxBytes: { least: 64, most: 67108864, about: "Most bytes of the rows of one statement, as JSON." },
    statementTimeoutMs: { least: 1, most: 3600000, about: "Longest time of one statement." },
  },
  find_tool: {
    limit: { least: 1, most: 100, about: "Most tools to return." },
  },
  search_files: {
    limit: { least: 1, most: 1000, about: "Most matching lines to return." },
  },
  file_history: {
    limit: { least: 1, most: 1000, about: "Most commits to return." },
  },
};

/** The configuration that nothing gives. */
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
    "wallMs": 30000,
    "workers": 4,
    "warm": 1,
    "resultBytes": 8388608,
    "argsBytes": 4194304,
    "logBytes": 262144,
    "hostCalls": 64,
    "queue": 1000,
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
  "allowedFetchUrls": [],
  "network": {
    "noProxy": [],
    "forTools": false
  }
};
