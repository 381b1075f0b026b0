/** Shim of `node:url`: the package `url` for legacy functions, and the sandbox's URL classes. */

const { parse, resolve, resolveObject, format, Url } = require('url/');

const isClass = (value) => value instanceof URL;

function fileURLToPath(value) {
  const url = isClass(value) ? value : new URL(value);
  if (url.protocol !== 'file:') throw new TypeError('The URL must be of scheme file');
  return decodeURIComponent(url.pathname);
}

function pathToFileURL(path) {
  const url = new URL('file:///');
  url.pathname = path.startsWith('/') ? path : `/${path}`;
  return url;
}

const hostOf = (domain) => {
  try {
    return new URL(`http://${domain}`).hostname;
  } catch {
    return '';
  }
};

function urlToHttpOptions(url) {
  const { protocol, hostname, hash, search, pathname, href, port, username, password } = url;
  return {
    protocol,
    hostname: hostname.replace(/^\[|\]$/g, ''),
    hash,
    search,
    pathname,
    path: `${pathname}${search}`,
    href,
    ...(port && { port: Number(port) }),
    ...(username && { auth: `${decodeURIComponent(username)}:${decodeURIComponent(password)}` }),
  };
}

module.exports = {
  URL,
  URLSearchParams,
  Url,
  parse,
  resolve,
  resolveObject,
  format: (value, options) => (isClass(value) ? formatted(value, options) : format(value)),
  fileURLToPath,
  pathToFileURL,
  urlToHttpOptions,
  domainToASCII: hostOf,
  domainToUnicode: (domain) => require('tgp:punycode').toUnicode(hostOf(domain)),
};

function formatted(value, { auth = true, fragment = true, search = true, unicode = false } = {}) {
  const url = new URL(value.href);
  if (!auth) url.username = url.password = '';
  if (!fragment) url.hash = '';
  if (!search) url.search = '';
  if (!unicode || url.hostname === '') return url.href;
  const shown = require('tgp:punycode').toUnicode(url.hostname);
  return url.href.replace(/^([a-z][^:]*:\/\/(?:[^/?#]*@)?)[^:/?#]*/i, (_, start) => `${start}${shown}`);
}
