/** What requests for repositories have in common, whichever protocol they speak over HTTP. */
import type { FastifyRequest } from 'fastify';

/** A part of an address as text; as it is where it is no valid encoding, which names nothing then. */
export const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

/** Username and password; null where none are given. */
export function basicCredentials(request: FastifyRequest): { username: string; password: string } | null {
  const match = /^basic\s+([A-Za-z0-9+/=_-]+)$/i.exec(request.headers.authorization ?? '');
  if (!match?.[1]) return null;
  const text = Buffer.from(match[1], 'base64').toString('utf8');
  const colon = text.indexOf(':');
  return colon === -1 ? null : { username: text.slice(0, colon), password: text.slice(colon + 1) };
}
