/** Made by scripts/std_api.mjs from std/. */

export const STD_API = {
  csv: `parseRows(text, { delimiter }?), parse(text, options?), stringify(rows, { delimiter }?)`,
  dates: `isDay(text), dayOf(moment, timeZone?), addDays(day, days), addMonths(day, months), daysBetween(from, to), daysInMonth(day), startOfMonth(day), endOfMonth(day), weekday(day), isoWeek(day), range(from, to), format(day, locale?, dateStyle?)`,
  http: `withQuery(url, query), getJson(url, init?), postJson(url, body, init?), retry(work, { attempts, waitMs }?)`,
  money: `digitsOf(currency), money(amount, currency), add(left, right), subtract(left, right), sum(amounts, currency), multiply(amount, factor), allocate(amount, weights), toText({ minor, currency }), format(amount, locale?)`,
  stats: `sum(values), mean(values), min(values), max(values), quantile(values, q), median(values), variance(values, of?), deviation(values, of?), correlation(left, right), histogram(values, steps)`,
  table: `groupBy(rows, by), summarise(rows, by, aggregates), sortBy(rows, by, order?), uniqueBy(rows, by), join(left, right, on, kind?), pivot(rows, row, column, value)`,
  text: `slugify(text), characters(text), words(text, locale?), truncate(text, length), fill(template, values), dedent(text), distance(left, right), similarity(left, right)`,
};
