/** What the OAuth endpoints read and answer: flat parameters, errors of RFC 6749, nothing that is kept by caches. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { HttpError } from '../../../kernel/http/errors.ts';
import { readAll } from '../../../kernel/http/params/body.ts';

/** The errors of RFC 6749, 7009 and 8628 that occur. */
export type OauthErrorCode =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'invalid_scope'
  | 'insufficient_scope'
  | 'invalid_token'
  | 'unauthorized_client'
  | 'unsupported_grant_type'
  | 'unsupported_response_type'
  | 'access_denied'
  | 'authorization_pending'
  | 'slow_down'
  | 'expired_token';

export function oauthError(
  error: OauthErrorCode,
  description: string,
  status = 400,
  headers: Readonly<Record<string, string>> = {},
): HttpError {
  return new HttpError(status, { error, error_description: description }, headers);
}

export type Parameters = Readonly<Record<string, string | undefined>>;

const largestBody = 50_000;

/** Each name once, each value a text: nobody can mean two things with one request. Empty ones count as left out. */
function flat(pairs: Iterable<readonly [string, unknown]>): Parameters {
  const found: Record<string, string> = Object.create(null);
  const seen = new Set<string>();
  for (const [name, value] of pairs) {
    const plain = name.replace(/\[.*$/s, '');
    if (seen.has(plain) || plain !== name) throw oauthError('invalid_request', 'A parameter is given more than once.');
    seen.add(plain);
    if (value === null || value === '') continue;
    if (typeof value !== 'string') throw oauthError('invalid_request', 'Every parameter is a text.');
    if (value.includes('\0')) throw oauthError('invalid_request', 'A parameter holds a character that none has.');
    found[name] = value;
  }
  return found;
}

export const queryParameters = (url: string): Parameters =>
  flat(new URLSearchParams(url.includes('?') ? url.slice(url.indexOf('?') + 1) : ''));

/** Of a form or of a JSON object. What stands in the address is not read: it would stand in logs too. */
export async function bodyParameters(request: FastifyRequest): Promise<Parameters> {
  const type = (request.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase();
  const text = (await readAll(request.raw, 'max_parameter_bytes', largestBody)).toString('utf8');
  if (text === '') return {};
  if (type !== 'application/json') {
    if (type !== '' && type !== 'application/x-www-form-urlencoded')
      throw oauthError('invalid_request', 'Send a form or a JSON object.');
    return flat(new URLSearchParams(text));
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw oauthError('invalid_request', 'The body is not valid JSON.');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw oauthError('invalid_request', 'Send a form or a JSON object.');
  return flat(Object.entries(value));
}

export const required = (parameters: Parameters, name: string): string => {
  const value = parameters[name];
  if (value === undefined) throw oauthError('invalid_request', `Missing required parameter: ${name}.`);
  return value;
};

export const neverCached = (reply: FastifyReply): FastifyReply =>
  reply.header('Cache-Control', 'no-store').header('Pragma', 'no-cache');

export const sendJson = (reply: FastifyReply, body: unknown, status = 200): FastifyReply =>
  neverCached(reply).code(status).header('Content-Type', 'application/json').send(JSON.stringify(body));
