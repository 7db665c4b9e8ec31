/**
 * Fingerprints of SSH keys, as `ssh-keygen -l` shows them. Browsers offer hashing only to pages with HTTPS, and an
 * instance at home often has none: so SHA-256 (FIPS 180-4) is here; it protects nothing, it names a public key.
 */
const primes: number[] = [];
for (let number = 2; primes.length < 64; number++) {
  if (primes.every((prime) => number % prime !== 0)) primes.push(number);
}
/** The first 32 bits of a number's fraction. */
const fraction = (value: number) => ((value - Math.floor(value)) * 2 ** 32) | 0;
const initial = primes.slice(0, 8).map((prime) => fraction(Math.sqrt(prime)));
const rounds = primes.map((prime) => fraction(Math.cbrt(prime)));
const turn = (word: number, by: number) => (word >>> by) | (word << (32 - by));

function mix(state: number[], word: Int32Array): number[] {
  for (let i = 16; i < 64; i++) {
    const a = word[i - 15] ?? 0;
    const b = word[i - 2] ?? 0;
    const small = turn(a, 7) ^ turn(a, 18) ^ (a >>> 3);
    const large = turn(b, 17) ^ turn(b, 19) ^ (b >>> 10);
    word[i] = (word[i - 16] ?? 0) + small + (word[i - 7] ?? 0) + large;
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (let i = 0; i < 64; i++) {
    const one = h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + (rounds[i] ?? 0) + (word[i] ?? 0);
    const two = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0];
  }
  return [a, b, c, d, e, f, g, h].map((value, index) => (value + (state[index] ?? 0)) | 0);
}

export function sha256(bytes: Uint8Array): Uint8Array {
  const blocks = Math.ceil((bytes.length + 9) / 64);
  const padded = new Uint8Array(blocks * 64);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 4, bytes.length * 8);
  let state = initial;
  for (let block = 0; block < blocks; block++) {
    const word = new Int32Array(64);
    for (let i = 0; i < 16; i++) word[i] = view.getInt32(block * 64 + i * 4);
    state = mix(state, word);
  }
  const sum = new Uint8Array(32);
  const out = new DataView(sum.buffer);
  for (const [index, value] of state.entries()) out.setInt32(index * 4, value);
  return sum;
}

/** `SHA256:...` of a key in one line (`ssh-ed25519 AAAA... comment`); null when it is none. */
export function sshFingerprint(key: string): string | null {
  const blob = key.trim().split(/\s+/)[1];
  if (!blob || !/^[A-Za-z0-9+/]+=*$/.test(blob) || blob.length % 4 !== 0) return null;
  const bytes = Uint8Array.from(atob(blob), (character) => character.charCodeAt(0));
  return `SHA256:${btoa(String.fromCharCode(...sha256(bytes))).replace(/=+$/, '')}`;
}
