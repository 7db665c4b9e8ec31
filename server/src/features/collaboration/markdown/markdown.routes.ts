/** Markdown as HTML, as the pages show it. */
import Type from 'typebox';
import type { Caller, Subject } from '../../../kernel/authz/subjects.ts';
import { Entity, Text } from '../../../kernel/http/entity.ts';
import { Bool, Optional, Str } from '../../../kernel/http/params/schema.ts';
import { loadGroup, loadProject, type ParentLoader } from '../../../kernel/http/parents.ts';
import { type Route, route } from '../../../kernel/http/route.ts';
import { baseOf, type DocumentBase, type Markdown, wikiBaseOf } from '../../../kernel/markdown/index.ts';

const RenderedMarkdown = Entity('RenderedMarkdown', {
  html: Text({ description: 'Safe to show on a page: nothing in it runs or loads from elsewhere' }),
});

interface Place {
  readonly project?: string;
  readonly group?: string;
  readonly ref?: string;
  readonly path?: string;
  readonly wiki_page?: string;
}

export function markdownRoutes(deps: {
  readonly markdown: Pick<Markdown, 'html'>;
  readonly parents: ParentLoader;
}): Route[] {
  async function placeOf({ project, group }: Place, caller: Caller): Promise<Subject | null> {
    if (project !== undefined) return await loadProject(deps.parents, project, caller, 'read_project');
    return group === undefined ? null : await loadGroup(deps.parents, group, caller, 'read_group');
  }

  async function baseAt(place: Place, caller: Caller): Promise<DocumentBase | null> {
    const subject = await placeOf(place, caller);
    if (subject === null) return null;
    const { ref, path = '', wiki_page: page } = place;
    if (page !== undefined) return wikiBaseOf(subject, page);
    return baseOf(subject, ref, path.split('/').slice(0, -1).join('/'));
  }
  return [
    route({
      method: 'POST',
      path: '/markdown',
      summary: 'Render a Markdown text',
      tag: 'Markdown',
      credentials: ['token', 'session'],
      access: { on: 'instance', ability: 'signed_in' },
      params: Type.Object({
        text: Str({ maxLength: 1_048_576, description: 'The text' }),
        gfm: Optional(
          Bool({
            default: false,
            description:
              'With references, mentions, alerts, footnotes, formulas and emoji; GitHub Flavored Markdown without',
          }),
        ),
        project: Optional(
          Str({
            minLength: 1,
            description: 'Full path of the project that references and relative links are of; with `gfm`',
          }),
        ),
        group: Optional(Str({ minLength: 1, description: 'Full path of the group, for a text that is of no project' })),
        ref: Optional(
          Str({
            minLength: 1,
            maxLength: 1024,
            description: 'Branch, tag or commit of relative links; the default branch unless given',
          }),
        ),
        path: Optional(
          Str({ maxLength: 4096, description: 'Path of the file in the repository that relative links start from' }),
        ),
        wiki_page: Optional(
          Str({
            maxLength: 4096,
            description: 'Slug of a page of the wiki of the project or group, for links between pages',
          }),
        ),
      }),
      responses: { 201: RenderedMarkdown },
      errors: [404],
      handler: async ({ params: { text, gfm, ...place }, caller }) => ({
        html: await deps.markdown.html(text, {
          caller,
          base: gfm ? await baseAt(place, caller) : null,
          flavour: gfm ? 'full' : 'plain',
          // A page shows it where it is itself; others show it anywhere.
          absolute: caller.credential.kind !== 'session',
        }),
      }),
    }),
  ];
}
