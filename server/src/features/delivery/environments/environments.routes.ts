/** The API of environments. */
import Type from 'typebox';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import type { Environment as EnvironmentRow } from '../../../kernel/db/rows.ts';
import { ListOf } from '../../../kernel/http/entity.ts';
import { badRequest, conflict, forbidden, invalidParameters, recordNotFound } from '../../../kernel/http/errors.ts';
import { mapPage, offsetPage } from '../../../kernel/http/pagination.ts';
import { notTogether } from '../../../kernel/http/params/groups.ts';
import {
  Bool,
  DateTimeParam,
  IdOrPath,
  Int,
  OneOf,
  Optional,
  OrNull,
  rules,
  Str,
} from '../../../kernel/http/params/schema.ts';
import { answer, Empty, type Route, route } from '../../../kernel/http/route.ts';
import { environmentStates, tiers } from '../environment-names.ts';
import { mayDeploy } from '../protected-environments/index.ts';
import { lastDeployment } from './deployments.queries.ts';
import {
  type DeploymentPresenter,
  Environment,
  environmentBasicJson,
  environmentJson,
  ReviewAppsDeletion,
  StaleStop,
} from './environments.entity.ts';
import { findEnvironment, listEnvironments } from './environments.queries.ts';
import type { EnvironmentService } from './environments.service.ts';
import type { Stopping } from './stopping.ts';

export interface EnvironmentRoutesDependencies {
  readonly db: Db;
  readonly environments: EnvironmentService;
  readonly stopping: Pick<Stopping, 'stop'>;
  readonly presenter: DeploymentPresenter;
}

const common = { tag: 'Environments', credentials: ['token', 'session', 'job'] } as const;
const id = IdOrPath('Id or path of the project');
const environmentId = Int({ description: 'Id of the environment' });
const one = Type.Object({ id, environment_id: environmentId });
const path = '/projects/:id/environments/:environment_id';
const read = { on: 'project', ability: 'read_environment' } as const;
const stopAccess = { on: 'project', ability: 'stop_environment' } as const;
const minSearch = 3;

/** Clients that send a slug are told that it has no effect. */
function refuseSlug(given: Readonly<Record<string, unknown>>): void {
  if (given.slug !== undefined) throw invalidParameters(['slug is automatically generated and cannot be changed']);
}

const values = {
  external_url: Optional(Str({ maxLength: 2048, description: 'Address where it can be seen' })),
  description: Optional(Str({ maxLength: 10_000, description: 'What it is for' })),
  tier: Optional(OneOf(tiers, { description: 'What it is used for; guessed from the name when absent' })),
  kubernetes_namespace: Optional(OrNull(Str({ maxLength: 255, description: 'Namespace in a Kubernetes cluster' }))),
  flux_resource_path: Optional(OrNull(Str({ maxLength: 255, description: 'Flux resource that it is deployed with' }))),
  auto_stop_setting: Optional(
    OneOf(['always', 'with_action'], {
      description: 'Whether it stops by itself always, or only with a job that stops it',
    }),
  ),
};

export function environmentRoutes(deps: EnvironmentRoutesDependencies): Route[] {
  const { db, environments, stopping, presenter } = deps;

  async function find({ project }: ProjectSubject, number: number): Promise<EnvironmentRow> {
    const found = await findEnvironment(db, project.id, number);
    if (!found) throw recordNotFound();
    return found;
  }

  /** A protected one is changed, stopped and deleted by those alone who may deploy to it. */
  async function findToChange(subject: ProjectSubject, caller: Caller, number: number): Promise<EnvironmentRow> {
    const found = await find(subject, number);
    if (!(await mayDeploy(db, found, caller.user?.id ?? null))) throw forbidden();
    return found;
  }

  return [
    route({
      ...common,
      method: 'GET',
      path: '/projects/:id/environments',
      summary: 'List environments of a project',
      access: read,
      pagination: 'offset',
      params: Type.Object(
        {
          id,
          name: Optional(Str({ maxLength: 255, description: 'Only the one with this name' })),
          search: Optional(
            Str({
              maxLength: 255,
              description: `Only those with this in their names; ${minSearch} characters or more`,
            }),
          ),
          states: Optional(OneOf(environmentStates, { description: 'Only those in this state' })),
          tier: Optional(OneOf(tiers, { description: 'Only those of this tier' })),
        },
        rules(notTogether('name', 'search')),
      ),
      responses: { 200: ListOf(Environment) },
      handler: async ({ subject, params: { name, search, states, tier }, page }) => {
        if (search && [...search].length < minSearch)
          throw badRequest(`Search query is less than ${minSearch} characters`);
        const filter = { name, search: search || undefined, state: states, tier };
        const { rows, total } = await listEnvironments(db, subject.project.id, filter, page);
        return mapPage(offsetPage(page, rows, total), environmentJson);
      },
    }),
    route({
      ...common,
      method: 'GET',
      path,
      summary: 'Get an environment with its last deployment',
      access: read,
      params: one,
      responses: { 200: Environment },
      handler: async ({ subject, params }) => {
        const found = await find(subject, params.environment_id);
        const last = await lastDeployment(db, found.id);
        return { ...environmentJson(found), last_deployment: last ? await presenter.one(subject, last) : null };
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: '/projects/:id/environments',
      summary: 'Create an environment',
      access: { on: 'project', ability: 'create_environment' },
      params: Type.Object({ id, name: Str({ description: 'Name; `review/x` is in the folder `review`' }), ...values }),
      responses: { 201: Environment },
      handler: async ({ subject, given, params: { id: _, name, ...chosen } }) => {
        refuseSlug(given);
        return environmentJson(await environments.create(subject, name, chosen));
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: '/projects/:id/environments/stop_stale',
      summary: 'Stop environments that were not updated or deployed to since a date',
      access: { on: 'project', ability: 'stop_stale_environments' },
      params: Type.Object({
        id,
        before: DateTimeParam({ description: 'Time of the last change; between a week and ten years ago' }),
      }),
      responses: { 200: StaleStop },
      handler: async ({ subject, params }) => {
        await environments.stopStale(subject, params.before);
        return { message: 'Successfully requested stop for all stale environments' };
      },
    }),
    route({
      ...common,
      method: 'PUT',
      path,
      summary: 'Update an environment',
      access: { on: 'project', ability: 'update_environment' },
      params: Type.Object({ ...one.properties, ...values }),
      responses: { 200: Environment },
      handler: async ({ subject, caller, given, params: { id: _, environment_id, ...chosen } }) => {
        refuseSlug(given);
        const found = await findToChange(subject, caller, environment_id);
        return environmentJson(await environments.update(found, chosen));
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: `${path}/stop`,
      summary: 'Stop an environment',
      access: stopAccess,
      params: Type.Object({
        ...one.properties,
        force: Optional(Bool({ default: false, description: 'Do not run the job that stops it' })),
      }),
      responses: { 200: Environment },
      handler: async ({ subject, caller, params }) => {
        const found = await findToChange(subject, caller, params.environment_id);
        return environmentJson(await stopping.stop(subject, caller, found, { force: params.force ?? false }));
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: `${path}/cancel_auto_stop`,
      summary: 'Cancel the automatic stop of an environment',
      access: { on: 'project', ability: 'update_environment' },
      params: one,
      responses: { 200: Environment },
      errors: [409],
      handler: async ({ subject, caller, params }) => {
        const kept = await environments.cancelAutoStop(await findToChange(subject, caller, params.environment_id));
        if (!kept) throw conflict('The environment does not stop by itself');
        return environmentJson(kept);
      },
    }),
    route({
      ...common,
      method: 'DELETE',
      path: '/projects/:id/environments/review_apps',
      summary: 'Schedule stopped review apps for deletion in a week',
      access: { on: 'project', ability: 'destroy_environment' },
      params: Type.Object({
        id,
        before: Optional(DateTimeParam({ description: 'Only those from before; 30 days ago when absent' })),
        limit: Optional(Int({ minimum: 1, maximum: 1000, default: 100, description: 'How many at most' })),
        dry_run: Optional(Bool({ default: true, description: 'Only tell which ones it would be' })),
      }),
      responses: { 200: ReviewAppsDeletion },
      conditional: 'Chooses among many environments, and deletes them a week later.',
      handler: async ({ subject, params: { before, limit, dry_run } }) => {
        const found = await environments.removeReviewApps(subject, { before, limit, dryRun: dry_run ?? true });
        return { scheduled_entries: found.map(environmentBasicJson), unprocessable_entries: [] };
      },
    }),
    route({
      ...common,
      method: 'DELETE',
      path,
      summary: 'Delete a stopped environment with its deployments',
      access: { on: 'project', ability: 'destroy_environment' },
      params: one,
      responses: { 204: Empty },
      conditional: true,
      handler: async ({ subject, caller, params, unmodifiedSince }) => {
        const found = await findToChange(subject, caller, params.environment_id);
        unmodifiedSince(found.updated_at);
        await environments.remove(found);
        return answer(204, undefined);
      },
    }),
  ];
}
