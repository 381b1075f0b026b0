/** A document with one paragraph, in Base64. */
const DOCX =
  'UEsDBAoAAAAIAHk/c110JJxTuwAAAD4BAAATAAAAW0NvbnRlbnRfVHlwZXNdLnhtbJWQuQ7CMAyGX6XKiqgRAwNquwArMPACVuq2EbkUuxxvT8o1sDHa//FZrk73SFzcnPVcq0EkrgFYD+SQyxDJZ6ULyaHkMfUQUZ+xJ1guFivQwQt5mcvUoZpqSx2OVordLa/ZBF+rRJZVsXkZJ1atMEZrNErW4eLbH8r8TShz8unhwUSeZYOCpjpcKCXTUnHEJHt0uQ6uIbXQBj26jCgn41+80HVG0zc/tcUUNDEb3ztbfhWHxn/ugOfbmgdQSwMECgAAAAAAeT9zXQAAAAAAAAAAAAAAAAYAAABfcmVscy9QSwMECgAAAAgAeT9zXWkDjoOFAAAA7wAAAAsAAABfcmVscy8ucmVsc43PMQ4CIRAF0KsQDrCzsbAwQGVja7wAgYElLgwZMOrtpbBYjYXl/P/zklFnXG1PVNqSahOPvJam5dJ7PQA0t2C2baKKZTSBONs+To5QrbvaiLCb5z3w1pBGbU1x8lqyFJdnxX9gCiE5PJK7ZSz9h/+1GLLliF3LO7EH/46nwUowCj7+My9QSwMECgAAAAAAeT9zXQAAAAAAAAAAAAAAAAUAAAB3b3JkL1BLAwQKAAAACAB5P3NdBdH0CXIAAACXAAAAEQAAAHdvcmQvZG9jdW1lbnQueG1sRc4xDsIwDAXQq6AeAFcMDFHIzDVCYtpKsR3ZQYHb05SB5X1b/oN9d1nSi5Db6U2FzfXbtLZWHYClFSnaWSryfnuKUmz7qgt00VxVEpptvFCByzxfgeLGU/DdPSR/RtaBDlq4YyniYYxDPayHvzr8XwlfUEsBAhQACgAAAAgAeT9zXXQknFO7AAAAPgEAABMAAAAAAAAAAAAAAAAAAAAAAFtDb250ZW50X1R5cGVzXS54bWxQSwECFAAKAAAAAAB5P3NdAAAAAAAAAAAAAAAABgAAAAAAAAAAABAAAADsAAAAX3JlbHMvUEsBAhQACgAAAAgAeT9zXWkDjoOFAAAA7wAAAAsAAAAAAAAAAAAAAAAAEAEAAF9yZWxzLy5yZWxzUEsBAhQACgAAAAAAeT9zXQAAAAAAAAAAAAAAAAUAAAAAAAAAAAAQAAAAvgEAAHdvcmQvUEsBAhQACgAAAAgAeT9zXQXR9AlyAAAAlwAAABEAAAAAAAAAAAAAAAAA4QEAAHdvcmQvZG9jdW1lbnQueG1sUEsFBgAAAAAFAAUAIAEAAIICAAAAAA==';

/**
 * Packages for data formats, markup and templates, each with a small typical job.
 * @type {Record<string, import('./values.mjs').Job>}
 */
export const FORMATS = {
  papaparse: [
    "import Papa from 'papaparse'",
    "[Papa.parse('a,b\\n1,\"x\\ny\"', { header: true }).data, Papa.unparse([{ a: 1, b: 'x,y' }])]",
  ],
  'csv-parse': ["import { parse } from 'csv-parse/sync'", "parse('a;b\\n1;2', { columns: true, delimiter: ';' })"],
  'csv-stringify': [
    "import { stringify } from 'csv-stringify/sync'",
    "stringify([{ a: 1, b: 'x\"y' }], { header: true })",
  ],
  'd3-dsv': [
    "import { csvParse, tsvFormat } from 'd3-dsv'",
    "[csvParse('a,b\\n1,2').columns, tsvFormat([{ a: 1 }])]",
    'its `csvParseRows`, `papaparse`, or `@tgp/std/csv`',
  ],
  'js-yaml': ["import * as yaml from 'js-yaml'", "[yaml.load('a: [1, 2]\\nb: {c: !!str 3}'), yaml.dump({ a: [1] })]"],
  yaml: ["import YAML from 'yaml'", "[YAML.parse('a: &x [1]\\nb: *x'), YAML.stringify({ a: [1] })]"],
  'smol-toml': ["import { parse } from 'smol-toml'", 'parse(\'[a]\\nb = 1\\nc = ["x"]\')'],
  toml: ["import toml from 'toml'", "toml.parse('[a]\\nb = 1')"],
  ini: ["import ini from 'ini'", "[ini.parse('a=1\\n[b]\\nc=2'), ini.stringify({ a: 1, b: { c: 2 } })]"],
  dotenv: ["import dotenv from 'dotenv'", 'dotenv.parse(\'A=1\\nB="x y"\')'],
  json5: ["import JSON5 from 'json5'", 'JSON5.parse("{a: 1, b: \'x\', /* c */}")'],
  'fast-xml-parser': [
    "import { XMLParser, XMLBuilder } from 'fast-xml-parser'",
    '[new XMLParser({ ignoreAttributes: false }).parse(\'<a x="1"><b>2</b><b>3</b></a>\'), new XMLBuilder().build({ a: { b: [1, 2] } })]',
  ],
  xml2js: [
    "import xml2js from 'xml2js'",
    '[await xml2js.parseStringPromise(\'<a x="1"><b>2</b></a>\'), new xml2js.Builder().buildObject({ a: { b: 1 } })]',
  ],
  'xml-js': ["import convert from 'xml-js'", "convert.xml2js('<a><b>1</b></a>', { compact: true })"],
  sax: [
    "import sax from 'sax'",
    "(() => { const names = []; const parser = sax.parser(true); parser.onopentag = (tag) => names.push(tag.name); parser.write('<a><b/></a>').close(); return names })()",
  ],
  '@xmldom/xmldom': [
    "import { DOMParser } from '@xmldom/xmldom'",
    "new DOMParser().parseFromString('<a><b>1</b></a>', 'text/xml').getElementsByTagName('b')[0].textContent",
  ],
  'jsonpath-plus': [
    "import { JSONPath } from 'jsonpath-plus'",
    "JSONPath({ path: '$.a[*].b', json: { a: [{ b: 1 }, { b: 2 }] } })",
  ],
  jsonpath: ["import jp from 'jsonpath'", "jp.query({ a: [{ b: 1 }, { b: 2 }] }, '$.a[?(@.b > 1)].b')"],
  jmespath: ["import jmespath from 'jmespath'", "jmespath.search({ a: [{ b: 1 }, { b: 2 }] }, 'a[?b > `1`].b')"],
  jsonata: ["import jsonata from 'jsonata'", "await jsonata('$sum(a.b)').evaluate({ a: [{ b: 1 }, { b: 2 }] })"],
  'json-logic-js': ["import jsonLogic from 'json-logic-js'", "jsonLogic.apply({ '>': [{ var: 'a' }, 1] }, { a: 2 })"],
  qs: ["import qs from 'qs'", "[qs.parse('a[b]=1&c[]=2&c[]=3'), qs.stringify({ a: { b: [1, 2] } })]"],
  'query-string': ["import queryString from 'query-string'", "queryString.parse('a=1&b=2&b=3')"],
  xlsx: [
    "import * as XLSX from 'xlsx'",
    "XLSX.utils.sheet_to_json(XLSX.read(XLSX.write({ SheetNames: ['s'], Sheets: { s: XLSX.utils.json_to_sheet([{ a: 1, b: 'x' }]) } }, { type: 'array', bookType: 'xlsx' })).Sheets.s)",
  ],
  exceljs: [
    "import ExcelJS from 'exceljs'",
    "await (async () => { const book = new ExcelJS.Workbook(); book.addWorksheet('s').addRow([1, 'x']); const bytes = await book.xlsx.writeBuffer(); const again = new ExcelJS.Workbook(); await again.xlsx.load(bytes); return again.getWorksheet('s').getRow(1).values })()",
  ],
  jszip: [
    "import JSZip from 'jszip'",
    "await (async () => { const bytes = await new JSZip().file('a.txt', 'hello').generateAsync({ type: 'uint8array', compression: 'DEFLATE' }); return (await JSZip.loadAsync(bytes)).file('a.txt').async('string') })()",
  ],
  fflate: [
    "import { gzipSync, gunzipSync, strToU8, strFromU8 } from 'fflate'",
    "strFromU8(gunzipSync(gzipSync(strToU8('hello'))))",
  ],
  pako: ["import * as pako from 'pako'", 'new TextDecoder().decode(pako.inflate(pako.deflate("hello")))'],
  '@msgpack/msgpack': ["import { encode, decode } from '@msgpack/msgpack'", "decode(encode({ a: [1, 'x'] }))"],
  'cbor-x': ["import { encode, decode } from 'cbor-x'", "decode(encode({ a: [1, 'x'] }))"],
  protobufjs: [
    "import protobuf from 'protobufjs'",
    "(() => { const { root } = protobuf.parse('syntax = \"proto3\"; message A { string b = 1; }'); const A = root.lookupType('A'); return A.decode(A.encode({ b: 'x' }).finish()).b })()",
    '`@bufbuild/protobuf`',
  ],
  '@bufbuild/protobuf': [
    "import { create, fromBinary, toBinary } from '@bufbuild/protobuf'; import { DurationSchema } from '@bufbuild/protobuf/wkt'",
    'fromBinary(DurationSchema, toBinary(DurationSchema, create(DurationSchema, { nanos: 7 }))).nanos',
  ],
  'ical.js': [
    "import ICAL from 'ical.js'",
    "new ICAL.Component(ICAL.parse('BEGIN:VCALENDAR\\nBEGIN:VEVENT\\nSUMMARY:Party\\nEND:VEVENT\\nEND:VCALENDAR')).getFirstSubcomponent('vevent').getFirstPropertyValue('summary')",
  ],
  ics: [
    "import { createEvent } from 'ics'",
    "createEvent({ start: [2024, 1, 1], duration: { hours: 1 }, title: 'Party', uid: 'x' }).value.includes('SUMMARY:Party')",
  ],
  'pdf-lib': [
    "import { PDFDocument } from 'pdf-lib'",
    "await (async () => { const pdf = await PDFDocument.create(); pdf.addPage().drawText('Hello'); return (await PDFDocument.load(await pdf.save())).getPageCount() })()",
  ],
  pdfkit: [
    "import PDFDocument from 'pdfkit'",
    "await new Promise((done, fail) => { const pdf = new PDFDocument(); let size = 0; pdf.on('data', (part) => { size += part.length }); pdf.on('end', () => done(size > 500)); pdf.on('error', fail); pdf.text('Hello'); pdf.end() })",
    'the same with its fonts registered (`registerStdFonts`, as in browsers), or `pdf-lib`',
  ],
  docx: [
    "import { Document, Packer, Paragraph } from 'docx'",
    "(await Packer.toBuffer(new Document({ sections: [{ children: [new Paragraph('Hello')] }] }))).length > 1000",
  ],
  mammoth: [
    `import mammoth from 'mammoth'; const bytes = Uint8Array.from(atob('${DOCX}'), (c) => c.charCodeAt(0))`,
    '(await mammoth.convertToHtml({ buffer: bytes, arrayBuffer: bytes.buffer })).value',
  ],
  qrcode: ["import QRCode from 'qrcode'", "(await QRCode.toString('hello', { type: 'svg' })).length"],
  'bwip-js': ["import bwip from 'bwip-js'", "bwip.toSVG({ bcid: 'code128', text: 'Hello' }).length > 100"],
  'node-html-parser': [
    "import { parse } from 'node-html-parser'",
    "parse('<ul><li class=\"x\">a</li></ul>').querySelector('.x').text",
  ],
  cheerio: [
    "import * as cheerio from 'cheerio'",
    "cheerio.load('<ul><li>a</li><li>b</li></ul>')('li').map((_, li) => li.children[0].data).get()",
  ],
  htmlparser2: [
    "import { parseDocument, DomUtils } from 'htmlparser2'",
    "DomUtils.textContent(parseDocument('<p>a <b>b</b></p>'))",
  ],
  parse5: ["import { parse, serialize } from 'parse5'", "serialize(parse('<p>a<p>b'))"],
  jsdom: [
    "import { JSDOM } from 'jsdom'",
    "new JSDOM('<p>a</p>').window.document.querySelector('p').textContent",
    '`cheerio`, `node-html-parser` or `parse5`',
  ],
  'sanitize-html': ["import sanitize from 'sanitize-html'", 'sanitize(\'<b onclick="x()">a</b><script>b</script>\')'],
  xss: ["import xss from 'xss'", 'xss(\'<b onclick="x()">a</b><script>b</script>\')'],
  turndown: [
    "import TurndownService from 'turndown'",
    "new TurndownService().turndown('<h1>Hi</h1><p>a <b>b</b></p>')",
  ],
  'html-to-text': ["import { convert } from 'html-to-text'", "convert('<h1>Hi</h1><p>a <b>b</b></p>')"],
  marked: ["import { marked } from 'marked'", "marked.parse('# Hi\\n\\n- *a*')"],
  'markdown-it': ["import MarkdownIt from 'markdown-it'", "new MarkdownIt().render('# Hi\\n\\n| a |\\n|---|\\n| 1 |')"],
  showdown: ["import showdown from 'showdown'", "new showdown.Converter().makeHtml('# Hi')"],
  remark: ["import { remark } from 'remark'", "String(await remark().process('* a\\n* b'))"],
  'gray-matter': ["import matter from 'gray-matter'", "matter('---\\na: 1\\n---\\ntext').data"],
  mustache: [
    "import Mustache from 'mustache'",
    "Mustache.render('{{#a}}<{{b}}>{{/a}}', { a: [{ b: 1 }, { b: '&' }] })",
  ],
  handlebars: [
    "import Handlebars from 'handlebars'",
    "Handlebars.compile('Hi {{name}}')({ name: 'A' })",
    '`mustache`, `liquidjs`, or a template literal',
  ],
  ejs: [
    "import ejs from 'ejs'",
    "ejs.render('Hi <%= name %>', { name: 'A' })",
    '`mustache`, `liquidjs`, or a template literal',
  ],
  nunjucks: [
    "import nunjucks from 'nunjucks'",
    "nunjucks.renderString('Hi {{ name }}', { name: 'A' })",
    '`mustache`, `liquidjs`, or a template literal',
  ],
  liquidjs: [
    "import { Liquid } from 'liquidjs'",
    "await new Liquid().parseAndRender('Hi {{ name | upcase }}', { name: 'a' })",
  ],
  eta: [
    "import { Eta } from 'eta'",
    "new Eta().renderString('Hi <%= it.name %>', { name: 'A' })",
    '`mustache`, `liquidjs`, or a template literal',
  ],
  squirrelly: [
    "import * as Sqrl from 'squirrelly'",
    "Sqrl.render('Hi {{it.name}}', { name: 'A' })",
    '`mustache`, `liquidjs`, or a template literal',
  ],
  pug: [
    "import pug from 'pug'",
    "pug.render('p= name', { name: 'A' })",
    '`mustache`, `liquidjs`, or a template literal',
  ],
};
