/** Routes of packages: lists, one with its files, and what goes. Publishing and downloading: `generic.routes.ts`. */
import Type from 'typebox';
import { originOf } from '../../../kernel/audit/index.ts';
import { canOnProject } from '../../../kernel/authz/can.ts';
import type { ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { ListOf } from '../../../kernel/http/entity.ts';
import { recordNotFound } from '../../../kernel/http/errors.ts';
import { mapPage, offsetPage, withItems } from '../../../kernel/http/pagination.ts';
import { Bool, IdOrPath, Int, OneOf, Optional, Str } from '../../../kernel/http/params/schema.ts';
import type { ParentLoader } from '../../../kernel/http/parents.ts';
import { answer, Empty, type Route, route } from '../../../kernel/http/route.ts';
import { Package, PackageFile, type PackagePresenter, packageStatuses } from './packages.entity.ts';
import * as queries from './packages.queries.ts';
import type { PackageService, PackagesDependencies } from './packages.service.ts';

export const packageTag = 'Packages';
const readPackage = { on: 'project', ability: 'read_package' } as const;
export const pullPackage = { on: 'project', ability: 'pull_package' } as const;
export const readScopes = ['api', 'read_api', 'read_package_registry', 'write_package_registry'] as const;
export const credentials = ['token', 'session', 'job', 'deploy'] as const;
const destroy = { on: 'project', ability: 'destroy_package' } as const;
const read = { tag: packageTag, credentials, scopes: readScopes, access: readPackage } as const;
const remove = { tag: packageTag, credentials: ['token', 'session', 'job'], access: destroy } as const;
const id = IdOrPath('Id or path of the project');
const base = '/projects/:id/packages';
const one = { id, package_id: Int({ description: 'Id of the package' }) };
const file = { ...one, package_file_id: Int({ description: 'Id of the file' }) };
const filters = {
  sort: Optional(OneOf(['asc', 'desc'], { default: 'asc', description: 'Direction of the order' })),
  package_type: Optional(OneOf(['generic'], { description: 'The only kind there is' })),
  package_name: Optional(Str({ description: 'Part of the name' })),
  package_version: Optional(Str({ description: 'The version, exactly' })),
  include_versionless: Optional(Bool({ description: 'Taken as clients send it: every package here has a version' })),
  status: Optional(OneOf(packageStatuses, { default: 'default', description: 'Only packages of this status' })),
};
const orders = ['created_at', 'name', 'version', 'type'] as const;
const filterOf = (params: { package_name?: string; package_version?: string; status?: 'default' | 'hidden' }) => ({
  name: params.package_name,
  version: params.package_version,
  status: params.status ?? 'default',
});

export function packageRoutes(
  { db }: Pick<PackagesDependencies, 'db'>,
  parents: ParentLoader,
  present: PackagePresenter,
  packages: PackageService,
): Route[] {
  async function find({ project }: ProjectSubject, packageId: number) {
    const found = await queries.findPackage(db, project.id, packageId);
    if (!found) throw recordNotFound();
    return found;
  }
  return [
    route({
      ...read,
      method: 'GET',
      path: base,
      summary: 'List packages of a project',
      pagination: 'offset',
      params: Type.Object({
        id,
        order_by: Optional(OneOf(orders, { default: 'created_at', description: 'What they are ordered by' })),
        ...filters,
      }),
      responses: { 200: ListOf(Package) },
      handler: async ({ subject, caller, params, page }) => {
        const order = { by: params.order_by ?? 'created_at', direction: params.sort ?? 'asc' } as const;
        const { views, total } = await queries.listPackages(db, subject.project.id, filterOf(params), order, page);
        const by = await queries.publishedBy(
          db,
          views.flatMap(({ pipelineIds }) => pipelineIds),
        );
        const mayDelete = canOnProject(caller, 'destroy_package', subject);
        return mapPage(offsetPage(page, views, total), (view) =>
          present.json(subject, view, by, { mayDelete, inGroup: false }),
        );
      },
    }),
    route({
      tag: packageTag,
      credentials: ['token', 'session'],
      access: { on: 'group', ability: 'read_group' },
      method: 'GET',
      path: '/groups/:id/packages',
      summary: 'List packages of the projects of a group',
      pagination: 'offset',
      params: Type.Object({
        id: IdOrPath('Id or path of the group'),
        exclude_subgroups: Optional(Bool({ default: false, description: 'Only of projects of the group itself' })),
        order_by: Optional(
          OneOf([...orders, 'project_path'], { default: 'created_at', description: 'What they are ordered by' }),
        ),
        ...filters,
      }),
      responses: { 200: ListOf(Package) },
      handler: async ({ subject, caller, params, page }) => {
        const order = { by: params.order_by ?? 'created_at', direction: params.sort ?? 'asc' } as const;
        const group = { id: subject.group.id, subgroups: !params.exclude_subgroups };
        const { views, total } = await queries.listGroupPackages(db, group, caller, filterOf(params), order, page);
        const paged = offsetPage(page, views, total);
        const ids = [...new Set(paged.items.map(({ row }) => row.project_id))];
        const projects = await parents.projects(ids, caller);
        const by = await queries.publishedBy(
          db,
          paged.items.flatMap(({ pipelineIds }) => pipelineIds),
        );
        return withItems(
          paged,
          paged.items.flatMap((view) => {
            const project = projects.get(view.row.project_id);
            if (!project || !canOnProject(caller, 'read_package', project)) return [];
            const mayDelete = canOnProject(caller, 'destroy_package', project);
            return [present.json(project, view, by, { mayDelete, inGroup: true })];
          }),
        );
      },
    }),
    route({
      ...read,
      method: 'GET',
      path: `${base}/:package_id`,
      summary: 'Get a package',
      params: Type.Object(one),
      responses: { 200: Package },
      handler: async ({ subject, caller, params }) => {
        const found = await find(subject, params.package_id);
        const others = await queries.otherVersions(db, found.row);
        const by = await queries.publishedBy(
          db,
          [found, ...others].flatMap(({ pipelineIds }) => pipelineIds),
        );
        const mayDelete = canOnProject(caller, 'destroy_package', subject);
        return {
          ...present.json(subject, found, by, { mayDelete, inGroup: false }),
          versions: others.map((view) => present.version(subject, view, by)),
        };
      },
    }),
    route({
      ...remove,
      method: 'DELETE',
      path: `${base}/:package_id`,
      summary: 'Delete a package with its files',
      params: Type.Object(one),
      responses: { 204: Empty },
      conditional: true,
      handler: async (context) => {
        const { params, unmodifiedSince } = context;
        await packages.remove(context, params.package_id, originOf(context), unmodifiedSince);
        return answer(204, undefined);
      },
    }),
    route({
      ...read,
      method: 'GET',
      path: `${base}/:package_id/package_files`,
      summary: 'List files of a package',
      pagination: 'offset',
      params: Type.Object(one),
      responses: { 200: ListOf(PackageFile) },
      handler: async ({ subject, params, page }) => {
        const { row } = await find(subject, params.package_id);
        const { rows, total } = await queries.listFiles(db, row.id, page);
        const ids = rows.flatMap(({ pipeline_id }) => (pipeline_id === null ? [] : [pipeline_id]));
        const by = await queries.publishedBy(db, ids);
        return mapPage(offsetPage(page, rows, total), (each) => present.file(subject, each, by));
      },
    }),
    route({
      ...remove,
      method: 'DELETE',
      path: `${base}/:package_id/package_files/:package_file_id`,
      summary: 'Delete a file of a package',
      params: Type.Object(file),
      responses: { 204: Empty },
      conditional: true,
      handler: async (context) => {
        const { params, unmodifiedSince } = context;
        const ids = { packageId: params.package_id, fileId: params.package_file_id };
        await packages.removeFile(context, ids, originOf(context), unmodifiedSince);
        return answer(204, undefined);
      },
    }),
  ];
}
