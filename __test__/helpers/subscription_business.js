/** The database of a subscription business with 50 000 users, the same each time. */

import BetterSqlite3 from 'better-sqlite3';

/** @param {number} seed */
function generator(seed) {
  let state = seed;
  const next = () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
  return {
    below: (/** @type {number} */ limit) => Math.floor(next() * limit),
    /** @template T @param {readonly T[]} list @returns {T} */
    pick: (list) => /** @type {T} */ (list[Math.floor(next() * list.length)]),
    chance: (/** @type {number} */ share) => next() < share,
  };
}

const PLANS = /** @type {const} */ ([
  ['free', 0],
  ['basic', 900],
  ['pro', 2900],
  ['team', 9900],
]);
const STATES = ['Ohio', 'Texas', 'Utah', 'Maine', 'Iowa'];
const NAMES = ['Ada', 'Bo', 'Cy', 'Dee', 'Eli', 'Flo', 'Gus', 'Hal', "O'Neil", 'Zoë | Co'];
const DAY = 86_400_000;
export const USERS = 50_000;

/**
 * @param {string} file
 * @param {number} [seed]
 */
export function createSubscriptionBusiness(file, seed = 139) {
  const db = new BetterSqlite3(file);
  const random = generator(seed);
  db.pragma('journal_mode = WAL');
  db.exec(`
    CREATE TABLE plans (id INTEGER PRIMARY KEY, name TEXT NOT NULL, price_cents INTEGER NOT NULL);
    CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT NOT NULL, email TEXT NOT NULL, state TEXT, active INTEGER NOT NULL, plan_id INTEGER NOT NULL REFERENCES plans (id));
    CREATE TABLE plan_changes (id INTEGER PRIMARY KEY, user_id INTEGER NOT NULL REFERENCES users (id), from_plan INTEGER NOT NULL REFERENCES plans (id), to_plan INTEGER NOT NULL REFERENCES plans (id), changed_at TEXT NOT NULL);
    CREATE TABLE parcels (id INTEGER PRIMARY KEY, user_id INTEGER NOT NULL REFERENCES users (id), length REAL NOT NULL, width REAL NOT NULL, height REAL NOT NULL, weight REAL NOT NULL);
  `);
  const insert = {
    plan: db.prepare('INSERT INTO plans VALUES (?, ?, ?)'),
    user: db.prepare('INSERT INTO users VALUES (?, ?, ?, ?, ?, ?)'),
    change: db.prepare('INSERT INTO plan_changes (user_id, from_plan, to_plan, changed_at) VALUES (?, ?, ?, ?)'),
    parcel: db.prepare('INSERT INTO parcels (user_id, length, width, height, weight) VALUES (?, ?, ?, ?, ?)'),
  };
  const start = Date.UTC(2024, 0, 1);
  db.transaction(() => {
    for (const [index, [name, price]] of PLANS.entries()) insert.plan.run(index + 1, name, price);
    for (let id = 1; id <= USERS; id += 1) {
      const state = random.chance(0.01) ? 'Ohiio' : random.pick(STATES);
      const name = `${random.pick(NAMES)} ${id}`;
      insert.user.run(id, name, `user${id}@example.com`, state, random.chance(0.8) ? 1 : 0, 1 + random.below(4));
      if (random.chance(0.2)) {
        const at = new Date(start + random.below(366) * DAY + random.below(DAY)).toISOString();
        insert.change.run(id, 1 + random.below(4), 1 + random.below(4), at);
      }
      if (random.chance(0.1)) {
        insert.parcel.run(id, 5 + random.below(40), 5 + random.below(40), 5 + random.below(40), 1 + random.below(50));
      }
    }
  })();
  db.exec('CREATE INDEX changes_at ON plan_changes (changed_at)');
  return db;
}
