/** Routes of badges: of groups, and of projects, which show those of the groups above them too. */
import Type from 'typebox';
import { entityOfPlace, originOf, recordAudit } from '../../../kernel/audit/index.ts';
import { canOnProject } from '../../../kernel/authz/can.ts';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { transaction } from '../../../kernel/db/index.ts';
import type { Badge } from '../../../kernel/db/rows.ts';
import { Entity, Id, ListOf, Nullable, Text, Word } from '../../../kernel/http/entity.ts';
import { forbidden, notFound } from '../../../kernel/http/errors.ts';
import { mapPageAsync, offsetPage } from '../../../kernel/http/pagination.ts';
import { atLeastOneOf } from '../../../kernel/http/params/groups.ts';
import { IdOrPath, Int, Optional, OrNull, rules, Str } from '../../../kernel/http/params/schema.ts';
import { Empty, type Route, route } from '../../../kernel/http/route.ts';
import { findProjectSubject } from '../access/parents.queries.ts';
import type { NamespacesDependencies } from '../deps.ts';
import type { Place } from '../places.ts';
import {
  countBadges,
  deleteBadge,
  exampleProject,
  findBadge,
  insertBadge,
  listBadges,
  updateBadge,
} from './badges.queries.ts';
import { checkUrls, type PlaceholderValues, render } from './placeholders.ts';

const urls = { link_url: Text(), image_url: Text(), rendered_link_url: Text(), rendered_image_url: Text() };
const BadgeEntity = Entity('Badge', {
  id: Id(),
  name: Nullable(Text()),
  ...urls,
  kind: Word(['project', 'group'], { description: 'What it belongs to' }),
});
const RenderedBadge = Entity('RenderedBadge', urls);

const common = { credentials: ['token', 'session'], tag: 'Badges' } as const;
const linkUrl = Str({ maxLength: 2048, description: 'Where it leads; `%{project_path}` and the like are filled in' });
const imageUrl = Str({ maxLength: 2048, description: 'Address of the picture; placeholders are filled in' });
const name = OrNull(Str({ maxLength: 255, description: 'Name of the badge' }));

const kinds = [
  {
    kind: 'group',
    noun: 'Group',
    read: { on: 'group', ability: 'read_group_badge' },
    write: { on: 'group', ability: 'admin_group_badge' },
  },
  {
    kind: 'project',
    noun: 'Project',
    read: { on: 'project', ability: 'read_badge' },
    write: { on: 'project', ability: 'admin_badge' },
  },
] as const;

export function badgeRoutes(deps: NamespacesDependencies): Route[] {
  const { db, externalUrl, repository } = deps;

  /** The project that fills placeholders at a place, where the caller sees it; null for a group without one. */
  async function projectOf(place: Place, caller: Caller): Promise<ProjectSubject | null> {
    if (place.kind === 'project') return place;
    const id = await exampleProject(db, place.group.id);
    const found = id === null ? null : await findProjectSubject(db, String(id), caller.user?.id ?? null);
    return found && canOnProject(caller, 'read_project', found) ? found : null;
  }

  async function valuesAt(place: Place, caller: Caller): Promise<PlaceholderValues | null> {
    const subject = await projectOf(place, caller);
    if (!subject) return null;
    const { project, namespace } = subject;
    const reads = canOnProject(caller, 'read_code', subject);
    const later = (ask: () => Promise<string | null>) => {
      let asked: Promise<string> | undefined;
      return () => {
        asked ??= reads ? ask().then((found) => found ?? '') : Promise.resolve('');
        return asked;
      };
    };
    return {
      project_path: `${namespace.full_path}/${project.path}`,
      project_title: project.name,
      project_name: project.path,
      project_id: String(project.id),
      project_namespace: namespace.full_path,
      group_name: namespace.kind === 'group' ? namespace.name : '',
      default_branch: project.default_branch ?? '',
      server: new URL(externalUrl).host,
      commitSha: later(() => repository.headOf(project)),
      latestTag: later(() => repository.latestTag(project)),
    };
  }

  async function rendered(of: { link_url: string; image_url: string }, values: PlaceholderValues | null) {
    const { link_url, image_url } = of;
    return {
      link_url,
      image_url,
      rendered_link_url: values ? await render(link_url, values) : link_url,
      rendered_image_url: values ? await render(image_url, values) : image_url,
    };
  }

  async function json(badge: Badge, values: PlaceholderValues | null) {
    const kind = badge.project_id === null ? ('group' as const) : ('project' as const);
    return { id: badge.id, name: badge.name, ...(await rendered(badge, values)), kind };
  }

  async function find(place: Place, id: number): Promise<Badge> {
    const badge = await findBadge(db, place, id);
    if (!badge) throw notFound('Badge');
    return badge;
  }

  /** Badges of groups are changed where they belong. */
  async function findOwn(place: Place, id: number): Promise<Badge> {
    const badge = await find(place, id);
    if (place.kind === 'project' && badge.project_id === null)
      throw forbidden('To delete or edit a group badge use the group endpoint');
    return badge;
  }

  return kinds.flatMap(({ kind, noun, read, write }) => {
    const base = `/${kind}s/:id/badges`;
    const parent = { id: IdOrPath(noun) };
    const one = { ...parent, badge_id: Int({ description: 'Id of the badge' }) };
    const details = (badge: Badge, event: string) => ({
      event: `${kind}_badge_${event}`,
      details: { link_url: badge.link_url, image_url: badge.image_url },
      target: { type: 'Badge', id: badge.id, details: badge.name ?? '' },
    });
    return [
      route({
        ...common,
        method: 'GET',
        path: base,
        summary: `List badges of a ${kind}`,
        access: read,
        params: Type.Object({ ...parent, name: Optional(Str({ description: 'Only those of this name' })) }),
        pagination: 'offset',
        responses: { 200: ListOf(BadgeEntity) },
        handler: async ({ params, page, subject, caller }) => {
          const [rows, total, values] = await Promise.all([
            listBadges(db, subject, params.name, page),
            countBadges(db, subject, params.name),
            valuesAt(subject, caller),
          ]);
          return await mapPageAsync(offsetPage(page, rows, total), (badge) => json(badge, values));
        },
      }),
      route({
        ...common,
        method: 'GET',
        path: `${base}/render`,
        summary: `Preview a badge of a ${kind} with its placeholders filled in`,
        access: write,
        params: Type.Object({ ...parent, link_url: linkUrl, image_url: imageUrl }),
        responses: { 200: RenderedBadge },
        handler: async ({ params, subject, caller }) => {
          checkUrls({ link_url: params.link_url, image_url: params.image_url });
          return await rendered(params, await valuesAt(subject, caller));
        },
      }),
      route({
        ...common,
        method: 'GET',
        path: `${base}/:badge_id`,
        summary: `Get a badge of a ${kind}`,
        access: read,
        params: Type.Object(one),
        responses: { 200: BadgeEntity },
        handler: async ({ params, subject, caller }) =>
          json(await find(subject, params.badge_id), await valuesAt(subject, caller)),
      }),
      route({
        ...common,
        method: 'POST',
        path: base,
        summary: `Add a badge to a ${kind}`,
        access: write,
        params: Type.Object({ ...parent, link_url: linkUrl, image_url: imageUrl, name: Optional(name) }),
        responses: { 201: BadgeEntity },
        handler: async (context) => {
          const { subject, caller } = context;
          const { id: _, ...values } = context.params;
          checkUrls({ link_url: values.link_url, image_url: values.image_url });
          const badge = await transaction(db, async (tx) => {
            const made = await insertBadge(tx, subject, values);
            await recordAudit(tx, {
              ...originOf(context),
              entity: entityOfPlace(subject),
              ...details(made, 'created'),
            });
            return made;
          });
          return await json(badge, await valuesAt(subject, caller));
        },
      }),
      route({
        ...common,
        method: 'PUT',
        path: `${base}/:badge_id`,
        summary: `Update a badge of a ${kind}`,
        access: write,
        params: Type.Object(
          { ...one, link_url: Optional(linkUrl), image_url: Optional(imageUrl), name: Optional(name) },
          rules(atLeastOneOf('link_url', 'image_url', 'name')),
        ),
        responses: { 200: BadgeEntity },
        handler: async (context) => {
          const { subject, caller } = context;
          const { id: _, badge_id: id, ...values } = context.params;
          const { link_url, image_url } = values;
          checkUrls({
            ...(link_url === undefined ? {} : { link_url }),
            ...(image_url === undefined ? {} : { image_url }),
          });
          await findOwn(subject, id);
          const badge = await transaction(db, async (tx) => {
            const changed = await updateBadge(tx, id, values);
            if (!changed) throw notFound('Badge');
            await recordAudit(tx, {
              ...originOf(context),
              entity: entityOfPlace(subject),
              ...details(changed, 'updated'),
            });
            return changed;
          });
          return await json(badge, await valuesAt(subject, caller));
        },
      }),
      route({
        ...common,
        method: 'DELETE',
        path: `${base}/:badge_id`,
        summary: `Delete a badge of a ${kind}`,
        access: write,
        params: Type.Object(one),
        responses: { 204: Empty },
        conditional: true,
        handler: async (context) => {
          const { subject, params } = context;
          const badge = await findOwn(subject, params.badge_id);
          context.unmodifiedSince(badge.updated_at);
          await transaction(db, async (tx) => {
            if (!(await deleteBadge(tx, badge.id))) throw notFound('Badge');
            await recordAudit(tx, {
              ...originOf(context),
              entity: entityOfPlace(subject),
              ...details(badge, 'destroyed'),
            });
          });
        },
      }),
    ];
  });
}
