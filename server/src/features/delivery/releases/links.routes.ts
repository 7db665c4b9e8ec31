/** The API of the links of releases. */
import Type from 'typebox';
import { canOnProject } from '../../../kernel/authz/can.ts';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { Release } from '../../../kernel/db/rows.ts';
import { ListOf } from '../../../kernel/http/entity.ts';
import { notFound } from '../../../kernel/http/errors.ts';
import { mapPage, offsetPage } from '../../../kernel/http/pagination.ts';
import { atLeastOneOf } from '../../../kernel/http/params/groups.ts';
import { Int, OneOf, Optional, rules, Str } from '../../../kernel/http/params/schema.ts';
import { type Route, route } from '../../../kernel/http/route.ts';
import { type LinkValues, linkValues } from './links.ts';
import { linkTypes, ReleaseLink } from './releases.entity.ts';
import * as queries from './releases.queries.ts';
import {
  adminRelease,
  credentials,
  id,
  linkPaths,
  type ReleaseRoutesDependencies,
  tagName,
} from './releases.routes.ts';

const base = '/projects/:id/releases/:tag_name/assets/links';
const place = { id, tag_name: tagName };
const one = { ...place, link_id: Int({ description: 'Id of the link' }) };
const name = Str({ description: 'Name of the link' });
const url = Str({ description: 'Where the file is' });
const kind = (doc: { default?: string }) => ({
  link_type: Optional(OneOf(linkTypes, { ...doc, description: 'What the file is' })),
});
const common = { tag: 'Releases', credentials } as const;
const read = { on: 'project', ability: 'read_release' } as const;

interface Request {
  readonly subject: ProjectSubject;
  readonly caller: Caller;
}

export function releaseLinkRoutes({ db, releases, presenter }: ReleaseRoutesDependencies): Route[] {
  async function releaseOf(subject: ProjectSubject, tag: string): Promise<Release> {
    const found = await queries.findRelease(db, subject.project.id, tag);
    if (!found) throw notFound();
    return found;
  }
  async function linkOf(release: Release, linkId: number) {
    const found = await queries.findLink(db, release.id, linkId);
    if (!found) throw notFound();
    return found;
  }
  const shown = ({ subject, caller }: Request, release: Release) => {
    const tag = canOnProject(caller, 'read_code', subject) ? release.tag : null;
    return (link: Awaited<ReturnType<typeof linkOf>>) => presenter.link(subject, tag, link);
  };

  return [
    route({
      ...common,
      method: 'GET',
      path: base,
      summary: 'List the links of a release',
      access: read,
      pagination: 'offset',
      params: Type.Object(place),
      responses: { 200: ListOf(ReleaseLink) },
      handler: async (context) => {
        const release = await releaseOf(context.subject, context.params.tag_name);
        const rows = await queries.listLinks(db, release.id, context.page);
        const paged = offsetPage(context.page, rows, await queries.countLinks(db, release.id));
        return mapPage(paged, shown(context, release));
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: `${base}/:link_id`,
      summary: 'Get a link of a release',
      access: read,
      params: Type.Object(one),
      responses: { 200: ReleaseLink },
      handler: async (context) => {
        const release = await releaseOf(context.subject, context.params.tag_name);
        return shown(context, release)(await linkOf(release, context.params.link_id));
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: base,
      summary: 'Add a link to a release',
      access: adminRelease,
      params: Type.Object({ ...place, name, url, ...linkPaths, ...kind({ default: 'other' }) }),
      responses: { 201: ReleaseLink },
      handler: async (context) => {
        const { id: _, tag_name, ...given } = context.params;
        const release = await releases.changeable(context, tag_name);
        const made = await releases.links.create(context, release, linkValues(given) as LinkValues);
        return shown(context, release)(made);
      },
    }),
    route({
      ...common,
      method: 'PUT',
      path: `${base}/:link_id`,
      summary: 'Update a link of a release',
      access: adminRelease,
      params: Type.Object(
        { ...one, name: Optional(name), url: Optional(url), ...linkPaths, ...kind({}) },
        rules(atLeastOneOf('name', 'url')),
      ),
      responses: { 200: ReleaseLink },
      handler: async (context) => {
        const { id: _, tag_name, link_id, ...given } = context.params;
        const release = await releases.changeable(context, tag_name);
        const link = await linkOf(release, link_id);
        return shown(context, release)(await releases.links.update(context, release, link, linkValues(given)));
      },
    }),
    route({
      ...common,
      method: 'DELETE',
      path: `${base}/:link_id`,
      summary: 'Delete a link of a release',
      access: adminRelease,
      params: Type.Object(one),
      responses: { 200: ReleaseLink },
      conditional: true,
      handler: async (context) => {
        const release = await releases.changeable(context, context.params.tag_name);
        const link = await linkOf(release, context.params.link_id);
        context.unmodifiedSince(link.created_at);
        await releases.links.remove(context, release, link);
        return shown(context, release)(link);
      },
    }),
  ];
}
