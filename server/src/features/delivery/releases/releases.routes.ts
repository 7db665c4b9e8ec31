/** The API of releases. */
import Type from 'typebox';
import { canOnProject } from '../../../kernel/authz/can.ts';
import type { ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import type { Release as ReleaseRow } from '../../../kernel/db/rows.ts';
import { ListOf } from '../../../kernel/http/entity.ts';
import { forbidden, notFound } from '../../../kernel/http/errors.ts';
import { keysetPage, offsetPage, withItems } from '../../../kernel/http/pagination.ts';
import { mutuallyExclusive } from '../../../kernel/http/params/groups.ts';
import {
  Bool,
  DateTimeParam,
  IdOrPath,
  Int,
  List,
  OneOf,
  Optional,
  rules,
  Str,
} from '../../../kernel/http/params/schema.ts';
import type { ParentLoader } from '../../../kernel/http/parents.ts';
import { answer, Empty, type Route, route } from '../../../kernel/http/route.ts';
import { TaskParam } from '../../collaboration/index.ts';
import { type LinkValues, linkValues } from './links.ts';
import { EvidenceSummary, GroupRelease, linkTypes, Release, type ReleasePresenter } from './releases.entity.ts';
import * as queries from './releases.queries.ts';
import type { ReleaseService } from './releases.service.ts';

export interface ReleaseRoutesDependencies {
  readonly db: Db;
  readonly parents: ParentLoader;
  readonly releases: ReleaseService;
  readonly presenter: ReleasePresenter;
}

export const credentials = ['token', 'session', 'job'] as const;
export const id = IdOrPath('Id or path of the project');
export const tagName = Str({ minLength: 1, maxLength: 1024, description: 'Tag of the release' });
const readRelease = { on: 'project', ability: 'read_release' } as const;
const readTagged = { on: 'project', ability: 'read_tagged_release' } as const;
export const adminRelease = { on: 'project', ability: 'admin_release' } as const;
const sort = Optional(OneOf(['asc', 'desc'], { default: 'desc', description: 'Direction of the order' }));
const html = Optional(Bool({ default: false, description: 'Also tell the description as HTML' }));
const common = { tag: 'Releases', credentials } as const;

const milestones = {
  milestones: Optional(
    List(Str({ maxLength: 255 }), { commas: true, maxItems: 100, description: 'Titles of milestones' }),
  ),
  milestone_ids: Optional(
    List(Int(), { commas: true, maxItems: 100, description: 'Ids of milestones, instead of titles' }),
  ),
};
const texts = {
  name: Optional(Str({ maxLength: 255, description: 'Name of the release; the tag when absent' })),
  description: Optional(Str({ maxLength: 1_000_000, description: 'What is released, in Markdown' })),
  released_at: Optional(DateTimeParam({ description: 'When it is or was released; now when absent' })),
};
export const linkPaths = {
  direct_asset_path: Optional(Str({ maxLength: 1024, description: 'Path below the release that leads to the file' })),
  filepath: Optional(Str({ maxLength: 1024, deprecated: true, description: 'Old name of `direct_asset_path`' })),
};
const newLink = Type.Object({
  name: Str({ description: 'Name of the link' }),
  url: Str({ description: 'Where the file is' }),
  ...linkPaths,
  link_type: Optional(OneOf(linkTypes, { default: 'other', description: 'What the file is' })),
});
const exclusive = rules(mutuallyExclusive('milestones', 'milestone_ids'));
const changedRules = rules(
  mutuallyExclusive('milestones', 'milestone_ids'),
  mutuallyExclusive('description', 'update_task'),
);

export function releaseRoutes(deps: ReleaseRoutesDependencies): Route[] {
  const { db, releases, presenter } = deps;

  async function releaseAt(subject: ProjectSubject, tag: string): Promise<ReleaseRow> {
    const found = await queries.findRelease(db, subject.project.id, tag);
    if (!found) throw notFound();
    return found;
  }

  /** The newest release, in the words of its own address. */
  const latest = (path: string, withSuffix: boolean) =>
    route({
      ...common,
      method: 'GET',
      path,
      summary: withSuffix ? 'Redirect to a path of the latest release' : 'Redirect to the latest release',
      access: readTagged,
      params: Type.Object({
        id,
        ...(withSuffix ? { path: Str({ description: 'What follows the tag in the address' }) } : {}),
      }),
      responses: { 302: Empty },
      errors: [404],
      handler: async ({ params, subject, request }) => {
        const page = { limit: 1, offset: 0, after: null };
        const order = queries.releaseOrder('released_at', 'desc');
        const [newest] = await queries.listReleases(db, subject.project.id, {}, order, page);
        if (!newest) throw notFound();
        const { path: suffix = '' } = params as { path?: string };
        const rest = suffix === '' ? '' : `/${suffix.split('/').map(encodeURIComponent).join('/')}`;
        const query = new URL(request.url, 'http://x').searchParams;
        // What the newest is, may one day be asked for in other orders.
        query.delete('order_by');
        const asked = query.size === 0 ? '' : `?${query}`;
        const to = `/api/v4/projects/${subject.project.id}/releases/${encodeURIComponent(newest.tag)}${rest}${asked}`;
        return answer(302, undefined, { Location: to });
      },
    });

  return [
    route({
      ...common,
      method: 'GET',
      path: '/projects/:id/releases',
      summary: 'List releases',
      access: readRelease,
      pagination: 'both',
      params: Type.Object({
        id,
        order_by: Optional(
          OneOf(['released_at', 'created_at'], { default: 'released_at', description: 'What the list is ordered by' }),
        ),
        sort,
        include_html_description: html,
        updated_before: Optional(DateTimeParam({ description: 'Only those last changed before' })),
        updated_after: Optional(DateTimeParam({ description: 'Only those last changed after' })),
      }),
      responses: { 200: ListOf(Release) },
      handler: async ({ params, subject, caller, page }) => {
        const { order_by = 'released_at', sort: direction = 'desc', updated_before, updated_after } = params;
        const filter = { updatedBefore: updated_before, updatedAfter: updated_after };
        const order = queries.releaseOrder(order_by, direction);
        const rows = await queries.listReleases(db, subject.project.id, filter, order, page);
        const paged =
          page.style === 'keyset'
            ? keysetPage(page, rows, order.cursorOf)
            : offsetPage(page, rows, await queries.countReleases(db, subject.project.id, filter));
        const shown = { html: params.include_html_description };
        const found = paged.items.map((row) => ({ subject, row }));
        return withItems(paged, await presenter.many(found, caller, shown));
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: '/groups/:id/releases',
      summary: 'List the releases of the projects of a group',
      credentials: ['token', 'session'],
      access: { on: 'group', ability: 'read_group' },
      pagination: 'offset',
      params: Type.Object({
        id: IdOrPath('Id or path of the group'),
        sort,
        simple: Optional(Bool({ default: false, description: 'Only names, descriptions and dates' })),
      }),
      responses: { 200: ListOf(GroupRelease) },
      handler: async ({ params, subject, caller, page }) => {
        const { rows, total } = await queries.listGroupReleases(
          db,
          subject.group.id,
          caller,
          params.sort ?? 'desc',
          page,
        );
        const paged = offsetPage(page, rows, total);
        const ids = [...new Set(paged.items.map(({ project_id }) => project_id))];
        const projects = await deps.parents.projects(ids, caller);
        const found = paged.items.flatMap((row) => {
          const project = projects.get(row.project_id);
          return project && canOnProject(caller, 'read_release', project) ? [{ subject: project, row }] : [];
        });
        if (!params.simple) return withItems(paged, await presenter.many(found, caller));
        return withItems(
          paged,
          found.map((each) => presenter.simple(each.subject, caller, each.row)),
        );
      },
    }),
    latest('/projects/:id/releases/permalink/latest', false),
    latest('/projects/:id/releases/permalink/latest/*', true),
    route({
      ...common,
      method: 'GET',
      path: '/projects/:id/releases/:tag_name',
      summary: 'Get the release of a tag',
      access: readTagged,
      params: Type.Object({ id, tag_name: tagName, include_html_description: html }),
      responses: { 200: Release },
      handler: async ({ params, subject, caller }) => {
        const found = await releaseAt(subject, params.tag_name);
        return await presenter.one(subject, caller, found, { html: params.include_html_description });
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: '/projects/:id/releases',
      summary: 'Create a release, and its tag if it does not exist',
      access: adminRelease,
      params: Type.Object(
        {
          id,
          tag_name: tagName,
          tag_message: Optional(Str({ maxLength: 1_048_576, description: 'Message of a tag that is made with it' })),
          ref: Optional(
            Str({ minLength: 1, maxLength: 1024, description: 'Where a tag that is not there yet is made' }),
          ),
          ...texts,
          ...milestones,
          assets: Optional(
            Type.Object(
              { links: Optional(List(newLink, { maxItems: 1000, description: 'Links to files' })) },
              { description: 'What belongs to it' },
            ),
          ),
        },
        exclusive,
      ),
      responses: { 201: Release },
      errors: [409, 422],
      handler: async ({ params, subject, caller }) => {
        const { id: _, assets, ...given } = params;
        const links = (assets?.links ?? []).map((link) => linkValues(link) as LinkValues);
        return await presenter.one(subject, caller, await releases.create({ subject, caller }, { ...given, links }));
      },
    }),
    route({
      ...common,
      method: 'PUT',
      path: '/projects/:id/releases/:tag_name',
      summary: 'Update a release',
      access: adminRelease,
      params: Type.Object({ id, tag_name: tagName, ...texts, update_task: TaskParam, ...milestones }, changedRules),
      responses: { 200: Release },
      errors: [409],
      handler: async ({ params, subject, caller }) => {
        const { id: _, tag_name, ...given } = params;
        const request = { subject, caller };
        // As in the ecosystem: nobody may change a release that is not there.
        const found = await releases.changeable(request, tag_name, forbidden);
        return await presenter.one(subject, caller, await releases.update(request, found, given));
      },
    }),
    route({
      ...common,
      method: 'DELETE',
      path: '/projects/:id/releases/:tag_name',
      summary: 'Delete a release; its tag stays',
      access: adminRelease,
      params: Type.Object({ id, tag_name: tagName }),
      responses: { 200: Release },
      conditional: true,
      handler: async ({ params, subject, caller, unmodifiedSince }) => {
        const request = { subject, caller };
        const found = await releases.changeable(request, params.tag_name, forbidden);
        unmodifiedSince(found.updated_at);
        const shown = await presenter.one(subject, caller, found);
        await releases.remove(request, found);
        return shown;
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: '/projects/:id/releases/:tag_name/downloads/*',
      summary: 'Redirect to an asset of a release',
      access: readTagged,
      params: Type.Object({ id, tag_name: tagName, path: Str({ description: '`direct_asset_path` of its link' }) }),
      responses: { 302: Empty },
      handler: async ({ params, subject }) => {
        const found = await releaseAt(subject, params.tag_name);
        const link = await queries.findLinkAt(db, found.id, `/${params.path}`);
        if (!link) throw notFound();
        return answer(302, undefined, { Location: new URL(link.url).href });
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: '/projects/:id/releases/:tag_name/evidence',
      summary: 'Collect evidence for a release',
      access: adminRelease,
      params: Type.Object({ id, tag_name: tagName }),
      responses: { 202: Empty },
      handler: async ({ params, subject, caller }) => {
        await releases.collect(await releases.changeable({ subject, caller }, params.tag_name));
        return answer(202);
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: '/projects/:id/releases/:tag_name/evidences/:evidence_id',
      summary: 'Get evidence of a release',
      access: readTagged,
      params: Type.Object({ id, tag_name: tagName, evidence_id: Int({ description: 'Id of the note' }) }),
      responses: { 200: EvidenceSummary },
      handler: async ({ params, subject }) => {
        const found = await releaseAt(subject, params.tag_name);
        const evidence = await queries.findEvidence(db, found.id, params.evidence_id);
        if (!evidence) throw notFound('Evidence');
        // Written again as it was: the hash is of this text.
        return JSON.parse(evidence.summary) as unknown;
      },
    }),
  ];
}
