/**
 * @typedef {[imports: string, expression: string, instead?: string]} Job `instead`: what to use where the package cannot work
 */

/**
 * Packages for collections, dates, numbers and validation, each with a small typical job: an import and an expression.
 * @type {Record<string, Job>}
 */
export const VALUES = {
  lodash: [
    "import _ from 'lodash'",
    "_.mapValues(_.groupBy(['one', 'two', 'three'], 'length'), (words) => _.sortBy(words))",
  ],
  'lodash-es': ["import { chunk, debounce } from 'lodash-es'", '[chunk([1, 2, 3], 2), typeof debounce(() => 1, 10)]'],
  ramda: [
    "import * as R from 'ramda'",
    "R.pipe(R.filter(R.propEq(1, 'a')), R.pluck('b'))([{ a: 1, b: 2 }, { a: 3, b: 4 }])",
  ],
  underscore: ["import _ from 'underscore'", "_.countBy([1, 2, 3], (n) => (n % 2 ? 'odd' : 'even'))"],
  rambda: ["import * as R from 'rambda'", 'R.map((n) => n * 2)([1, 2, 3])'],
  remeda: ["import * as R from 'remeda'", 'R.pipe([3, 1, 2], R.sortBy((n) => n), R.take(2))'],
  'es-toolkit': ["import { groupBy, sum } from 'es-toolkit'", '[groupBy([1, 2, 3], (n) => n % 2), sum([1, 2])]'],
  radash: [
    "import { group, sift } from 'radash'",
    "[sift([0, 1, null, 2]), group([1, 2, 3], (n) => (n > 1 ? 'big' : 'small'))]",
  ],
  'fp-ts': [
    "import * as O from 'fp-ts/lib/Option.js'; import { pipe } from 'fp-ts/lib/function.js'",
    'pipe(O.some(2), O.map((n) => n * 3), O.getOrElse(() => 0))',
  ],
  immutable: ["import { Map, List } from 'immutable'", 'Map({ a: List([1, 2]) }).setIn(["a", 0], 9).toJS()'],
  immer: ["import { produce } from 'immer'", 'produce({ a: [1] }, (draft) => { draft.a.push(2) })'],
  rxjs: [
    "import { of, lastValueFrom, toArray, map } from 'rxjs'",
    'await lastValueFrom(of(1, 2, 3).pipe(map((n) => n * n), toArray()))',
  ],
  async: ["import async from 'async'", 'await async.mapLimit([1, 2, 3], 2, async (n) => n * 2)'],
  'p-limit': ["import pLimit from 'p-limit'", 'await Promise.all([1, 2].map((n) => pLimit(1)(async () => n + 1)))'],
  'p-queue': ["import PQueue from 'p-queue'", 'await new PQueue({ concurrency: 1 }).add(async () => 7)'],
  eventemitter3: ["import EventEmitter from 'eventemitter3'", "new EventEmitter().on('a', () => 1).emit('a')"],
  'lru-cache': ["import { LRUCache } from 'lru-cache'", "[new LRUCache({ max: 2 }).set('a', 1).get('a')]"],
  deepmerge: ["import deepmerge from 'deepmerge'", 'deepmerge({ a: [1], b: { c: 1 } }, { a: [2], b: { d: 2 } })'],
  'fast-deep-equal': ["import equal from 'fast-deep-equal'", '[equal({ a: [1] }, { a: [1] }), equal([1], [2])]'],
  'fast-json-patch': ["import patch from 'fast-json-patch'", 'patch.compare({ a: 1, b: 2 }, { a: 2 })'],
  'object-path': ["import objectPath from 'object-path'", "objectPath.get({ a: [{ b: 1 }] }, 'a.0.b')"],
  'dot-prop': ["import { getProperty } from 'dot-prop'", "getProperty({ a: { b: 1 } }, 'a.b')"],
  flat: ["import { flatten, unflatten } from 'flat'", "[flatten({ a: { b: [1] } }), unflatten({ 'x.y': 1 })]"],
  'object-hash': ["import hash from 'object-hash'", '[hash({ b: 1, a: [2] }), hash([1, 2], { algorithm: "md5" })]'],
  xstate: [
    "import { createMachine, createActor } from 'xstate'",
    "(() => { const actor = createActor(createMachine({ initial: 'a', states: { a: { on: { GO: 'b' } }, b: {} } })).start(); actor.send({ type: 'GO' }); return actor.getSnapshot().value })()",
  ],
  'date-fns': [
    "import { addDays, format } from 'date-fns'",
    "format(addDays(new Date(2024, 1, 28), 1), 'yyyy-MM-dd EEEE')",
  ],
  dayjs: [
    "import dayjs from 'dayjs'; import utc from 'dayjs/plugin/utc.js'",
    "(dayjs.extend(utc), dayjs.utc('2024-02-28').add(2, 'day').format('DD.MM.YYYY'))",
  ],
  luxon: [
    "import { DateTime } from 'luxon'",
    "DateTime.fromISO('2024-03-10T12:00', { zone: 'Europe/Berlin' }).plus({ months: 1 }).toISO()",
  ],
  moment: ["import moment from 'moment'", "moment.utc('2024-02-28').add(2, 'days').format('dddd, MMMM Do YYYY')"],
  'moment-timezone': [
    "import moment from 'moment-timezone'",
    "moment.tz('2024-06-01 12:00', 'America/New_York').utc().format()",
  ],
  '@js-joda/core': [
    "import { LocalDate } from '@js-joda/core'",
    "LocalDate.parse('2024-02-28').plusDays(2).toString()",
  ],
  'chrono-node': [
    "import * as chrono from 'chrono-node'",
    "chrono.parseDate('12 May 2024 at 3pm', new Date(0)).getDate()",
  ],
  rrule: [
    "import rrule from 'rrule'",
    "rrule.RRule.fromString('DTSTART:20240101T000000Z\\nRRULE:FREQ=WEEKLY;COUNT=3').all().map((date) => date.toISOString())",
  ],
  'cron-parser': [
    "import { CronExpressionParser } from 'cron-parser'",
    "CronExpressionParser.parse('0 9 * * 1', { currentDate: '2024-01-01T10:00:00Z', tz: 'UTC' }).next().toISOString()",
  ],
  ms: ["import ms from 'ms'", "[ms('2 days'), ms(60000)]"],
  'humanize-duration': ["import humanize from 'humanize-duration'", 'humanize(97320000)'],
  'date-holidays': [
    "import Holidays from 'date-holidays'",
    "new Holidays('DE', 'BY').getHolidays(2024).slice(0, 3).map((day) => day.date)",
  ],
  mathjs: [
    "import { evaluate, derivative, matrix, det } from 'mathjs'",
    "[evaluate('sqrt(3^2 + 4^2) cm to mm').toString(), derivative('x^2', 'x').toString(), det(matrix([[1, 2], [3, 4]]))]",
  ],
  'decimal.js': ["import { Decimal } from 'decimal.js'", "new Decimal('0.1').plus('0.2').toString()"],
  'bignumber.js': ["import { BigNumber } from 'bignumber.js'", "new BigNumber('1e30').plus(1).toFormat()"],
  'big.js': ["import Big from 'big.js'", "new Big('0.1').times(3).toString()"],
  'fraction.js': ["import { Fraction } from 'fraction.js'", "new Fraction('1.(3)').toFraction()"],
  'currency.js': ["import currency from 'currency.js'", "currency('1,234.567').add(0.1).format()"],
  'dinero.js': ["import * as dinero from 'dinero.js'", 'Object.keys(dinero).length > 0'],
  numeral: ["import numeral from 'numeral'", "numeral(1234567.891).format('0,0.00')"],
  'simple-statistics': [
    "import { mean, linearRegression } from 'simple-statistics'",
    '[mean([1, 2, 6]), linearRegression([[0, 0], [1, 2]])]',
  ],
  jstat: ["import jstat from 'jstat'", '[jstat.normal.cdf(1.96, 0, 1).toFixed(4), jstat.mean([1, 2, 3])]'],
  'ml-matrix': ["import { Matrix, inverse } from 'ml-matrix'", 'inverse(new Matrix([[2, 0], [0, 4]])).to2DArray()'],
  'ml-regression': [
    "import { SimpleLinearRegression } from 'ml-regression'",
    'new SimpleLinearRegression([1, 2, 3], [2, 4, 6]).predict(4)',
  ],
  'ml-kmeans': [
    "import { kmeans } from 'ml-kmeans'",
    'kmeans([[1, 1], [1, 2], [9, 9]], 2, { seed: 1 }).clusters.length',
  ],
  regression: ["import regression from 'regression'", 'regression.linear([[0, 1], [1, 3], [2, 5]]).equation'],
  financial: ["import { pmt } from 'financial'", 'pmt(0.05 / 12, 120, 10000).toFixed(2)'],
  'expr-eval': ["import { Parser } from 'expr-eval'", "Parser.evaluate('2 * x + 1', { x: 3 })"],
  'd3-array': [
    "import { rollup, sum, bin } from 'd3-array'",
    '[[...rollup([1, 2, 3], (v) => sum(v), (n) => n % 2)], bin()([1, 2, 9]).length]',
  ],
  'd3-scale': ["import { scaleLinear } from 'd3-scale'", 'scaleLinear([0, 10], [0, 100]).ticks(5)'],
  'd3-format': ["import { format } from 'd3-format'", "format('.3s')(1234567)"],
  seedrandom: ["import seedrandom from 'seedrandom'", "seedrandom('a')()"],
  chance: ["import Chance from 'chance'", "[new Chance('seed').name(), new Chance(7).integer({ min: 1, max: 9 })]"],
  '@faker-js/faker': [
    "import { faker } from '@faker-js/faker/locale/en'",
    '(faker.seed(1), [faker.person.firstName(), faker.internet.email()])',
  ],
  '@turf/turf': [
    "import { point, distance, bbox, lineString } from '@turf/turf'",
    '[distance(point([0, 0]), point([1, 1])).toFixed(3), bbox(lineString([[0, 0], [2, 3]]))]',
  ],
  geolib: [
    "import { getDistance } from 'geolib'",
    'getDistance({ latitude: 52.52, longitude: 13.4 }, { latitude: 48.85, longitude: 2.35 })',
  ],
  zod: [
    "import { z } from 'zod'",
    "z.object({ mail: z.email(), n: z.coerce.number().max(5) }).safeParse({ mail: 'a@b.de', n: '7' }).error.issues.length",
  ],
  joi: [
    "import Joi from 'joi'",
    "[Joi.object({ mail: Joi.string().email().required(), n: Joi.number().max(5) }).validate({ mail: 'a@b.de', n: 7 }).error.message]",
  ],
  yup: [
    "import * as yup from 'yup'",
    'await yup.object({ n: yup.number().max(5) }).validate({ n: 7 }).catch((error) => error.message)',
  ],
  ajv: [
    "import Ajv from 'ajv'",
    "new (Ajv.default ?? Ajv)().compile({ type: 'object', required: ['a'] })({})",
    '`zod`, `@cfworker/json-schema` or `jsonschema`',
  ],
  superstruct: [
    "import { object, string, is } from 'superstruct'",
    "[is({ a: 'x' }, object({ a: string() })), is({}, object({ a: string() }))]",
  ],
  valibot: [
    "import * as v from 'valibot'",
    'v.safeParse(v.object({ n: v.pipe(v.number(), v.maxValue(5)) }), { n: 7 }).issues.length',
  ],
  arktype: ["import { type } from 'arktype'", "type({ n: 'number < 5' })({ n: 7 }).summary", '`zod` or `valibot`'],
  '@sinclair/typebox': [
    "import { Type } from '@sinclair/typebox'; import { Value } from '@sinclair/typebox/value'",
    "[Value.Check(Type.Object({ a: Type.String() }), { a: 'x' }), Value.Check(Type.Number(), 'x')]",
  ],
  jsonschema: [
    "import jsonschema from 'jsonschema'",
    "jsonschema.validate({ n: 'x' }, { properties: { n: { type: 'number' } } }).errors[0].stack",
  ],
  '@cfworker/json-schema': [
    "import { Validator } from '@cfworker/json-schema'",
    "new Validator({ type: 'object', required: ['a'] }).validate({}).valid",
  ],
  'is-my-json-valid': [
    "import validator from 'is-my-json-valid'",
    "validator({ type: 'string' })('x')",
    '`@cfworker/json-schema` or `jsonschema`',
  ],
  validator: [
    "import validator from 'validator'",
    "[validator.isEmail('a@b.de'), validator.isIBAN('DE89370400440532013000'), validator.escape('<b>')]",
  ],
  'io-ts': ["import * as t from 'io-ts'", 't.type({ a: t.string }).decode({ a: 1 })._tag'],
  'libphonenumber-js': ["import parse from 'libphonenumber-js'", "parse('030 123456', 'DE').formatInternational()"],
};
