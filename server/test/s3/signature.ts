/** Checks the signature (version 4) of a request to the storage of the tests, by header or in the address. */
import { createHash, createHmac } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

export interface Keys {
  readonly id: string;
  readonly secret: string;
}

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest('hex');
const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();
const encode = (text: string) =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);

function signatureOf(
  request: IncomingMessage,
  url: URL,
  keys: Keys,
  given: { credential: string; date: string; signed: string; payload: string },
): string {
  const query = [...url.searchParams]
    .filter(([name]) => name !== 'X-Amz-Signature')
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .sort();
  const headers = given.signed.split(';').map((name) => `${name}:${String(request.headers[name] ?? '').trim()}\n`);
  const canonical = [request.method, url.pathname, query.join('&'), headers.join(''), given.signed, given.payload].join(
    '\n',
  );
  const [, day = '', region = '', service = ''] = given.credential.split('/');
  const scope = `${day}/${region}/${service}/aws4_request`;
  const text = ['AWS4-HMAC-SHA256', given.date, scope, sha256(canonical)].join('\n');
  const key = [region, service, 'aws4_request'].reduce<Buffer>(hmac, hmac(`AWS4${keys.secret}`, day));
  return hmac(key, text).toString('hex');
}

const instant = (text: string) =>
  Date.parse(text.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'));

/** The code of the storage's refusal; null when the request is signed as it has to be. */
export function refusal(request: IncomingMessage, url: URL, body: Buffer, keys: Keys): string | null {
  const query = url.searchParams;
  const signedQuery = query.get('X-Amz-Signature');
  if (signedQuery !== null) {
    const date = query.get('X-Amz-Date') ?? '';
    const credential = query.get('X-Amz-Credential') ?? '';
    const given = { credential, date, signed: query.get('X-Amz-SignedHeaders') ?? '', payload: 'UNSIGNED-PAYLOAD' };
    if (!credential.startsWith(`${keys.id}/`)) return 'InvalidAccessKeyId';
    if (signatureOf(request, url, keys, given) !== signedQuery) return 'SignatureDoesNotMatch';
    return Date.now() > instant(date) + Number(query.get('X-Amz-Expires')) * 1000 ? 'AccessDenied' : null;
  }
  const match = /^AWS4-HMAC-SHA256 Credential=(\S+), SignedHeaders=(\S+), Signature=(\S+)$/.exec(
    request.headers.authorization ?? '',
  );
  const [, credential = '', signed = '', signature] = match ?? [];
  const payload = String(request.headers['x-amz-content-sha256']);
  if (!credential.startsWith(`${keys.id}/`)) return 'InvalidAccessKeyId';
  if (payload !== 'UNSIGNED-PAYLOAD' && payload !== sha256(body)) return 'XAmzContentSHA256Mismatch';
  const given = { credential, date: String(request.headers['x-amz-date']), signed, payload };
  return signatureOf(request, url, keys, given) === signature ? null : 'SignatureDoesNotMatch';
}
