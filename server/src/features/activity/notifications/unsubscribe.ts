/** The link at the end of notification mails: whoever has it ends the mails about one thing, without signing in. */
import type { FastifyInstance } from 'fastify';
import type { Db } from '../../../kernel/db/index.ts';
import { notFound } from '../../../kernel/http/errors.ts';
import { escapeHtml } from '../../../kernel/markdown/index.ts';
import type { Secrets } from '../../../kernel/secrets/index.ts';
import { setCommitSubscribed, setSubscribed } from '../../collaboration/index.ts';
import { type NotifiedItem, wordsOf } from './mail-template.ts';

const purpose = 'unsubscribe';
const path = '/-/sent_notifications';

/** What somebody hears of; a commit by its project and hash. */
export type Followed = { readonly userId: number; readonly iid: number | null } & (
  | { readonly type: Exclude<NotifiedItem['type'], 'commit'>; readonly id: number }
  | { readonly type: 'commit'; readonly id: string; readonly projectId: number }
);

/** The key says for whom and for what it is, sealed: nobody makes one, and none is stored. */
export function unsubscribing(deps: {
  readonly db: Db;
  readonly externalUrl: string;
  readonly secrets: Pick<Secrets, 'seal' | 'open'>;
}) {
  const { secrets, externalUrl } = deps;

  function opened(key: string): Followed {
    try {
      return JSON.parse(secrets.open(Buffer.from(key, 'base64url'), purpose)) as Followed;
    } catch {
      throw notFound();
    }
  }

  const page = (title: string, body: string) =>
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">` +
    `<title>${escapeHtml(title)}</title></head><body><main><h1>${escapeHtml(title)}</h1>${body}` +
    `<p><a href="${escapeHtml(externalUrl)}/">Millrace</a></p></main></body></html>`;

  return {
    url: (followed: Followed) =>
      `${externalUrl}${path}/${secrets.seal(JSON.stringify(followed), purpose).toString('base64url')}/unsubscribe`,
    mount(server: FastifyInstance): void {
      const html = 'text/html; charset=utf-8';
      const policy = "default-src 'none'; form-action 'self'; frame-ancestors 'none'";
      server.get<{ Params: { key: string } }>(`${path}/:key/unsubscribe`, async (request, reply) => {
        const what = wordsOf(opened(request.params.key));
        // Programs that look at links before their reader does change nothing.
        const form = `<p>Stop email about ${escapeHtml(what)}?</p><form method="post"><button>Unsubscribe</button></form>`;
        void reply
          .header('Content-Type', html)
          .header('Content-Security-Policy', policy)
          .header('Cache-Control', 'no-store');
        return reply.send(page(`Unsubscribe from ${what}`, form));
      });
      server.post<{ Params: { key: string } }>(`${path}/:key/unsubscribe`, async (request, reply) => {
        const followed = opened(request.params.key);
        const { userId } = followed;
        if (followed.type === 'commit')
          await setCommitSubscribed(deps.db, { projectId: followed.projectId, commitId: followed.id }, userId, false);
        else await setSubscribed(deps.db, followed, userId, false);
        const said = '<p>You still receive email when somebody mentions you.</p>';
        void reply
          .header('Content-Type', html)
          .header('Content-Security-Policy', policy)
          .header('Cache-Control', 'no-store');
        return reply.send(page(`Unsubscribed from ${wordsOf(followed)}`, said));
      });
    },
  };
}
