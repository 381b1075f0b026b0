/**
 * Packages for text, search, identifiers, cryptography and programs, and some for Node only, each with a small typical job.
 * @type {Record<string, import('./values.mjs').Job>}
 */
export const OTHERS = {
  slugify: ["import slugify from 'slugify'", "slugify('Füße & Co.', { lower: true })"],
  'change-case': ["import { camelCase, kebabCase } from 'change-case'", "[camelCase('a-b c'), kebabCase('aB')]"],
  pluralize: ["import pluralize from 'pluralize'", "pluralize('box', 3, true)"],
  he: ["import * as he from 'he'", "[he.encode('ä < b'), he.decode('&auml;')]"],
  entities: ["import { decodeHTML, escapeUTF8 } from 'entities'", "[decodeHTML('&auml;'), escapeUTF8('<ä>')]"],
  'escape-html': ["import escapeHtml from 'escape-html'", "escapeHtml('<a>')"],
  'iconv-lite': ["import iconv from 'iconv-lite'", "iconv.decode(iconv.encode('Füße', 'win1252'), 'latin1')"],
  'string-similarity': [
    "import similarity from 'string-similarity'",
    "similarity.findBestMatch('word', ['hello', 'world']).bestMatch.target",
  ],
  'fastest-levenshtein': [
    "import { closest, distance } from 'fastest-levenshtein'",
    "[distance('kitten', 'sitting'), closest('word', ['hello', 'world'])]",
  ],
  'fuse.js': ["import Fuse from 'fuse.js'", "new Fuse(['apple', 'banana'], {}).search('aple').map(({ item }) => item)"],
  lunr: [
    "import lunr from 'lunr'",
    "lunr(function () { this.field('t'); this.add({ id: 1, t: 'green apples' }) }).search('apple').map(({ ref }) => ref)",
  ],
  minisearch: [
    "import MiniSearch from 'minisearch'",
    "(() => { const index = new MiniSearch({ fields: ['t'] }); index.add({ id: 1, t: 'green apples' }); return index.search('aples', { fuzzy: 0.3 }).map(({ id }) => id) })()",
  ],
  flexsearch: [
    "import FlexSearch from 'flexsearch'",
    "(() => { const index = new FlexSearch.Index(); index.add(1, 'green apples'); return index.search('apples') })()",
  ],
  natural: [
    "import natural from 'natural'",
    "[natural.PorterStemmer.stem('running'), new natural.WordTokenizer().tokenize('a b, c')]",
  ],
  compromise: ["import nlp from 'compromise'", "nlp('She sells seashells').verbs().toPastTense().out('text')"],
  stemmer: ["import { stemmer } from 'stemmer'", "stemmer('considerations')"],
  sentiment: ["import Sentiment from 'sentiment'", "new Sentiment().analyze('cats are great').score"],
  'franc-min': [
    "import { franc } from 'franc-min'",
    "franc('Der Hund und die Katze gehen heute nicht mehr in den Garten, weil es regnet.')",
  ],
  diff: [
    "import { diffWords, createPatch } from 'diff'",
    "[diffWords('a b', 'a c').length, createPatch('f', 'a\\n', 'b\\n').split('\\n').length]",
  ],
  'diff-match-patch': ["import DiffMatchPatch from 'diff-match-patch'", "new DiffMatchPatch().diff_main('abc', 'abx')"],
  i18next: [
    "import i18next from 'i18next'",
    "(await i18next.init({ lng: 'de', showSupportNotice: false, resources: { de: { translation: { hi: 'Hallo {{name}}' } } } }), i18next.t('hi', { name: 'A' }))",
  ],
  'intl-messageformat': [
    "import { IntlMessageFormat } from 'intl-messageformat'",
    "new IntlMessageFormat('{n, plural, one {# cat} other {# cats}}', 'en').format({ n: 2 })",
  ],
  uuid: ["import { v4, v5, validate } from 'uuid'", "[validate(v4()), v5('x', v5.URL)]"],
  nanoid: ["import { nanoid, customAlphabet } from 'nanoid'", "[nanoid().length, customAlphabet('ab', 5)().length]"],
  ulid: ["import { ulid } from 'ulid'", 'ulid(1).slice(0, 10)'],
  '@paralleldrive/cuid2': ["import { createId, isCuid } from '@paralleldrive/cuid2'", 'isCuid(createId())'],
  'crypto-js': [
    "import CryptoJS from 'crypto-js'",
    "[CryptoJS.SHA256('x').toString(), CryptoJS.AES.decrypt(CryptoJS.AES.encrypt('text', 'key'), 'key').toString(CryptoJS.enc.Utf8)]",
  ],
  '@noble/hashes': [
    "import { sha256 } from '@noble/hashes/sha2.js'; import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'",
    "bytesToHex(sha256(utf8ToBytes('x')))",
  ],
  '@noble/curves': [
    "import { ed25519 } from '@noble/curves/ed25519.js'",
    '(() => { const { secretKey, publicKey } = ed25519.keygen(); const text = new Uint8Array([1]); return ed25519.verify(ed25519.sign(text, secretKey), text, publicKey) })()',
  ],
  tweetnacl: ["import nacl from 'tweetnacl'", 'nacl.hash(new Uint8Array(3)).length + nacl.randomBytes(8).length'],
  md5: ["import md5 from 'md5'", "md5('x')"],
  'js-sha256': ["import { sha256 } from 'js-sha256'", "sha256('x')"],
  'hash-wasm': [
    "import { md5 } from 'hash-wasm'",
    "await md5('x')",
    '`@noble/hashes`, or `crypto` of Node: there is no WebAssembly',
  ],
  bcryptjs: ["import bcrypt from 'bcryptjs'", "bcrypt.compareSync('x', bcrypt.hashSync('x', 4))"],
  jsonwebtoken: [
    "import jwt from 'jsonwebtoken'",
    "jwt.verify(jwt.sign({ a: 1 }, 'secret', { noTimestamp: true }), 'secret')",
  ],
  jose: [
    "import { SignJWT, jwtVerify } from 'jose'",
    "await (async () => { const key = new TextEncoder().encode('secret secret secret secret secret'); const token = await new SignJWT({ a: 1 }).setProtectedHeader({ alg: 'HS256' }).sign(key); return (await jwtVerify(token, key)).payload })()",
    '`jsonwebtoken` for HS256',
  ],
  'node-forge': ["import forge from 'node-forge'", "forge.md.sha256.create().update('x').digest().toHex()"],
  otpauth: [
    "import * as OTPAuth from 'otpauth'",
    "new OTPAuth.TOTP({ secret: OTPAuth.Secret.fromBase32('JBSWY3DPEHPK3PXP') }).generate({ timestamp: 0 })",
  ],
  semver: ["import semver from 'semver'", "[semver.satisfies('1.2.3', '^1.0.0'), semver.inc('1.2.3', 'minor')]"],
  minimatch: ["import { minimatch } from 'minimatch'", "minimatch('src/a.js', 'src/**/*.{js,ts}')"],
  picomatch: ["import picomatch from 'picomatch'", "picomatch('*.js')('a.js')"],
  'path-to-regexp': ["import { match } from 'path-to-regexp'", "match('/a/:id')('/a/1').params"],
  'mime-types': ["import mime from 'mime-types'", "[mime.lookup('a.json'), mime.extension('text/html')]"],
  color: ["import Color from 'color'", "Color('#ff0000').darken(0.5).hex()"],
  'chroma-js': ["import chroma from 'chroma-js'", "chroma.scale(['white', 'black']).colors(3)"],
  tinycolor2: ["import tinycolor from 'tinycolor2'", "tinycolor('red').lighten(20).toHexString()"],
  classnames: ["import classNames from 'classnames'", "classNames('a', { b: true, c: false })"],
  graphql: [
    "import { buildSchema, graphql } from 'graphql'",
    "(await graphql({ schema: buildSchema('type Query { a: Int }'), source: '{ a }', rootValue: { a: 1 } })).data.a",
  ],
  'sql-formatter': ["import { format } from 'sql-formatter'", "format('select a from b where c = 1')"],
  'node-sql-parser': ["import sql from 'node-sql-parser'", "new sql.Parser().astify('select a from b').type"],
  acorn: ["import { parse } from 'acorn'", "parse('a = 1', { ecmaVersion: 2022 }).body.length"],
  esprima: ["import esprima from 'esprima'", "esprima.parseScript('a = 1').body[0].type"],
  '@babel/parser': [
    "import { parse } from '@babel/parser'",
    "parse('const a: number = 1', { plugins: ['typescript'] }).program.body.length",
  ],
  prettier: [
    "import { format } from 'prettier/standalone'; import * as markdown from 'prettier/plugins/markdown'",
    "await format('*   a', { parser: 'markdown', plugins: [markdown] })",
  ],
  typescript: [
    "import ts from 'typescript'",
    "ts.transpileModule('const a: number = 1', { compilerOptions: { target: 'es2022' } }).outputText",
  ],
  'highlight.js': [
    "import hljs from 'highlight.js'",
    "hljs.highlight('const a = 1', { language: 'javascript' }).value",
  ],
  terser: ["import { minify } from 'terser'", "(await minify('const a = 1 + 1; console.log(a)')).code"],
  chalk: ["import { Chalk } from 'chalk'", "new Chalk({ level: 1 }).red('x')"],
  debug: ["import debug from 'debug'", "typeof debug('app').extend('x')"],
  commander: [
    "import { Command } from 'commander'",
    "new Command().option('-n <n>').parse(['-n', '3'], { from: 'user' }).opts()",
  ],
  'yargs-parser': ["import parse from 'yargs-parser'", "parse('--a 1 -b x').a"],
  tslib: ["import { __assign } from 'tslib'", '__assign({ a: 1 }, { b: 2 })'],
  'js-tiktoken': [
    "import { Tiktoken } from 'js-tiktoken/lite'; import ranks from 'js-tiktoken/ranks/cl100k_base'",
    "new Tiktoken(ranks).encode('hello world').length",
  ],
  'gpt-tokenizer': ["import { encode } from 'gpt-tokenizer'", "encode('hello world').length"],
  'llama-tokenizer-js': ["import tokenizer from 'llama-tokenizer-js'", "tokenizer.encode('hello world').length"],
  '@mistralai/mistralai': [
    "import { Mistral } from '@mistralai/mistralai'",
    "typeof new Mistral({ apiKey: 'x', serverURL: 'ORIGIN' }).chat.complete",
    'plain `fetch`',
  ],
  openai: [
    "import OpenAI from 'openai'",
    "(await new OpenAI({ apiKey: 'x', baseURL: 'ORIGIN' }).chat.completions.create({ model: 'm', messages: [] })).body.model",
    'plain `fetch`',
  ],
  stripe: [
    "import Stripe from 'stripe'",
    "(await new Stripe('sk_test_x', { host: '127.0.0.1', port: Number(new URL('ORIGIN').port), protocol: 'http', telemetry: false }).customers.create({ name: 'x' })).path",
    'plain `fetch`',
  ],
  axios: ["import axios from 'axios'", "(await axios.post('ORIGIN/a', { b: [1, 2] }, { params: { c: 1 } })).data"],
  ky: ["import ky from 'ky'", "await ky.post('ORIGIN/a', { json: { b: [1, 2] } }).json()", 'plain `fetch`'],
  winston: [
    "import winston from 'winston'",
    "winston.createLogger({ transports: [new winston.transports.Console()] }).info('hello').level",
  ],
  pino: ["import pino from 'pino'", "pino({ level: 'warn' }).isLevelEnabled('info')"],
  'rss-parser': [
    "import Parser from 'rss-parser'",
    '(await new Parser().parseString(\'<rss version="2.0"><channel><title>T</title><item><title>a</title></item></channel></rss>\')).items[0].title',
  ],
  nodemailer: [
    "import nodemailer from 'nodemailer'",
    "(await nodemailer.createTransport({ jsonTransport: true }).sendMail({ to: 'a@b.de', text: 'x' })).envelope.to",
  ],
  express: [
    "import express from 'express'",
    "await new Promise((done, fail) => { const server = express().listen(0, () => server.close(done)).on('error', fail) })",
    'a function of `sandboxAPI`: tools answer calls, they do not wait for them',
  ],
  pg: ["import pg from 'pg'", "await new pg.Client({ host: '127.0.0.1' }).connect()", '`tgp.exec_sql`'],
  knex: ["import knex from 'knex'", "knex({ client: 'pg' })('a').where({ b: 1 }).toString()"],
  'drizzle-orm': [
    "import { pgTable, text, QueryBuilder } from 'drizzle-orm/pg-core'",
    "new QueryBuilder().select().from(pgTable('a', { b: text() })).toSQL().sql",
  ],
  sharp: ["import sharp from 'sharp'", 'typeof sharp', 'a function of `sandboxAPI`: it is native code'],
  'puppeteer-core': [
    "import puppeteer from 'puppeteer-core'",
    "await puppeteer.launch({ executablePath: '/nowhere' })",
    'a function of `sandboxAPI` that drives the browser',
  ],
};
