/** Environments and the history of their deployments in archives of projects. */
import Type from 'typebox';
import { Bool, DateTimeParam, Int, List, OneOf, Optional, OrNull, Str } from '../../../kernel/http/params/schema.ts';
import { once, type Relation, relation, removing, reserving, settlingNumbers } from '../../namespaces/index.ts';
import { isExternalUrl, nameProblem, tiers } from '../environment-names.ts';
import {
  deploymentsOf,
  environmentsOf,
  insertArchivedApprovals,
  insertArchivedDeployment,
  insertArchivedEnvironment,
  linkArchivedRequests,
} from './transfer.queries.ts';

const iid = Int({ minimum: 1, maximum: 2_147_483_647 });
const maybeText = (maxLength: number) => Optional(OrNull(Str({ maxLength })));
const maybeTime = Optional(OrNull(DateTimeParam()));
/** Approvals and merge requests of one deployment. */
const most = 10_000;

export const environmentRelation: Relation = relation({
  name: 'environments',
  schema: Type.Object({
    name: Str({ minLength: 1, maxLength: 255 }),
    slug: Str({ pattern: '^[a-z0-9]([a-z0-9-]{0,62}[a-z0-9])?$' }),
    external_url: maybeText(2048),
    description: maybeText(100_000),
    state: OneOf(['available', 'stopped']),
    tier: OneOf(tiers),
    auto_stop_at: maybeTime,
    auto_stop_setting: Optional(OneOf(['always', 'with_action'])),
    auto_delete_at: maybeTime,
    kubernetes_namespace: maybeText(255),
    flux_resource_path: maybeText(255),
    created_at: DateTimeParam(),
    updated_at: DateTimeParam(),
  }),
  rows: (db, projectId) => once(environmentsOf(db, projectId)),
  insert: async (tx, row, { projectId }) => {
    const problem = nameProblem(row.name);
    if (problem !== null) return `name ${problem}`;
    if (row.external_url && !isExternalUrl(row.external_url)) return 'external_url is not an address of http or https';
    return (await insertArchivedEnvironment(tx, { ...row, project_id: projectId })) ? null : 'is there already';
  },
  remove: removing('environments'),
});

const reserve = reserving('deployment');

export const deploymentRelation: Relation = relation({
  name: 'deployments',
  schema: Type.Object({
    iid,
    environment: Str({ minLength: 1, maxLength: 255 }),
    user: maybeText(255),
    ref: Str({ minLength: 1, maxLength: 1024 }),
    tag: Bool(),
    sha: Str({ pattern: '^[0-9a-f]{40}$' }),
    status: OneOf(['success', 'failed', 'canceled', 'skipped']),
    url: maybeText(2048),
    created_at: DateTimeParam(),
    updated_at: DateTimeParam(),
    finished_at: maybeTime,
    /** The number of the job's pipeline, and its place among the jobs there. */
    started_by: Optional(OrNull(Type.Object({ pipeline: iid, job: Int({ minimum: 1, maximum: 5000 }) }))),
    approvals: Optional(
      List(
        Type.Object({
          user: Str({ minLength: 1, maxLength: 255 }),
          status: OneOf(['approved', 'rejected']),
          comment: maybeText(10_000),
          represented_as: Optional(maybeText(255)),
          created_at: DateTimeParam(),
        }),
      ),
    ),
    /** Numbers. */
    merge_requests: Optional(List(iid)),
  }),
  rows: deploymentsOf,
  insert: async (tx, row, target) => {
    const { environment, user, started_by: by, approvals = [], merge_requests: requests = [], ...columns } = row;
    if (approvals.length > most || requests.length > most) return `has more than ${most} approvals or merge requests`;
    if (row.url && !isExternalUrl(row.url)) return 'url is not an address of http or https';
    const { projectId: project_id } = target;
    const values = { ...columns, project_id, user_id: await target.person(user) };
    const id = await insertArchivedDeployment(tx, values, environment, by ?? null);
    if (id === null) return 'is there already, or of an environment that the archive does not have';
    const decided = await Promise.all(
      approvals.map(async ({ user: name, ...each }) => ({ ...each, user_id: await target.person(name) })),
    );
    const known = decided.flatMap((each) => (each.user_id === null ? [] : [{ ...each, user_id: each.user_id }]));
    await insertArchivedApprovals(
      tx,
      known.map((each) => ({ ...each, deployment_id: id })),
    );
    await linkArchivedRequests(tx, project_id, id, requests);
    await reserve(tx, row.iid, target);
    return null;
  },
  arrived: settlingNumbers('deployments', 'deployment'),
  remove: removing('deployments'),
});
