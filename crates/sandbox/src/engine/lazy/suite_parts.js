// Errors and shared parts of the algorithms of `crypto.subtle` that encrypt and derive, with the messages of Node.
(function suiteParts(/** @type {Realm} */ realm) {
  const { DOMException } = realm;

  /** @type {SuiteParts['operationError']} */
  const operationError = (message) => {
    throw new DOMException(message, 'OperationError');
  };
  /** @type {SuiteParts['wrongData']} */
  const wrongData = (message) => {
    throw new DOMException(message, 'DataError');
  };
  /** @type {SuiteParts['noAccess']} */
  const noAccess = (message) => {
    throw new DOMException(message, 'InvalidAccessError');
  };
  /** @type {SuiteParts['failed']} */
  const failed = () => operationError('The operation failed for an operation-specific reason');

  /** @type {SuiteParts['formatRefused']} */
  const formatRefused = (name, format) => {
    throw new DOMException(`Unable to import ${name} using ${format} format`, 'NotSupportedError');
  };

  // A required member of the parameters of an algorithm.
  /** @type {SuiteParts['needed']} */
  const needed = (algorithm, name, dictionary) => {
    const value = algorithm !== null && typeof algorithm === 'object' ? algorithm[name] : undefined;
    if (value !== undefined) return value;
    throw new realm.TypeError(
      `Failed to normalize algorithm: passed algorithm cannot be converted to '${dictionary}' because '${name}' is required in '${dictionary}'.`,
    );
  };

  // A JSON Web Key with the members of every key, in Node's order.
  /** @type {SuiteParts['jwk']} */
  const jwk = (found, alg) => {
    const shown = { key_ops: realm.toArray(found.usages), ext: found.extractable };
    if (alg !== undefined) realm.put(shown, 'alg', alg);
    return shown;
  };

  // The length of derived bits or of a key, in bytes.
  /** @type {SuiteParts['wholeBytes']} */
  const wholeBytes = (bits) => {
    if (bits === undefined || bits === null) operationError('length cannot be null');
    const number = +bits;
    if (!(number >= 0) || number % 8 !== 0) operationError('length must be a multiple of 8');
    return number / 8;
  };

  /** @type {Table<any>} */
  const suites = { __proto__: null };
  realm.suites = suites;
  realm.suiteParts = {
    __proto__: null,
    failed,
    formatRefused,
    jwk,
    needed,
    noAccess,
    operationError,
    wholeBytes,
    wrongData,
  };
});
