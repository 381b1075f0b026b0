// The public types, one file per concept. The build copies their documentation to docs/api.md.

export * from './types/adapters.js';
export * from './types/agent.js';
export * from './types/config.js';
export * from './types/confinement.js';
export * from './types/dry_run.js';
export * from './types/errors.js';
export * from './types/files.js';
export * from './types/functions.js';
export * from './types/kernel.js';
export * from './types/ledger.js';
export * from './types/memory.js';
export * from './types/network.js';
export * from './types/policy.js';
export * from './types/runs.js';
export * from './types/schemas.js';
export * from './types/secrets.js';
export * from './types/shell.js';
export * from './types/sql.js';
export * from './types/telemetry.js';
export * from './types/tests.js';
export * from './types/tools.js';
