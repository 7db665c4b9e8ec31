/** Which application a request comes from, and whether it proved that (RFC 6749, 2.3). */
import { timingSafeEqual } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { Db } from '../../../kernel/db/index.ts';
import type { OauthApplication } from '../../../kernel/db/rows.ts';
import { tokenHash } from '../../../kernel/secrets/index.ts';
import { findApplication } from '../applications/index.ts';
import { oauthError, type Parameters } from './requests.ts';

interface Named {
  readonly uid: string;
  readonly secret: string | undefined;
  readonly basic: boolean;
}

function refused(basic: boolean) {
  const headers: Record<string, string> = basic ? { 'WWW-Authenticate': 'Basic realm="OAuth"' } : {};
  return oauthError('invalid_client', 'The application is unknown, or it did not prove itself.', 401, headers);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw refused(true);
  }
}

function named(request: FastifyRequest, parameters: Parameters): Named | null {
  const { client_id, client_secret } = parameters;
  const encoded = /^basic\s+(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
  if (encoded === undefined) {
    if (client_id === undefined && client_secret !== undefined) throw refused(false);
    return client_id === undefined ? null : { uid: client_id, secret: client_secret, basic: false };
  }
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  if (colon === -1 || text.includes('\0')) throw refused(true);
  const uid = decoded(text.slice(0, colon));
  const secret = decoded(text.slice(colon + 1));
  if (client_secret !== undefined)
    throw oauthError('invalid_request', 'The application proves itself in more than one way.');
  if (client_id !== undefined && client_id !== uid) throw refused(true);
  return { uid, secret: secret === '' ? undefined : secret, basic: true };
}

/** The application that a request names and proves to be; null when it names none. Throws `invalid_client`. */
export async function clientOf(
  db: Db,
  request: FastifyRequest,
  parameters: Parameters,
): Promise<OauthApplication | null> {
  const given = named(request, parameters);
  if (!given) return null;
  const application = await findApplication(db, given.uid);
  const proven =
    application &&
    (given.secret === undefined
      ? !application.confidential
      : timingSafeEqual(application.secret_sha256, tokenHash(given.secret)));
  if (!proven) throw refused(given.basic);
  return application;
}

export async function requireClient(
  db: Db,
  request: FastifyRequest,
  parameters: Parameters,
): Promise<OauthApplication> {
  const application = await clientOf(db, request, parameters);
  if (!application) throw refused(false);
  return application;
}
