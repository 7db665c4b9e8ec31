/** Refs of deployments, which keep what was deployed and say where environments are: `refs/environments/SLUG/deployments/IID`. */
import Type from 'typebox';
import type { ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import type { Deployment } from '../../../kernel/db/rows.ts';
import { addJob, defineTask, type Task } from '../../../kernel/queue/index.ts';
import type { RepositoryAccess } from '../../repository/index.ts';
import { environmentsById } from './environments.queries.ts';
import { type KnownRef, successfulDeployments } from './refs.queries.ts';

export interface RefDependencies {
  readonly db: Db;
  readonly repository: Pick<RepositoryAccess, 'keepRefs'>;
  readonly project: (id: number) => Promise<ProjectSubject['project'] | null>;
}

const forgetTask = { name: 'deployments.forget_refs', maxAttempts: 5 };

const nameOf = ({ slug, iid }: Pick<KnownRef, 'slug' | 'iid'>): string =>
  `refs/environments/${slug}/deployments/${iid}`;

/** Points the ref of a deployment at its commit. */
export async function keepDeployment(deps: RefDependencies, row: Deployment): Promise<void> {
  const project = await deps.project(row.project_id);
  const environment = (await environmentsById(deps.db, [row.environment_id])).get(row.environment_id);
  if (!project || !environment) return;
  const ref = nameOf({ slug: environment.slug, iid: row.iid });
  await deps.repository.keepRefs(deps.db, project, [{ ref, sha: row.sha }]);
}

/** The refs of deployments to these environments. */
export const refsOfEnvironments = (tx: Db, ids: readonly number[]): Promise<KnownRef[]> =>
  successfulDeployments(tx, { environments: ids });

/** The ref of one deployment, if it has one. */
export const refsOfDeployment = (tx: Db, id: number): Promise<KnownRef[]> =>
  successfulDeployments(tx, { deployment: id });

/** Has refs removed after rows that they are of: in the transaction that deletes these. */
export async function forgetRefs(tx: Db, refs: readonly KnownRef[]): Promise<void> {
  for (const [projectId, of] of Map.groupBy(refs, (ref) => ref.project_id))
    await addJob(tx, forgetTask, { project_id: projectId, refs: of.map(nameOf) });
}

export const refTask = (deps: RefDependencies): Task =>
  defineTask(
    forgetTask.name,
    Type.Object({ project_id: Type.Integer(), refs: Type.Array(Type.String()) }),
    async ({ project_id, refs }) => {
      const project = await deps.project(project_id);
      if (project)
        await deps.repository.keepRefs(
          deps.db,
          project,
          refs.map((ref) => ({ ref, sha: null })),
        );
    },
    { maxAttempts: forgetTask.maxAttempts },
  );
