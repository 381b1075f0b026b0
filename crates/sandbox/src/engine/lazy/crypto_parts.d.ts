/** Internal values of `crypto.subtle`. */

interface Curve extends Internal {
  readonly bytes: number;
  readonly hash: string;
  readonly alg: string;
  readonly p: bigint;
  readonly b: bigint;
  readonly algorithm: string;
  readonly before: string;
  readonly between: string;
}
/** An algorithm with its parameters. */
interface KeyKind extends Internal {
  readonly name: string;
  hash: string | undefined;
  curve: string | undefined;
  /** All parameters of a signature. */
  scheme: string;
  spki: Bytes | undefined;
  rsa: boolean;
}
interface KeyFacts extends Internal {
  readonly type: string;
  readonly extractable: boolean;
  readonly algorithm: object;
  readonly usages: List<string>;
}
interface KeySecrets extends Partial<KeyKind> {
  readonly name: string;
  readonly hash: string | undefined;
  readonly bytes: Bytes;
  /** The public key of a private key, and of any key for agreement. */
  readonly point?: Bytes;
}
interface KeyState extends KeySecrets {
  readonly type: string;
  readonly extractable: boolean;
  readonly usages: List<string>;
  readonly scheme: string;
  readonly spki: Bytes;
}
interface DerContent extends Internal {
  readonly from: number;
  readonly to: number;
}

interface KeyFunctions extends Internal {
  isOnCurve(point: Bytes, curve: Curve): boolean;
  sameBytes(one: Bytes, other: Bytes): boolean;
  newKey(facts: KeyFacts, secrets: KeySecrets): object;
  secretsOf(value: Guest): KeyState | undefined;
  bytesFrom(binary: string): Bytes;
  bytesFromHex(hex: string): Bytes;
  toBase64Url(bytes: Bytes): string;
  fromBase64Url(value: Guest): Bytes;
  join(...parts: Bytes[]): Bytes;
  der(tagByte: number, content: Bytes): Bytes;
  derContent(bytes: Bytes, at: number, tagByte: number): DerContent;
  derInteger(bytes: Bytes): Bytes;
  fromSpki(bytes: Bytes, algorithm: Bytes): Bytes;
  secretIn(bytes: Bytes, algorithm: Bytes, isPlain: boolean): Bytes;
  toSpki(key: Bytes, algorithm: Bytes): Bytes;
  refuse(message: string): never;
}

interface Algorithms extends Internal {
  readonly BLOCK_BYTES: Table<number>;
  readonly CURVES: Table<Curve>;
  readonly ED25519: Pick<Curve, 'algorithm' | 'before' | 'bytes'>;
  readonly HASH_BYTES: Table<number>;
  /** Names of the algorithms in `Realm.suites`. */
  readonly SUITES: string[];
  readonly USAGES: string[];
  among(usages: List<string>, allowed: string[]): List<string>;
  contains(items: ArrayLike<string>, wanted: Guest): boolean;
  dataOf(value: Guest): Bytes;
  hashOf(value: Guest): string;
  kindOf(algorithm: Guest): KeyKind;
  nameOf(algorithm: Guest): string;
  needUsages(usages: List<string>, what?: string): List<string>;
  unsupported(what: string): never;
  usagesOf(value: Guest, allowed: string[], message?: string): List<string>;
}

interface KeyImport extends Internal {
  checkJwk(jwk: Guest, algs: string[] | undefined, extractable: boolean, usages: List<string>, use?: string): void;
  curveJwk(shown: object, found: KeyState, point: Bytes, secret?: Bytes): object;
  hmacKey(hash: string, bytes: Bytes, extractable: boolean, usages: List<string>, length?: number): object;
  importHmac(format: string, data: Guest, algorithm: Guest, extractable: boolean, usages: Guest): object;
  importJwk(kind: KeyKind, jwk: Guest, extractable: boolean, usages: Guest): object;
  privateKey(kind: KeyKind, pkcs8: Bytes, extractable: boolean, usages: List<string>, named?: Bytes): object;
  publicKey(kind: KeyKind, bytes: Bytes, extractable: boolean, usages: List<string>): object;
  usagesFor(name: string, isPrivate?: boolean): string[];
}

type Encrypting = (found: KeyState, algorithm: Guest, data: Bytes) => Bytes;
/** The functions of an algorithm that encrypts, derives or agrees. Those that it does not have are not supported. */
interface Suite extends Internal {
  importKey?(format: string, data: Guest, algorithm: Guest, extractable: boolean, usages: Guest): object;
  /** Undefined for a format that the key does not have. */
  exportKey?(format: string, found: KeyState): Guest;
  generateKey?(algorithm: Guest, extractable: boolean, usages: Guest): object;
  /** The bits of a derived key; undefined for any number. */
  keyLength?(algorithm: Guest): number | undefined;
  encrypt?: Encrypting;
  decrypt?: Encrypting;
  wrap?: Encrypting;
  unwrap?: Encrypting;
  deriveBits?(found: KeyState, algorithm: Guest, bits: Guest): Bytes;
}
interface SuiteParts extends Internal {
  failed(): never;
  formatRefused(name: string, format: string): never;
  jwk(found: KeyState, alg?: string): object;
  needed(algorithm: Guest, name: string, dictionary: string): Guest;
  noAccess(message: string): never;
  operationError(message: string): never;
  wholeBytes(bits: Guest): number;
  wrongData(message: string): never;
}

type Cipher = (bytes: Bytes) => Bytes;
interface GcmCipher extends Internal {
  update: Cipher;
  /** The tag. */
  end(): Bytes;
}
interface AesCiphers extends Internal {
  part(bytes: Bytes, from: number, to: number): Bytes;
  newBlocks(mode: string, key: Bytes, iv: Bytes): Cipher;
  newCounter(key: Bytes, start: Bytes, bits: number): Cipher;
  newGcm(encrypts: boolean, key: Bytes, iv: Bytes, aad: Bytes): GcmCipher;
}
interface RsaNumbers extends Internal {
  newKey(bits: number, algorithm: Bytes): Bytes;
  open(found: KeyState, data: Bytes): Bytes;
  partsOf(found: KeyState): List<Bytes>;
  secret(found: KeyState, data: Bytes): Bytes;
}
