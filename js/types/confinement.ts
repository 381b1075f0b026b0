/** State of a confinement layer: `'partial'` on an older operating system kernel. */
export type ConfinementHold = 'active' | 'partial' | 'missing';

/** The V8 engine of the sandbox, as reported by itself. */
export type Engine = {
  version: string;
  /** References inside V8's heap are 32 bits long and cannot lead out of it. */
  pointerCompression: boolean;
  /**
   * V8's own sandbox: corruption of V8's heap cannot reach other memory of the process. `'partial'` if the system grants less
   * address space than it needs (`ulimit -v`), `'missing'` on platforms whose V8 was built without it.
   */
  sandbox: ConfinementHold;
};

/** The confinement of the sandbox's workers. With `isolation: 'thread'` there is none besides V8. */
export type Confinement = {
  isolation: 'process' | 'thread';
  /** The process cannot gain privileges. */
  noNewPrivileges: ConfinementHold;
  /** Capabilities of a host that runs as root are dropped. */
  capabilities: ConfinementHold;
  /** No file, port or other process can be reached. */
  landlock: ConfinementHold;
  /** Only the system calls that V8 needs are allowed. */
  seccomp: ConfinementHold;
  /** The system limits memory, files and core dumps too. */
  resourceLimits: ConfinementHold;
  /** Build options of V8; not part of the system's confinement. */
  engine: Engine;
};
