/** Routes of wikis of projects and groups. */
import { Readable } from 'node:stream';
import Type from 'typebox';
import type { Caller, Subject } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import type { Wiki } from '../../../kernel/db/rows.ts';
import { ListOf } from '../../../kernel/http/entity.ts';
import { mapPage, offsetPage } from '../../../kernel/http/pagination.ts';
import { atLeastOneOf } from '../../../kernel/http/params/groups.ts';
import { Bool, FileParam, IdOrPath, OneOf, Optional, rules, Str } from '../../../kernel/http/params/schema.ts';
import { Binary, Empty, type Route, route, streamed } from '../../../kernel/http/route.ts';
import { escapeHtml, type Markdown, wikiBaseOf } from '../../../kernel/markdown/index.ts';
import type { Settings } from '../../../kernel/settings/index.ts';
import { fileHeaders, fileTypes, markdownOf } from '../../collaboration/index.ts';
import type { CommitData, RepositoryReader } from '../reading/reader.ts';
import { bodyOf, formats, frontMatterOf, titleOf } from './pages.ts';
import { WikiAttachment, WikiPage, WikiPageBasic, WikiPageVersion } from './wikis.entity.ts';
import { pageIds } from './wikis.queries.ts';
import type { Page, WikiService } from './wikis.service.ts';

const common = { credentials: ['token', 'session'], tag: 'Wikis' } as const;
const slug = Str({ minLength: 1, maxLength: 4096, description: 'Slug of the page, URL-encoded: `folder%2Fpage`' });
const format = Optional(OneOf(formats, { description: 'How the text is written; Markdown unless told' }));
const message = Optional(Str({ maxLength: 10_000, description: 'Message of the commit' }));
const content = Str({ description: 'Text of the page' });
const title = Str({ description: 'Title of the page; slashes put it into folders' });
const ability = (kind: 'project' | 'group') =>
  kind === 'project'
    ? ({
        read: { on: 'project', ability: 'read_wiki' },
        create: { on: 'project', ability: 'create_wiki' },
        admin: { on: 'project', ability: 'admin_wiki' },
      } as const)
    : ({
        read: { on: 'group', ability: 'read_group_wiki' },
        create: { on: 'group', ability: 'create_group_wiki' },
        admin: { on: 'group', ability: 'admin_group_wiki' },
      } as const);

const versionJson = (commit: CommitData) => ({
  id: commit.id,
  short_id: commit.id.slice(0, 8),
  title: commit.title,
  author_name: commit.author.name,
  author_email: commit.author.email,
  authored_date: new Date(commit.author.date),
});

export function wikiRoutes(deps: {
  readonly db: Db;
  readonly externalUrl: string;
  readonly reader: RepositoryReader;
  readonly wikis: WikiService;
  readonly settings: Settings;
  readonly markdown: Pick<Markdown, 'html'>;
}): Route[] {
  const { db, reader, wikis, settings } = deps;
  const maxFileBytes = {
    setting: 'max_attachment_size',
    bytes: async () => (await settings.read()).max_attachment_size * 1024 * 1024,
  };

  /** Formats that are not rendered are shown as they are written. */
  const htmlOf = async (place: Subject, page: Page, text: string, caller: Caller) =>
    page.format === 'markdown'
      ? await deps.markdown.html(text, { caller, base: wikiBaseOf(place, page.slug) })
      : `<pre>${escapeHtml(text)}</pre>`;

  const basics = (page: Page, ids: ReadonlyMap<string, number>, text: string | null) => ({
    wiki_page_meta_id: ids.get(page.slug) ?? null,
    format: page.format,
    slug: page.slug,
    title: (text === null ? undefined : frontMatterOf(text).title) ?? titleOf(page.slug),
  });

  /** With HTML in place of the text for a caller who reads it so. */
  async function json(place: Subject, wiki: Wiki, page: Page, reader?: Caller) {
    const [text, ids] = await Promise.all([wikis.content(wiki, page), pageIds(db, wiki.id, [page.slug])]);
    return {
      ...basics(page, ids, text),
      content: reader ? await htmlOf(place, page, bodyOf(text), reader) : text,
      encoding: 'UTF-8',
      front_matter: frontMatterOf(text),
    };
  }
  async function newest(place: Subject, at: string) {
    const { wiki, page } = await wikis.page(place, at);
    return await json(place, wiki, page);
  }

  return (['project', 'group'] as const).flatMap((kind) => {
    const { read, create, admin } = ability(kind);
    const base = `/${kind}s/:id/wikis`;
    const parent = { id: IdOrPath(kind === 'project' ? 'Project' : 'Group') };
    return [
      route({
        ...common,
        method: 'GET',
        path: base,
        summary: `List wiki pages of a ${kind}`,
        access: read,
        params: Type.Object({ ...parent, with_content: Optional(Bool({ description: 'With the texts' })) }),
        responses: { 200: ListOf(WikiPageBasic) },
        handler: async ({ params, subject }) => {
          const found = await wikis.pages(subject);
          if (!found) return [];
          const ids = await pageIds(
            db,
            found.wiki.id,
            found.pages.map((page) => page.slug),
          );
          if (!params.with_content) return found.pages.map((page) => basics(page, ids, null));
          const texts = await wikis.contents(found.wiki, found.pages);
          return found.pages.map((page, at) => {
            const text = texts[at] ?? '';
            return { ...basics(page, ids, text), content: text, encoding: 'UTF-8' };
          });
        },
      }),
      route({
        ...common,
        method: 'POST',
        path: base,
        summary: `Create a wiki page of a ${kind}`,
        access: create,
        params: Type.Object({ ...parent, title, content, format, message }),
        responses: { 201: WikiPage },
        errors: [409],
        handler: async ({ params: { id: _, ...values }, subject, caller }) =>
          await newest(subject, await wikis.create(subject, caller, values)),
      }),
      route({
        ...common,
        method: 'POST',
        path: `${base}/attachments`,
        summary: `Upload an attachment to the wiki of a ${kind}`,
        access: create,
        params: Type.Object({
          ...parent,
          file: FileParam({ description: 'The file' }),
          branch: Optional(Str({ description: 'Branch of the wiki; the default one unless told' })),
        }),
        maxFileBytes,
        responses: { 201: WikiAttachment },
        errors: [409],
        handler: async ({ params, subject, caller }) => {
          const { name, path, branch } = await wikis.attach(subject, caller, params.file, params.branch);
          const link = { url: path, markdown: markdownOf(name, path).markdown };
          return { file_name: name, file_path: path, branch, link };
        },
      }),
      route({
        ...common,
        method: 'GET',
        path: `${base}/attachments/:secret/:filename`,
        summary: `Download an attachment of the wiki of a ${kind}`,
        access: read,
        params: Type.Object({
          ...parent,
          secret: Str({ description: 'The part of its path after `uploads/`' }),
          filename: Str({ description: 'Name of the file' }),
        }),
        responses: { 200: Binary },
        media: fileTypes,
        handler: async ({ params, subject, signal }) => {
          const { wiki, blob } = await wikis.attachment(subject, params.secret, params.filename);
          const { type, headers } = fileHeaders({ file_name: params.filename, size: blob.size });
          const open = async () => Readable.from(await reader.blobStream(wiki, blob.id, signal), { objectMode: false });
          return streamed(open, type, { ...headers, ETag: `"${blob.id}"` });
        },
      }),
      route({
        ...common,
        method: 'GET',
        path: `${base}/:slug`,
        summary: `Get a wiki page of a ${kind}`,
        access: read,
        params: Type.Object({
          ...parent,
          slug,
          render_html: Optional(Bool({ description: 'The text as HTML' })),
          version: Optional(Str({ description: 'Commit at which the page is wanted' })),
        }),
        responses: { 200: WikiPage },
        handler: async ({ params, subject, caller }) => {
          const { wiki, page } = await wikis.page(subject, params.slug, params.version);
          return await json(subject, wiki, page, params.render_html ? caller : undefined);
        },
      }),
      route({
        ...common,
        method: 'GET',
        path: `${base}/:slug/versions`,
        summary: `List versions of a wiki page of a ${kind}, newest first`,
        access: read,
        params: Type.Object({ ...parent, slug }),
        pagination: 'offset',
        responses: { 200: ListOf(WikiPageVersion) },
        handler: async ({ params, subject, page }) => {
          const window = { skip: page.offset, limit: page.limit };
          const { rows, total } = await wikis.versions(subject, params.slug, window);
          return mapPage(offsetPage(page, rows, total), versionJson);
        },
      }),
      route({
        ...common,
        method: 'PUT',
        path: `${base}/:slug`,
        summary: `Update a wiki page of a ${kind}`,
        access: create,
        params: Type.Object(
          {
            ...parent,
            slug,
            title: Optional(title),
            content: Optional(content),
            format,
            message,
            last_commit_sha: Optional(
              Str({ description: 'Newest version that the writer has seen; refused when there is a newer one' }),
            ),
          },
          rules(atLeastOneOf('content', 'title', 'format')),
        ),
        responses: { 200: WikiPage },
        errors: [409],
        handler: async ({ params: { id: _, slug: at, last_commit_sha: lastCommit, ...values }, subject, caller }) =>
          await newest(subject, await wikis.update(subject, caller, at, { ...values, lastCommit })),
      }),
      route({
        ...common,
        method: 'DELETE',
        path: `${base}/:slug`,
        summary: `Delete a wiki page of a ${kind}`,
        access: admin,
        params: Type.Object({ ...parent, slug }),
        conditional: true,
        responses: { 204: Empty },
        errors: [409],
        handler: async ({ params, subject, caller, unmodifiedSince }) => {
          const { rows } = await wikis.versions(subject, params.slug, { skip: 0, limit: 1 });
          unmodifiedSince(rows[0] ? new Date(rows[0].committer.date) : null);
          await wikis.remove(subject, caller, params.slug);
        },
      }),
    ];
  });
}
