// `Request`.
(function requests(/** @type {Realm} */ realm, /** @type {LazyNatives} */ native) {
  const { Headers, give, headerOf, indexOf, isSignal, setHeader, slice, tag, toUpperCase } = realm;

  /** @type {Table<any>} */
  const USUAL = { __proto__: null, DELETE: true, GET: true, HEAD: true, OPTIONS: true, POST: true, PUT: true };
  /** @type {Table<any>} */
  const FORBIDDEN = { __proto__: null, CONNECT: true, TRACE: true, TRACK: true };
  const TOKEN = "!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  /** @type {Realm['requestOf']} */
  let recordOf;

  /** @param {Guest} value */
  const methodOf = (value) => {
    const method = `${value}`;
    const upper = toUpperCase(method);
    let isToken = method !== '';
    for (let i = 0; i < upper.length; i++) if (indexOf(TOKEN, upper[i]) < 0) isToken = false;
    if (!isToken || FORBIDDEN[upper] === true)
      throw new realm.TypeError(`'${realm.textOf(method)}' is not a valid HTTP method.`);
    return USUAL[upper] === true ? upper : method;
  };

  /** @param {Guest} value @param {string[]} choices @param {string} what */
  const oneOf = (value, choices, what) => {
    for (let i = 0; i < choices.length; i++) if (choices[i] === value) return value;
    throw new realm.TypeError(`${realm.textOf(value)} is not a valid ${what} of a request`);
  };

  // The native side writes one part of the URL per line: the href first, user and password later.
  /** @param {Guest} input */
  const urlOf = (input) => {
    const text = native.urlParse(realm.hrefOf(input) ?? `${input}`);
    if (text === undefined) throw new realm.TypeError(`Failed to parse URL from ${realm.textOf(`${input}`)}`);
    const end = indexOf(text, '\n');
    const href = slice(text, 0, end);
    let at = end + 1;
    for (let i = 0; i < 2; i++) at = indexOf(text, '\n', at) + 1;
    if (text[at] !== '\n' || text[at + 1] !== '\n')
      throw new realm.TypeError(
        `Request cannot be constructed from a URL that includes credentials: ${realm.textOf(`${input}`)}`,
      );
    return href;
  };

  /** @param {string} url @returns {RequestRecord} */
  const newRecord = (url) => ({
    __proto__: null,
    url,
    method: 'GET',
    headers: undefined,
    body: undefined,
    signal: undefined,
    redirect: 'follow',
    cache: 'default',
    credentials: 'same-origin',
    mode: 'cors',
    integrity: '',
    keepalive: false,
    referrer: 'about:client',
    referrerPolicy: '',
  });

  const PLAIN = ['redirect', 'cache', 'credentials', 'mode', 'integrity', 'referrer', 'referrerPolicy'];

  /** @param {RequestRecord} record @param {Guest} init @param {RequestRecord | undefined} from */
  const fill = (record, init, from) => {
    if (init.method !== undefined) record.method = methodOf(init.method);
    for (let i = 0; i < PLAIN.length; i++) {
      if (init[PLAIN[i]] !== undefined) record[PLAIN[i]] = `${init[PLAIN[i]]}`;
    }
    oneOf(record.redirect, ['follow', 'error', 'manual'], 'redirect');
    if (init.keepalive !== undefined) record.keepalive = !!init.keepalive;
    if (init.signal !== undefined && init.signal !== null) {
      if (!isSignal(init.signal)) throw new realm.TypeError('The signal of a request must be an AbortSignal');
      record.signal = init.signal;
    } else if (init.signal === null) record.signal = undefined;
    record.headers = new Headers(init.headers === undefined ? from?.headers : init.headers);
  };

  class Request {
    #record;
    /** @param {Guest} input @param {Guest} [init] */
    constructor(input, init = undefined) {
      realm.needArguments(arguments.length, 1, 'Request');
      const from = recordOf(input);
      const record = from === undefined ? newRecord(urlOf(input)) : { __proto__: null, ...from };
      const options = init ?? { __proto__: null };
      fill(record, options, from);
      const hasBody = options.body !== undefined && options.body !== null;
      if ((hasBody || from?.body !== undefined) && (record.method === 'GET' || record.method === 'HEAD')) {
        throw new realm.TypeError('Request with GET/HEAD method cannot have body.');
      }
      if (hasBody) {
        record.body = realm.toBody(options.body);
        if (record.body.stream !== undefined && options.duplex === undefined) {
          throw new realm.TypeError('RequestInit: duplex option is required when sending a body.');
        }
        const { type } = record.body;
        if (type !== undefined && headerOf(record.headers, 'content-type') === undefined) {
          setHeader(record.headers, 'content-type', type);
        }
      } else if (from?.body !== undefined) {
        record.body = realm.copyBody(from.body);
        from.body.isUsed = true;
      }
      const signal = realm.newSignal();
      if (record.signal !== undefined) realm.followSignal(signal, record.signal);
      record.signal = signal;
      this.#record = record;
    }
    get url() {
      return this.#record.url;
    }
    get method() {
      return this.#record.method;
    }
    get headers() {
      return this.#record.headers;
    }
    get signal() {
      return this.#record.signal;
    }
    get keepalive() {
      return this.#record.keepalive;
    }
    get destination() {
      return '';
    }
    get duplex() {
      return 'half';
    }
    clone() {
      const body = this.#record.body;
      if (body !== undefined && !realm.isUsableBody(body))
        throw new realm.TypeError('The body was read before, or is locked');
      const copy = new Request(this.#record.url, {
        __proto__: null,
        headers: this.#record.headers,
        signal: this.#record.signal,
      });
      for (let i = 0; i < PLAIN.length; i++) copy.#record[PLAIN[i]] = this.#record[PLAIN[i]];
      copy.#record.method = this.#record.method;
      copy.#record.keepalive = this.#record.keepalive;
      copy.#record.body = body === undefined ? undefined : realm.copyBody(body);
      return copy;
    }
    static {
      recordOf = (value) =>
        value !== null && typeof value === 'object' && #record in value ? value.#record : undefined;
      for (let i = 0; i < PLAIN.length; i++) {
        const name = PLAIN[i];
        realm.defineProperty(Request.prototype, name, {
          __proto__: null,
          configurable: true,
          enumerable: true,
          get() {
            return this.#record[name];
          },
        });
      }
      realm.addBody(
        Request,
        (request) => request.#record.body,
        (request) => headerOf(request.#record.headers, 'content-type'),
      );
    }
  }

  realm.requestOf = recordOf;
  tag('Request', Request);
  give('Request', Request);
});
