/** Shim of `node:diagnostics_channel`, within one bundle. */

const channels = new Map();

class Channel {
  #subscribers = new Set();
  constructor(name) {
    this.name = name;
  }
  get hasSubscribers() {
    return this.#subscribers.size > 0;
  }
  subscribe(subscriber) {
    this.#subscribers.add(subscriber);
  }
  unsubscribe(subscriber) {
    return this.#subscribers.delete(subscriber);
  }
  publish(message) {
    for (const subscriber of this.#subscribers) subscriber(message, this.name);
  }
  runStores(_context, action, self, ...args) {
    return action.apply(self, args);
  }
}

function channel(name) {
  if (!channels.has(name)) channels.set(name, new Channel(name));
  return channels.get(name);
}

const STEPS = ['start', 'end', 'asyncStart', 'asyncEnd', 'error'];

/** Does not trace: it only calls the function. */
function tracingChannel(name) {
  const steps = STEPS.map((step) => [step, typeof name === 'string' ? channel(`tracing:${name}:${step}`) : name[step]]);
  const call = (action, _context, self, ...args) => action.apply(self, args);
  return {
    ...Object.fromEntries(steps),
    hasSubscribers: false,
    subscribe() {},
    unsubscribe: () => true,
    traceSync: call,
    tracePromise: call,
    traceCallback: (action, _position, context, self, ...args) => call(action, context, self, ...args),
  };
}

module.exports = {
  Channel,
  channel,
  tracingChannel,
  hasSubscribers: (name) => channel(name).hasSubscribers,
  subscribe: (name, subscriber) => channel(name).subscribe(subscriber),
  unsubscribe: (name, subscriber) => channel(name).unsubscribe(subscriber),
};
