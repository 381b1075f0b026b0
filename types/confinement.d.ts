/** Whether the system gave a wall: `'partial'` on an older kernel. */
export type ConfinementHold = 'active' | 'partial' | 'missing';

/** The V8 that runs tools, by its own account. */
export type Engine = {
  version: string;
  /** References inside V8's heap are 32 bits long and cannot lead out of it. */
  pointerCompression: boolean;
  /**
   * V8's own sandbox: whoever corrupts V8's heap reaches nothing else of the process by that. `'partial'` when the system gave
   * less address space than it needs (`ulimit -v`), `'missing'` on platforms whose V8 was built without.
   */
  sandbox: ConfinementHold;
};

/** The walls around the sandbox's workers. With `isolation: 'thread'` there are none but V8. */
export type Confinement = {
  isolation: 'process' | 'thread';
  /** Nothing can gain rights. */
  noNewPrivileges: ConfinementHold;
  /** The rights of a host that runs as root are given up. */
  capabilities: ConfinementHold;
  /** No file, port or foreign process can be reached. */
  landlock: ConfinementHold;
  /** Only the system calls that V8 needs are left. */
  seccomp: ConfinementHold;
  /** Memory, files and core dumps are bounded by the system too. */
  resourceLimits: ConfinementHold;
  /** Not a wall of the system: what V8 itself was built with. */
  engine: Engine;
};
