const PIECES = [
  ...[
    "'",
    "''",
    '"',
    '""',
    '`',
    '[',
    ']',
    '--',
    '-- ',
    '/*',
    '*/',
    '/* /* */',
    '/*!',
    '/*M!',
    '#',
    '\\',
    '\\\\',
    '\n',
    '\r',
  ],
  ...[
    '\u{b}',
    '\f',
    '\u{feff}',
    '\u{a0}',
    '\u{2003}',
    '$',
    '$a',
    '$a$',
    '$$',
    '$1',
    '$1a',
    '$é$',
    "E'",
    "E'\\'",
    "U&'",
    'U&"',
  ],
  ...[
    "x'",
    "x'41'",
    "B'1'",
    "N'",
    '1e',
    '1e5',
    "1E'",
    '0x1f',
    '1_0',
    '.5',
    ';',
    '(',
    ')',
    '))',
    ',',
    '.',
    ':a',
    '::text',
    '@a',
  ],
  ...[
    ' DELETE FROM t ',
    ' SELECT 1 ',
    " INSERT INTO t (a) VALUES ('x') ",
    ' RETURNING a ',
    ' AS ',
    ' a ',
    ' WHERE ',
    ' FROM ',
  ],
  ...[
    ' INTO copied ',
    ' FOR UPDATE ',
    ' UNION SELECT 1 ',
    ' AS insert ',
    ' DROP TABLE t ',
    'replace(',
    ' UPDATE t SET a = 1 ',
  ],
];

const FRAMES = [
  ['WITH c AS (SELECT ', ') SELECT * FROM t ', ''],
  ['WITH c AS (SELECT ', ') DELETE FROM t ', ''],
  ['WITH c AS (SELECT ', ') SELECT 1 ', ' -- ) DELETE FROM t'],
  ['WITH c AS (', ' SELECT 1) SELECT * FROM c', ''],
  ['SELECT ', ' FROM t ', ''],
  ['SELECT ', ' ', " -- '"],
  ['EXPLAIN ANALYZE SELECT ', ' FROM t ', ''],
  ['VALUES (', ') ', ''],
];

/**
 * Statements made of pieces that databases and tokenisers may parse differently; the same ones every time.
 * @param {number} count
 * @returns {Generator<string>}
 */
export function* oddStatements(count) {
  let seed = 20_240_229;
  const below = (/** @type {number} */ most) => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((seed / 2 ** 32) * most);
  };
  const pieces = () => Array.from({ length: below(4) }, () => PIECES[below(PIECES.length)]).join('');
  for (let round = 0; round < count; round += 1) {
    const [start, middle, end] = /** @type {string[]} */ (FRAMES[below(FRAMES.length)]);
    yield `${start}1${pieces()}${middle}${pieces()}${end}`;
  }
}
