/** The API of tags. */

import type { Static } from 'typebox';
import Type from 'typebox';
import { canOnProject } from '../../../kernel/authz/can.ts';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { ListOf } from '../../../kernel/http/entity.ts';
import { notFound } from '../../../kernel/http/errors.ts';
import { mapPageAsync } from '../../../kernel/http/pagination.ts';
import { IdOrPath, OneOf, Optional, Str } from '../../../kernel/http/params/schema.ts';
import { Empty, type Route, route } from '../../../kernel/http/route.ts';
import { commitJson, projectPath } from '../commits/commits.json.ts';
import type { ReleasesOfTags } from '../ports.ts';
import { byDate, byName } from '../reading/positions.ts';
import type { RefData } from '../reading/reader.ts';
import { rulesOf, type TagRule } from '../writes/protection.ts';
import { nobody, tagRules } from '../writes/protections.queries.ts';
import { Tag } from './branches.entity.ts';
import type { BranchRoutesDependencies } from './branches.routes.ts';
import { commitTimes, nameMatcher, orderedPage, refTime } from './listing.ts';

const id = IdOrPath('Id or path of the project');
const credentials = ['token', 'session'] as const;
const readCode = { on: 'project', ability: 'read_code' } as const;
const pushCode = { on: 'project', ability: 'push_code' } as const;

interface TagsAround {
  readonly rules: readonly TagRule[];
  /** Descriptions of the releases of tags that have one. */
  readonly texts: ReadonlyMap<string, string | null>;
}

export function tagRoutes(
  deps: Omit<BranchRoutesDependencies, 'protections'> & { readonly releases: ReleasesOfTags },
): Route[] {
  const { reader, db, releases } = deps;
  async function around(subject: ProjectSubject, caller: Caller, names: readonly string[]): Promise<TagsAround> {
    const { id: projectId } = subject.project;
    const reads = canOnProject(caller, 'read_release', subject);
    const [rules, texts] = await Promise.all([
      tagRules(db, projectId, nobody),
      reads ? releases.texts(db, projectId, names) : new Map<string, string | null>(),
    ]);
    return { rules, texts };
  }
  async function tagJson(
    subject: ProjectSubject,
    ref: RefData,
    { rules, texts }: TagsAround,
  ): Promise<Static<typeof Tag>> {
    const commit = await reader.commit(subject.project, ref.commit);
    return {
      name: ref.name,
      message: ref.message,
      target: ref.target,
      commit: commitJson(commit, `${deps.externalUrl}/${projectPath(subject)}`),
      release: texts.has(ref.name) ? { tag_name: ref.name, description: texts.get(ref.name) ?? null } : null,
      protected: rulesOf(rules, ref.name).length > 0,
      created_at: ref.taggedAt,
    };
  }
  return [
    route({
      method: 'GET',
      path: '/projects/:id/repository/tags',
      summary: 'List tags',
      tag: 'Tags',
      credentials: ['token', 'session', 'job'],
      access: readCode,
      pagination: 'token',
      params: Type.Object({
        id,
        search: Optional(
          Str({ maxLength: 1024, description: 'Only those whose name or description contains this text' }),
        ),
        order_by: Optional(
          OneOf(['name', 'updated', 'version'], { default: 'updated', description: 'What the list is ordered by' }),
        ),
        sort: Optional(OneOf(['asc', 'desc'], { default: 'desc', description: 'Direction of the order' })),
      }),
      responses: { 200: ListOf(Tag) },
      handler: async ({ params, subject, caller, page }) => {
        const matches = nameMatcher(params.search, undefined);
        const refs = (await reader.tags(subject.project)).filter((ref) => matches(ref.name));
        const direction = params.sort === 'asc' ? 1 : -1;
        const order = params.order_by ?? 'updated';
        const collator = new Intl.Collator('en', { numeric: order === 'version' });
        const found =
          order === 'updated'
            ? orderedPage(
                page,
                refs,
                byDate(await commitTimes(reader, subject, refs), { date: direction, name: direction }),
              )
            : orderedPage(page, refs, byName(direction, collator.compare));
        const names = found.items.map(({ name }) => name);
        const about = await around(subject, caller, names);
        return mapPageAsync(found, (ref) => tagJson(subject, ref, about));
      },
    }),
    route({
      method: 'GET',
      path: '/projects/:id/repository/tags/:tag_name',
      summary: 'Get a tag',
      tag: 'Tags',
      credentials,
      access: readCode,
      params: Type.Object({ id, tag_name: Str({ description: 'Name of the tag' }) }),
      responses: { 200: Tag },
      handler: async ({ params, subject, caller }) => {
        const found = await reader.tag(subject.project, params.tag_name);
        if (!found) throw notFound('Tag');
        return tagJson(subject, found, await around(subject, caller, [found.name]));
      },
    }),
    route({
      method: 'POST',
      path: '/projects/:id/repository/tags',
      summary: 'Create a tag; annotated when a message is given',
      tag: 'Tags',
      credentials,
      access: pushCode,
      params: Type.Object({
        id,
        tag_name: Str({ minLength: 1, maxLength: 1024, description: 'Name of the tag' }),
        ref: Str({ minLength: 1, maxLength: 1024, description: 'Commit, branch or tag' }),
        message: Optional(
          Str({ maxLength: 1_048_576, description: 'Message of an annotated tag; a lightweight tag without it' }),
        ),
      }),
      responses: { 201: Tag },
      errors: [409],
      handler: async ({ params, subject, caller }) => {
        const made = await deps.refs.createTag(subject, caller, params.tag_name, params.ref, params.message);
        return tagJson(subject, made, await around(subject, caller, [made.name]));
      },
    }),
    route({
      method: 'DELETE',
      path: '/projects/:id/repository/tags/:tag_name',
      summary: 'Delete a tag',
      tag: 'Tags',
      credentials,
      access: pushCode,
      params: Type.Object({ id, tag_name: Str({ description: 'Name of the tag' }) }),
      responses: { 204: Empty },
      errors: [409],
      conditional: true,
      handler: async ({ params, subject, caller, unmodifiedSince }) => {
        const found = await reader.tag(subject.project, params.tag_name);
        if (!found) throw notFound('Tag');
        unmodifiedSince(await refTime(reader, subject, found));
        await deps.refs.deleteTag(subject, caller, found);
      },
    }),
  ];
}
