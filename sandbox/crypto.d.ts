/** `crypto` of the sandbox, with the names of types that browsers have. */

interface Algorithm {
  name: string;
}
type AlgorithmIdentifier = Algorithm | string;
type HashAlgorithmIdentifier = AlgorithmIdentifier;
type NamedCurve = string;
type BigInteger = Uint8Array;
type KeyFormat = 'raw' | 'raw-public' | 'raw-secret' | 'jwk' | 'spki' | 'pkcs8';
type KeyType = 'secret' | 'private' | 'public';
type KeyUsage = 'encrypt' | 'decrypt' | 'sign' | 'verify' | 'deriveKey' | 'deriveBits' | 'wrapKey' | 'unwrapKey';

interface AesCbcParams extends Algorithm {
  iv: BufferSource;
}
interface AesCtrParams extends Algorithm {
  counter: BufferSource;
  length: number;
}
interface AesGcmParams extends Algorithm {
  iv: BufferSource;
  additionalData?: BufferSource;
  tagLength?: number;
}
interface RsaOaepParams extends Algorithm {
  label?: BufferSource;
}
interface RsaPssParams extends Algorithm {
  saltLength: number;
}
interface EcdsaParams extends Algorithm {
  hash: HashAlgorithmIdentifier;
}
interface EcdhKeyDeriveParams extends Algorithm {
  public: CryptoKey;
}
interface HkdfParams extends Algorithm {
  hash: HashAlgorithmIdentifier;
  salt: BufferSource;
  info: BufferSource;
}
interface Pbkdf2Params extends Algorithm {
  hash: HashAlgorithmIdentifier;
  salt: BufferSource;
  iterations: number;
}
interface AesKeyAlgorithm extends Algorithm {
  length: number;
}
interface AesKeyGenParams extends AesKeyAlgorithm {}
interface AesDerivedKeyParams extends AesKeyAlgorithm {}
interface HmacImportParams extends Algorithm {
  hash: HashAlgorithmIdentifier;
  length?: number;
}
interface HmacKeyGenParams extends HmacImportParams {}
interface EcKeyImportParams extends Algorithm {
  namedCurve: NamedCurve;
}
interface EcKeyGenParams extends EcKeyImportParams {}
interface RsaHashedImportParams extends Algorithm {
  hash: HashAlgorithmIdentifier;
}
interface RsaKeyGenParams extends Algorithm {
  modulusLength: number;
  publicExponent: BigInteger;
}
interface RsaHashedKeyGenParams extends RsaKeyGenParams {
  hash: HashAlgorithmIdentifier;
}

type CipherParams = AlgorithmIdentifier | RsaOaepParams | AesCtrParams | AesCbcParams | AesGcmParams;
type SignatureParams = AlgorithmIdentifier | RsaPssParams | EcdsaParams;
type DerivationParams = AlgorithmIdentifier | EcdhKeyDeriveParams | HkdfParams | Pbkdf2Params;
type KeyImportParams =
  | AlgorithmIdentifier
  | RsaHashedImportParams
  | EcKeyImportParams
  | HmacImportParams
  | AesKeyAlgorithm;
type DerivedKeyParams = AlgorithmIdentifier | AesDerivedKeyParams | HmacImportParams | HkdfParams | Pbkdf2Params;

/** A key as RFC 7517 defines it. */
interface JsonWebKey {
  alg?: string;
  crv?: string;
  d?: string;
  dp?: string;
  dq?: string;
  e?: string;
  ext?: boolean;
  k?: string;
  key_ops?: string[];
  kid?: string;
  kty?: string;
  n?: string;
  p?: string;
  q?: string;
  qi?: string;
  use?: string;
  x?: string;
  y?: string;
}

declare class CryptoKey {
  private constructor();
  readonly type: KeyType;
  readonly extractable: boolean;
  readonly algorithm: { name: string; [parameter: string]: any };
  readonly usages: KeyUsage[];
}

interface CryptoKeyPair {
  publicKey: CryptoKey;
  privateKey: CryptoKey;
}

/** Digests, signatures, encryption, key derivation and key agreement; docs/sandbox.md lists the algorithms. */
declare class SubtleCrypto {
  private constructor();
  digest(algorithm: AlgorithmIdentifier, data: BufferSource): Promise<ArrayBuffer>;
  sign(algorithm: SignatureParams, key: CryptoKey, data: BufferSource): Promise<ArrayBuffer>;
  verify(algorithm: SignatureParams, key: CryptoKey, signature: BufferSource, data: BufferSource): Promise<boolean>;
  encrypt(algorithm: CipherParams, key: CryptoKey, data: BufferSource): Promise<ArrayBuffer>;
  decrypt(algorithm: CipherParams, key: CryptoKey, data: BufferSource): Promise<ArrayBuffer>;
  deriveBits(algorithm: DerivationParams, baseKey: CryptoKey, length?: number | null): Promise<ArrayBuffer>;
  deriveKey(
    algorithm: DerivationParams,
    baseKey: CryptoKey,
    derivedKeyType: DerivedKeyParams,
    extractable: boolean,
    usages: readonly string[],
  ): Promise<CryptoKey>;
  importKey(
    format: KeyFormat,
    data: BufferSource | JsonWebKey | object,
    algorithm: KeyImportParams,
    extractable: boolean,
    usages: readonly string[],
  ): Promise<CryptoKey>;
  exportKey(format: 'jwk', key: CryptoKey): Promise<JsonWebKey>;
  exportKey(format: Exclude<KeyFormat, 'jwk'>, key: CryptoKey): Promise<ArrayBuffer>;
  exportKey(format: KeyFormat, key: CryptoKey): Promise<ArrayBuffer | JsonWebKey>;
  generateKey(
    algorithm: RsaHashedKeyGenParams | EcKeyGenParams,
    extractable: boolean,
    usages: readonly string[],
  ): Promise<CryptoKeyPair>;
  generateKey(
    algorithm: AesKeyGenParams | HmacKeyGenParams,
    extractable: boolean,
    usages: readonly string[],
  ): Promise<CryptoKey>;
  generateKey(algorithm: AlgorithmIdentifier, extractable: boolean, usages: readonly string[]): Promise<any>;
  wrapKey(format: KeyFormat, key: CryptoKey, wrappingKey: CryptoKey, wrapAlgorithm: CipherParams): Promise<ArrayBuffer>;
  unwrapKey(
    format: KeyFormat,
    wrappedKey: BufferSource,
    unwrappingKey: CryptoKey,
    unwrapAlgorithm: CipherParams,
    unwrappedKeyAlgorithm: KeyImportParams,
    extractable: boolean,
    usages: readonly string[],
  ): Promise<CryptoKey>;
}

declare class Crypto {
  private constructor();
  randomUUID(): `${string}-${string}-${string}-${string}-${string}`;
  getRandomValues<Bytes extends ArrayBufferView>(bytes: Bytes): Bytes;
  readonly subtle: SubtleCrypto;
}

declare var crypto: Crypto;
