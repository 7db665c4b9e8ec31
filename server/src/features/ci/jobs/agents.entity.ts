/** What agents of clusters ask about the job that calls them. This instance has no agents. */
import type { Static } from 'typebox';
import type { CallerUser } from '../../../kernel/authz/subjects.ts';
import type { Job } from '../../../kernel/db/rows.ts';
import { AnyJson, Entity, Fields, Id, ListOf, Sometimes, Text } from '../../../kernel/http/entity.ts';
import type { Place } from './serialize.ts';

export const AllowedAgents = Entity('AllowedAgents', {
  allowed_agents: ListOf(AnyJson(), { description: 'Agents that the job may use' }),
  job: Fields({ id: Id() }),
  pipeline: Fields({ id: Id() }),
  project: Fields({ id: Id(), groups: ListOf(Fields({ id: Id() })) }),
  user: Fields({ id: Id(), username: Text(), roles_in_project: ListOf(Text()) }),
  environment: Sometimes(Fields({ slug: Text() })),
});

const roles = [
  ['guest', 10],
  ['planner', 15],
  ['reporter', 20],
  ['developer', 30],
  ['maintainer', 40],
  ['owner', 50],
] as const;

export function allowedAgents(
  job: Job,
  { project, namespace }: Place,
  user: CallerUser,
  level: number,
): Static<typeof AllowedAgents> {
  return {
    allowed_agents: [],
    job: { id: job.id },
    pipeline: { id: job.pipeline_id },
    project: {
      id: project.id,
      groups: namespace.kind === 'group' ? namespace.traversal_ids.map((id) => ({ id })) : [],
    },
    user: {
      id: user.id,
      username: user.username,
      roles_in_project: roles.filter(([, least]) => level >= least).map(([role]) => role),
    },
  };
}
