/** Malformed and hostile queries, each with the codes of the errors that are right. */

/**
 * @typedef {object} HostileQuery
 * @property {string} name
 * @property {() => string} cypher made when it is needed: some are large
 * @property {string[]} codes
 * @property {number} [line] of the mistake
 * @property {Record<string, unknown>} [params]
 */

const INVALID = ['ERR_VALIDATION'];
const TOO_MUCH = ['ERR_LIMIT'];
/** A language without this construct refuses it, one with it limits it. */
const EITHER = ['ERR_LIMIT', 'ERR_VALIDATION'];

const DEPTH = 100_000;

/**
 * @param {string} name
 * @param {string} cypher
 * @param {number} line
 * @returns {HostileQuery}
 */
const malformed = (name, cypher, line) => ({ name, cypher: () => cypher, codes: INVALID, line });

/**
 * @param {string} name
 * @param {string} cypher
 * @returns {HostileQuery}
 */
const writing = (name, cypher) => ({ name, cypher: () => cypher, codes: INVALID });

/**
 * @param {string} name
 * @param {string | (() => string)} cypher
 * @param {string[]} [codes]
 * @returns {HostileQuery}
 */
const heavy = (name, cypher, codes = TOO_MUCH) => ({
  name,
  cypher: typeof cypher === 'string' ? () => cypher : cypher,
  codes,
});

/** @type {HostileQuery[]} */
const MALFORMED = [
  malformed('an empty query', '', 1),
  malformed('a pattern that does not end', 'MATCH (f:File)\nWHERE f.path = $path\nRETURN (f', 3),
  malformed('a text that does not end', "MATCH (f:File)\nRETURN f.path = 'tools", 2),
  malformed('a comment that does not end', 'MATCH (f:File)\n/* RETURN f', 2),
  malformed('a quoted name that does not end', 'MATCH (f:File)\nRETURN f.`path', 2),
  malformed('a query without RETURN', 'MATCH (f:File)', 1),
  malformed('an unknown variable', 'MATCH (f:File)\nRETURN g.path', 2),
  malformed('an unknown function', 'MATCH (f:File)\nRETURN system(f.path)', 2),
  malformed('an aggregate in WHERE', 'MATCH (f:File)\nWHERE count(f) > 1 RETURN f', 2),
  malformed('two queries at once', 'MATCH (f:File) RETURN f\n; MATCH (g:File) RETURN g', 2),
  malformed('NUL in a name', 'MATCH (f:File)\nRETURN f.pa\0th', 2),
  malformed('an override of the text direction in a label', 'MATCH (f:\u202eeliF) RETURN f', 1),
  malformed('a lone surrogate', 'MATCH (f:File)\n\nRETURN f.\ud800', 3),
  malformed('an escape that is not complete', "MATCH (f:File)\nWHERE f.path = '\\u12' RETURN f", 2),
];

/** @type {HostileQuery[]} */
const WRITING = [
  writing('CREATE', "CREATE (f:File {path: 'tools/x.ts'}) RETURN f"),
  writing('MERGE in the middle, in small letters', "MATCH (f:File) merge (g:File {path: 'x'}) RETURN g"),
  writing('SET and REMOVE', 'MATCH (f:File) SET f.path = 1 REMOVE f.name RETURN f'),
  writing('DETACH DELETE', 'MATCH (f:File) DETACH DELETE f'),
  writing('FOREACH', 'MATCH (f:File) FOREACH (x IN [1] | SET f.path = x)'),
  writing('CALL of a procedure', "CALL dbms.security.createUser('a', 'b') YIELD value RETURN value"),
  writing('CALL with a comment inside', 'CALL /* { */ { MATCH (f:File) DELETE f } RETURN 1'),
  writing('LOAD CSV', "LOAD CSV FROM 'file:///etc/passwd' AS row RETURN row"),
  writing('a missing parameter', 'MATCH (f:File {path: $nothing}) RETURN f'),
  { ...writing('a parameter of the prototype', 'RETURN $constructor AS value'), params: {} },
  writing('a negative SKIP', 'MATCH (f:File) RETURN f SKIP -1'),
  writing('a LIMIT beyond 64 bits', 'MATCH (f:File) RETURN f LIMIT 99999999999999999999999999'),
];

const DENSE = "MATCH p = (a:File {path: 'tools/dense/part_0.ts'})-[:IMPORTS*]->(b) RETURN count(p) AS paths";

/** @type {HostileQuery[]} */
const HEAVY = [
  heavy('a product of five labels', 'MATCH (a:File), (b:File), (c:File), (d:Commit), (e:Commit) RETURN count(*) AS n'),
  heavy(
    'a product that is sorted',
    'MATCH (a:File), (b:File), (c:Commit), (d:Commit) RETURN a, c ORDER BY d.time, b.path',
  ),
  heavy('all trails of a dense part', DENSE, EITHER),
  heavy('all trails of everything, without a direction', 'MATCH (a)-[*]-(b)-[*]-(c) RETURN count(*) AS n', EITHER),
  heavy('trails of a million steps', DENSE.replace('*]', '*1000000..2000000]'), EITHER),
  heavy('a range of 1e15 numbers', 'UNWIND range(0, 1000000000000000) AS n RETURN sum(n) AS total', EITHER),
  heavy(
    'a text that doubles itself',
    () => `RETURN ${'replace('.repeat(60)}'aa'${", 'a', 'aa')".repeat(60)} AS text`,
    EITHER,
  ),
  heavy('a text that reduce grows', "RETURN reduce(t = 'x', n IN range(1, 1000) | t + t) AS text", EITHER),
  heavy('parentheses, nested', () => `RETURN ${'('.repeat(DEPTH)}1${')'.repeat(DEPTH)} AS n`, EITHER),
  heavy('lists, nested, and not closed', () => `RETURN ${'['.repeat(DEPTH)}`, EITHER),
  heavy('a query of 10 MB', () => `RETURN '${'x'.repeat(10 << 20)}' AS text`, EITHER),
  heavy(
    'UNWIND of UNWIND',
    () =>
      `WITH range(1, 1000) AS numbers ${[1, 2, 3, 4, 5].map((n) => `UNWIND numbers AS n${n}`).join(' ')} RETURN count(*) AS n`,
    EITHER,
  ),
  heavy(
    'lists of lists of all files',
    'MATCH (a:File), (b:File), (c:File) WITH a, b, collect(c) AS list MATCH (d:Commit) RETURN collect([a, b, list, d]) AS everything',
  ),
  heavy(
    'a regular expression that expands to gigabytes',
    "MATCH (f:File) WHERE f.path =~ '((((a{1000}){1000}){1000}){1000})+' RETURN f",
    EITHER,
  ),
];

export const HOSTILE_QUERIES = [...MALFORMED, ...WRITING, ...HEAVY];
