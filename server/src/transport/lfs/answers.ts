/** What LFS clients are told: https://github.com/git-lfs/git-lfs/tree/main/docs/api */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { closeAfterUnreadBody } from '../../kernel/http/early-answers.ts';
import { HttpError, plainError } from '../../kernel/http/errors.ts';

export const lfsMedia = 'application/vnd.git-lfs+json';

const challenge = 'Basic realm="Millrace"';

export const askForPassword = () =>
  new HttpError(
    401,
    { message: 'Credentials are needed: a username with a personal access token as the password.' },
    { 'WWW-Authenticate': challenge, 'LFS-Authenticate': challenge },
  );

export const missing = (message = 'Not found.') => plainError(404, message);

export const answer = (reply: FastifyReply, status: number, body: unknown): FastifyReply =>
  // Bytes: to a text of JSON the framework appends a charset.
  reply
    .code(status)
    .header('Content-Type', lfsMedia)
    .send(Buffer.from(JSON.stringify(body)));

const wordsOf = (error: HttpError): string => {
  const shown = 'message' in error.body ? error.body.message : error.body.error;
  return (error.text ?? (typeof shown === 'string' ? shown : JSON.stringify(shown))).trim();
};

/** Refusals in the shape that LFS clients show; faults stay those of the server. */
export function refuse(
  request: FastifyRequest,
  reply: FastifyReply,
  error: unknown,
  documentation: string,
  more: Readonly<Record<string, unknown>> = {},
): FastifyReply {
  if (!(error instanceof HttpError)) throw error;
  closeAfterUnreadBody(request, reply);
  for (const name of ['ETag', 'Content-Length', 'Content-Disposition']) reply.removeHeader(name);
  const body = { ...more, message: wordsOf(error), documentation_url: documentation, request_id: request.id };
  return answer(reply.headers(error.headers), error.status, body);
}
