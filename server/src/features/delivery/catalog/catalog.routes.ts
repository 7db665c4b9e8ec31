/** The API of the catalogue of CI components. */
import Type from 'typebox';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import { ListOf } from '../../../kernel/http/entity.ts';
import { notFound } from '../../../kernel/http/errors.ts';
import { offsetPage, withItems } from '../../../kernel/http/pagination.ts';
import { IdOrPath, List, OneOf, Optional, Str } from '../../../kernel/http/params/schema.ts';
import type { ParentLoader } from '../../../kernel/http/parents.ts';
import { Empty, type Route, route } from '../../../kernel/http/route.ts';
import {
  CatalogItem,
  type CatalogPresenter,
  CatalogResourceEntity,
  CatalogVersionEntity,
  PublishedVersion,
} from './catalog.entity.ts';
import * as queries from './catalog.queries.ts';
import type { CatalogService } from './catalog.service.ts';

interface CatalogRoutesDependencies {
  readonly db: Db;
  readonly parents: ParentLoader;
  readonly catalog: CatalogService;
  readonly presenter: CatalogPresenter;
}

const common = { tag: 'CI/CD catalog', credentials: ['token', 'session'] } as const;
const id = IdOrPath('Id or path of the project');
const read = { on: 'project', ability: 'read_code' } as const;
const admin = { on: 'project', ability: 'admin_catalog_resource' } as const;
const path = '/projects/:id/catalog';
const metadata = Type.Object(
  {
    components: Optional(
      List(
        Type.Object({
          name: Str({ minLength: 1, maxLength: 255, description: 'Name of a component' }),
          component_type: Optional(OneOf(['template'], { description: 'What kind of component it is' })),
        }),
        { maxItems: 100, description: 'Components that the repository must hold at the tag' },
      ),
    ),
  },
  { description: 'What the client has found. What each component asks for is read from the repository' },
);

export function catalogRoutes({ db, parents, catalog, presenter }: CatalogRoutesDependencies): Route[] {
  async function resourceOf({ project }: ProjectSubject): Promise<queries.CatalogResource> {
    const found = await queries.findResource(db, project.id);
    if (!found) throw notFound('Catalog Resource');
    return found;
  }

  async function shown(subject: ProjectSubject, caller: Caller) {
    const [resource, { rows }] = await Promise.all([
      queries.findResource(db, subject.project.id),
      queries.listVersions(db, subject.project.id, { limit: 1, offset: 0 }),
    ]);
    return await presenter.resource(subject, caller, resource, rows[0]);
  }

  return [
    route({
      ...common,
      method: 'GET',
      path: '/catalog',
      summary: 'List projects with published CI/CD components',
      access: { on: 'public' },
      pagination: 'offset',
      params: Type.Object({
        search: Optional(
          Str({
            maxLength: 255,
            description: 'Part of the name or description of a project, or of the name of a component',
          }),
        ),
        sort: Optional(OneOf(queries.catalogSorts, { default: 'stars', description: 'What the list is ordered by' })),
      }),
      responses: { 200: ListOf(CatalogItem) },
      handler: async ({ params, caller, page }) => {
        const filter = { search: params.search, sort: params.sort ?? 'stars' };
        const { rows, total } = await queries.listCatalog(db, caller, filter, page);
        const paged = offsetPage(page, rows, total);
        const ids = paged.items.map(({ project_id }) => project_id);
        return withItems(paged, await presenter.items(paged.items, await parents.projects(ids, caller)));
      },
    }),
    route({
      ...common,
      method: 'GET',
      path,
      summary: 'Get whether a project is in the catalog, and its latest version',
      access: read,
      params: Type.Object({ id }),
      responses: { 200: CatalogResourceEntity },
      handler: ({ subject, caller }) => shown(subject, caller),
    }),
    route({
      ...common,
      method: 'PUT',
      path,
      summary: 'Add a project to the catalog',
      access: admin,
      params: Type.Object({ id }),
      responses: { 200: CatalogResourceEntity },
      handler: async ({ subject, caller }) => {
        await catalog.add({ subject, caller });
        return await shown(subject, caller);
      },
    }),
    route({
      ...common,
      method: 'DELETE',
      path,
      summary: 'Remove a project and its published versions from the catalog',
      access: admin,
      params: Type.Object({ id }),
      responses: { 204: Empty },
      conditional: true,
      handler: async ({ subject, caller, unmodifiedSince }) => {
        unmodifiedSince((await resourceOf(subject)).created_at);
        if (!(await catalog.remove({ subject, caller }))) throw notFound('Catalog Resource');
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: `${path}/publish`,
      summary: 'Publish the release of a tag as a version',
      credentials: ['token', 'session', 'job'],
      access: { on: 'project', ability: 'admin_release' },
      params: Type.Object({
        id,
        version: Str({ minLength: 1, maxLength: 1024, description: 'Tag of the release' }),
        metadata: Optional(metadata),
      }),
      responses: { 201: PublishedVersion },
      errors: [422],
      handler: async ({ subject, caller, params }) => {
        const named = (params.metadata?.components ?? []).map(({ name }) => name);
        await catalog.publish({ subject, caller }, params.version, named);
        return { catalog_url: presenter.page(subject) };
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: `${path}/versions`,
      summary: 'List published versions of a project, the newest first',
      access: read,
      pagination: 'offset',
      params: Type.Object({ id }),
      responses: { 200: ListOf(CatalogVersionEntity) },
      handler: async ({ subject, page }) => {
        await resourceOf(subject);
        const { rows, total } = await queries.listVersions(db, subject.project.id, page);
        const paged = offsetPage(page, rows, total);
        return withItems(paged, await presenter.versions(subject, paged.items));
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: `${path}/versions/:version`,
      summary: 'Get a published version with its components',
      access: read,
      params: Type.Object({
        id,
        version: Str({ minLength: 1, maxLength: 1024, description: 'Tag of its release' }),
      }),
      responses: { 200: CatalogVersionEntity },
      handler: async ({ subject, params }) => {
        const found = await queries.findVersion(db, subject.project.id, params.version);
        if (!found) throw notFound('Catalog Version');
        return (await presenter.versions(subject, [found]))[0];
      },
    }),
  ];
}
