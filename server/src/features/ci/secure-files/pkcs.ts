/** Certificates of a PKCS #12 file without a password, and what a CMS message signs. Throws for anything else. Pure. */
import forge from 'node-forge';

const { asn1 } = forge;
/** Its types leave it out. */
const { pbe } = forge.pki as unknown as {
  readonly pbe: {
    getCipher(oid: string, parameters: forge.asn1.Asn1, password: string | null): forge.cipher.BlockCipher;
  };
};
type Node = forge.asn1.Asn1;

/** Rounds of key derivation that one file may cost: a password that nobody gave is worth no more. */
const maxIterations = 200_000;

const oid = { data: '1.2.840.113549.1.7.1', signedData: '1.2.840.113549.1.7.2', encryptedData: '1.2.840.113549.1.7.6' };
const certificateBag = '1.2.840.113549.1.12.10.1.3';

const parse = (bytes: string | Buffer): Node =>
  asn1.fromDer(typeof bytes === 'string' ? bytes : bytes.toString('binary'), false);

function children(node: Node | undefined): Node[] {
  if (!node || typeof node.value === 'string') throw new Error('not a sequence');
  return node.value;
}
function child(node: Node | undefined, ...path: readonly number[]): Node {
  const found = path.reduce<Node | undefined>((at, index) => children(at)[index], node);
  if (!found) throw new Error('too short');
  return found;
}
/** The bytes of a string, also of one in pieces. */
function bytesOf(node: Node): string {
  return typeof node.value === 'string' ? node.value : node.value.map(bytesOf).join('');
}
const oidOf = (node: Node): string => asn1.derToOid(bytesOf(node));

/** All whole numbers that are not tiny among an algorithm's parameters: one of them is the number of rounds. */
function iterationsOf(parameters: Node): number {
  if (typeof parameters.value !== 'string') return parameters.value.reduce((sum, each) => sum + iterationsOf(each), 0);
  if (parameters.type !== asn1.Type.INTEGER || parameters.tagClass !== asn1.Class.UNIVERSAL) return 0;
  return parameters.value.length > 4
    ? Number.POSITIVE_INFINITY
    : Buffer.from(parameters.value, 'binary').readUIntBE(0, parameters.value.length);
}

function decrypt(algorithm: Node, encrypted: string, password: string | null): string {
  // Two ways to write an empty password are in use: no bytes at all, and the end of a text.
  const cipher = pbe.getCipher(oidOf(child(algorithm, 0)), child(algorithm, 1), password);
  cipher.update(forge.util.createBuffer(encrypted));
  if (!cipher.finish()) throw new Error('another password');
  return cipher.output.getBytes();
}

const certificatesIn = (contents: Node): Buffer[] =>
  children(contents)
    .filter((bag) => oidOf(child(bag, 0)) === certificateBag)
    .map((bag) => Buffer.from(bytesOf(child(bag, 1, 0, 1, 0)), 'binary'));

function opened(content: Node): Node | null {
  const type = oidOf(child(content, 0));
  if (type === oid.data) return parse(bytesOf(child(content, 1, 0)));
  if (type !== oid.encryptedData) return null;
  const [, algorithm, text] = children(child(content, 1, 0, 1));
  if (!algorithm || !text) throw new Error('too short');
  for (const password of ['', null])
    try {
      return parse(decrypt(algorithm, bytesOf(text), password));
    } catch {}
  throw new Error('another password');
}

/** DER of the certificates in a file whose password is empty. */
export function certificatesOfPkcs12(file: Buffer): Buffer[] {
  const safe = child(parse(file), 1);
  if (oidOf(child(safe, 0)) !== oid.data) throw new Error('not sealed by a password');
  const contents = children(parse(bytesOf(child(safe, 1, 0))));
  const iterations = contents
    .filter((content) => oidOf(child(content, 0)) === oid.encryptedData)
    .reduce((sum, content) => sum + iterationsOf(child(content, 1, 0, 1, 1)), 0);
  if (iterations > maxIterations) throw new Error('too many rounds of key derivation');
  return contents.flatMap((content) => {
    const safeContents = opened(content);
    return safeContents ? certificatesIn(safeContents) : [];
  });
}

/** What a CMS message carries, and the certificates that came with it. The signature is not checked: nothing is trusted. */
export function signedContent(message: Buffer): { readonly data: Buffer; readonly certificates: readonly Buffer[] } {
  const content = parse(message);
  if (oidOf(child(content, 0)) !== oid.signedData) throw new Error('not signed data');
  const signed = children(child(content, 1, 0));
  const data = Buffer.from(bytesOf(child(signed[2], 1, 0)), 'binary');
  const certificates = signed.find(
    ({ tagClass, type }) => tagClass === asn1.Class.CONTEXT_SPECIFIC && Number(type) === 0,
  );
  const found = certificates ? children(certificates) : [];
  return { data, certificates: found.map((each) => Buffer.from(asn1.toDer(each).getBytes(), 'binary')) };
}
