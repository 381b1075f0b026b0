/** An in-memory session log for kernels without a ledger. It is lost at the end of the run. */
export class MemoryLog {
  /** @type {any[]} */
  #events = [];

  /**
   * @param {string} session
   * @param {{ agent: string, id: string }} actor
   * @param {{ what: string, [member: string]: any }} body
   */
  async append(session, actor, body) {
    const { length } = this.#events;
    this.#events.push({ seq: length + 1, type: 'SESSION', ts: new Date().toISOString(), session, actor, ...body });
  }

  /**
   * @param {string} session
   * @param {number} [after]
   */
  async events(session, after = 0) {
    return this.#events.filter((event) => event.session === session && event.seq > after);
  }

  async settled() {}

  /** @param {any} value */
  async whole(value) {
    return value;
  }
}
