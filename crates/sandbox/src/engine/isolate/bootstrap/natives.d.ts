/** The native functions of the realm: `crates/sandbox/src/engine/natives/native_table.rs`. They are out of reach of guests. */

type Bytes = Uint8Array<ArrayBuffer>;

/** Functions in the snapshot. */
interface Natives {
  readonly logLevels: Readonly<Record<'debug' | 'error' | 'info' | 'log' | 'warn', number>>;
  readonly moduleKinds: Readonly<Record<'module' | 'asyncModule' | 'asyncScript' | 'package' | 'json', number>>;
  log(level: number, text: string): void;
  isError(value: unknown): value is Error;
  classOf(value: unknown): string | undefined;
  refuseResult(message: string, isTooLong: boolean): void;
  startTimer(delay: number, repeat: boolean): number;
  stopTimer(id: number): void;
  kind(path: string): number;
  source(path: string): string;
  preloads(entry: string): string[] | undefined;
  compile(path: string): (...parameters: never) => unknown;
  chargeToPackages(loads: boolean): void;
  link(importer: string, specifier: string): string | undefined;
  call(name: string, json: string, settle: (answer: string) => void): void;
  callSync(name: string, json: string): string;
  urlParse(input: string, base?: string): string | undefined;
  urlSet(href: string, part: string, value: string): string;
  formParse(text: string): string[];
  formSerialize(flat: string[]): string;
  utf8Length(text: string): number;
  utf8Write(text: string, bytes: Bytes): number;
  head(text: string, most: number): string;
  base64(bytes: Bytes): string;
  latin1Write(binary: string, bytes: Bytes): void;
  encodingName(label: string): string | undefined;
  decode(name: string, bytes: Bytes, fatal: false, keepBom: boolean): string;
  decode(name: string, bytes: Bytes, fatal: boolean, keepBom: boolean): string | undefined;
  wholeBytes(name: string, bytes: Bytes): number;
  atob(text: string): string | undefined;
  btoa(binary: string): string | undefined;
  fillRandom(bytes: Bytes): void;
  require(importer: string, specifier: string): string;
  lazyStage(name: string): string | undefined;
  lazyFile(key: string, index: number): RealmScript | undefined;
  elapsed(): number;
  lazyNatives(): LazyNatives;
  sourceText(compiled: unknown, isClass: boolean): string | undefined;
}

/** The functions that scripts of `lazy/` get in addition. */
interface LazyNatives extends Natives {
  className(value: object): string;
  context(): unknown;
  keysOf(value: object, hidden: boolean, indexes: boolean): (string | symbol)[];
  kindOf(value: unknown): string | undefined;
  reveal(value: unknown): [any, any] | undefined;
  setContext(value: unknown): void;
  latin1Read(bytes: Bytes): string;
  markHandled(promise: Promise<unknown>): void;
  codecOpen(
    format: string,
    packs: boolean,
    level?: number,
    windowBits?: number,
    memLevel?: number,
    strategy?: number,
    dictionary?: Bytes,
  ): number | undefined;
  codecPush(
    codec: number | undefined,
    bytes: Bytes,
    out: Bytes,
    flush: number,
  ): [read: number, written: number, ended: number] | string | undefined;
  codecClose(codec: number): void;
  crc32(bytes: Bytes, start: number): number;
  digest(hash: string, bytes: Bytes): string;
  hmac(hash: string, key: Bytes, bytes: Bytes): string;
  hmacRounds(hash: string, key: Bytes, link: Bytes, sum: Bytes, rounds: number): void;
  aes(
    mode: string,
    key: Bytes,
    state: Bytes,
    bytes: Bytes,
    out: Bytes,
    used?: number,
    bits?: number,
  ): number | undefined;
  ghash(key: Bytes, sum: Bytes, bytes: Bytes, used: number, ends: boolean): number | undefined;
  agreementPublic(curve: string, secret: Bytes): string | undefined;
  agree(curve: string, secret: Bytes, peer: Bytes): string | undefined;
  keyPublic(scheme: string, pkcs8: Bytes): string | undefined;
  keyGenerate(scheme: string): string;
  sign(scheme: string, pkcs8: Bytes, bytes: Bytes): string | undefined;
  verify(scheme: string, publicKey: Bytes, signature: Bytes, bytes: Bytes): boolean;
}

/** A script of `bootstrap/`, and one of `lazy/`. */
type RealmScript = (realm: Realm, native: LazyNatives) => void;
type BootstrapScript = (realm: Realm, native: Natives) => void;
