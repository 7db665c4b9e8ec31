/** Environments and deployments as the API shows them. */
import type { Static } from 'typebox';
import type { ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import type { Deployment as DeploymentRow, Environment as EnvironmentRow } from '../../../kernel/db/rows.ts';
import { Entity, Fields, Id, ListOf, Nullable, Sometimes, Text, Timestamp, Word } from '../../../kernel/http/entity.ts';
import { JobEntity, type JobsFace } from '../../ci/index.ts';
import { findReferences, UserReference, userReference } from '../../identity/index.ts';
import { environmentStates, tiers } from '../environment-names.ts';
import { deploymentStatuses, jobsById } from './deployments.queries.ts';
import { environmentsById } from './environments.queries.ts';

const basic = {
  id: Id(),
  name: Text(),
  slug: Text({ description: 'Name for host names and labels' }),
  external_url: Nullable(Text({ description: 'Where it can be seen' })),
  created_at: Timestamp(),
  updated_at: Timestamp(),
};

export const EnvironmentBasic = Entity('EnvironmentBasic', basic);

export const Deployment = Entity('Deployment', {
  id: Id(),
  iid: Id({ description: 'Number within the project' }),
  ref: Text(),
  sha: Text(),
  status: Word(deploymentStatuses),
  created_at: Timestamp(),
  updated_at: Timestamp(),
  user: Nullable(UserReference),
  environment: EnvironmentBasic,
  deployable: Nullable(JobEntity, { description: 'The job that deploys; null for what other systems deployed' }),
});

const detail = {
  ...basic,
  description: Nullable(Text()),
  tier: Word(tiers),
  state: Word(environmentStates),
  kubernetes_namespace: Nullable(Text({ description: 'Namespace in a Kubernetes cluster' })),
  flux_resource_path: Nullable(Text({ description: 'Flux resource that it is deployed with' })),
  auto_stop_at: Nullable(Timestamp({ description: 'When it stops by itself' })),
  auto_stop_setting: Word(['always', 'with_action'], {
    description: 'Whether it stops by itself always, or only with a job that stops it',
  }),
};

export const Environment = Entity('Environment', {
  ...detail,
  last_deployment: Sometimes(Nullable(Deployment, { description: 'The last successful one; on one environment' })),
});

export const ReviewAppsDeletion = Entity('ReviewAppsDeletion', {
  scheduled_entries: ListOf(EnvironmentBasic),
  unprocessable_entries: ListOf(EnvironmentBasic),
});

export const StaleStop = Entity('StaleStop', Fields({ message: Text() }).properties);

export const environmentBasicJson = (row: EnvironmentRow): Static<typeof EnvironmentBasic> => ({
  id: row.id,
  name: row.name,
  slug: row.slug,
  external_url: row.external_url,
  created_at: row.created_at,
  updated_at: row.updated_at,
});

export const environmentJson = (row: EnvironmentRow): Static<typeof Environment> => ({
  ...environmentBasicJson(row),
  description: row.description,
  tier: row.tier,
  state: row.state,
  kubernetes_namespace: row.kubernetes_namespace,
  flux_resource_path: row.flux_resource_path,
  auto_stop_at: row.auto_stop_at,
  auto_stop_setting: row.auto_stop_setting,
});

export interface DeploymentPresenterDependencies {
  readonly db: Db;
  readonly externalUrl: string;
  readonly jobs: Pick<JobsFace, 'present'>;
}

export type DeploymentJson = Static<typeof Deployment>;
export type DeploymentPresenter = ReturnType<typeof deploymentPresenter>;

const present = (ids: ReadonlyArray<number | null>): number[] => [...new Set(ids.filter((id) => id !== null))];

/** Deployments as JSON: one read per table, whatever their number. */
export function deploymentPresenter({ db, externalUrl, jobs }: DeploymentPresenterDependencies) {
  async function many(subject: ProjectSubject, rows: readonly DeploymentRow[]): Promise<Map<number, DeploymentJson>> {
    const [environments, users, deploying] = await Promise.all([
      environmentsById(db, present(rows.map((row) => row.environment_id))),
      findReferences(db, present(rows.map((row) => row.user_id))),
      jobsById(db, present(rows.map((row) => row.job_id))),
    ]);
    const shown = await jobs.present(subject, [...deploying.values()]);
    const found = rows.flatMap((row) => {
      const environment = environments.get(row.environment_id);
      // Removed between two reads.
      if (!environment) return [];
      const user = users.get(row.user_id ?? 0);
      const json: DeploymentJson = {
        id: row.id,
        iid: row.iid,
        ref: row.ref,
        sha: row.sha,
        status: row.status,
        created_at: row.created_at,
        updated_at: row.updated_at,
        user: user ? userReference(user, externalUrl) : null,
        environment: environmentBasicJson(environment),
        deployable: shown.get(row.job_id ?? 0) ?? null,
      };
      return [[row.id, json] as const];
    });
    return new Map(found);
  }
  return {
    many,
    one: async (subject: ProjectSubject, row: DeploymentRow): Promise<DeploymentJson | null> =>
      (await many(subject, [row])).get(row.id) ?? null,
  };
}
