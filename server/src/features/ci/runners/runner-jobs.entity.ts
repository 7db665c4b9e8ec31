/** Jobs of a runner: from any project, so each with its project. */
import type { Static } from 'typebox';
import type { Namespace, Project } from '../../../kernel/db/rows.ts';
import { Entity, Fields, Id, Nullable, Text, Timestamp } from '../../../kernel/http/entity.ts';
import { JobEntity, type JobJson } from '../jobs/jobs.entity.ts';

const { project: _tokenScope, ...shared } = JobEntity.properties;

export const RunnerJob = Entity('RunnerJob', {
  ...shared,
  ip_address: Nullable(Text()),
  project: Fields({
    id: Id(),
    description: Text(),
    name: Text(),
    name_with_namespace: Text(),
    path: Text(),
    path_with_namespace: Text(),
    created_at: Timestamp(),
  }),
});
export type RunnerJobJson = Static<typeof RunnerJob>;

type Place = { readonly project: Project; readonly namespace: Pick<Namespace, 'full_path' | 'full_name'> };

/** The job's JSON with its project in the place of the project's job token setting. */
export function runnerJob(json: JobJson, { project, namespace }: Place): RunnerJobJson {
  return {
    ...json,
    ip_address: json.runner_manager?.ip_address ?? null,
    project: {
      id: project.id,
      description: project.description ?? '',
      name: project.name,
      name_with_namespace: `${namespace.full_name} / ${project.name}`,
      path: project.path,
      path_with_namespace: `${namespace.full_path}/${project.path}`,
      created_at: project.created_at,
    },
  };
}
