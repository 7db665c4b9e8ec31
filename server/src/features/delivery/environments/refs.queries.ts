/** Deployments that have a ref in the repository: those that succeeded. */
import type { Db } from '../../../kernel/db/index.ts';

export interface KnownRef {
  readonly project_id: number;
  readonly slug: string;
  readonly iid: number;
}

export async function successfulDeployments(
  db: Db,
  of: { readonly environments: readonly number[] } | { readonly deployment: number },
): Promise<KnownRef[]> {
  const all = db
    .selectFrom('deployments as d')
    .innerJoin('environments as e', 'e.id', 'd.environment_id')
    .select(['d.project_id', 'e.slug', 'd.iid'])
    .where('d.status', '=', 'success');
  const chosen =
    'deployment' in of
      ? all.where('d.id', '=', of.deployment)
      : all.where('d.environment_id', 'in', [...of.environments]);
  return await chosen.execute();
}
