/** Runners as the API shows them. No form has a token but the answers that hand out a new one. */
import type { Static } from 'typebox';
import type { Namespace, Runner, RunnerManager, User } from '../../../kernel/db/rows.ts';
import {
  Count,
  Entity,
  Fields,
  Flag,
  Id,
  ListOf,
  Nullable,
  Sometimes,
  Text,
  Timestamp,
} from '../../../kernel/http/entity.ts';
import { UserReference, userReference } from '../../identity/index.ts';
import { runnerStatus, shownStatus } from './runner-status.ts';
import type { RunnerProject } from './runners.queries.ts';

const basic = {
  id: Id(),
  description: Text(),
  ip_address: Nullable(Text()),
  active: Flag({ deprecated: true, description: 'Use `paused`, its opposite' }),
  paused: Flag(),
  is_shared: Flag({ description: 'Whether it is for the whole instance' }),
  runner_type: Text(),
  name: Nullable(Text()),
  online: Nullable(Flag({ description: 'Whether it was heard of lately; null for never' })),
  status: Text(),
  created_at: Timestamp(),
  created_by: Nullable(UserReference, { description: 'Who created it; null where a registration token did' }),
  job_execution_status: Text({ description: 'Whether it runs a job now' }),
};
const builtIn = Flag({ description: 'Whether it is the built-in runner of the instance, which cannot be deleted' });
const RunnerProjectEntity = Entity('RunnerProject', {
  id: Id(),
  name: Text(),
  name_with_namespace: Text(),
  path: Text(),
  path_with_namespace: Text(),
});
const RunnerGroupEntity = Entity('RunnerGroup', { id: Id(), name: Text(), web_url: Text() });

export const RunnerEntity = Entity('Runner', {
  ...basic,
  details: Sometimes(
    Fields(
      {
        tag_list: ListOf(Text()),
        run_untagged: Flag({ description: 'Whether it runs jobs without tags' }),
        locked: Flag({ description: 'Whether it stays with its projects' }),
        access_level: Text({ description: 'Whether it runs jobs of all refs or of protected ones only' }),
        version: Nullable(Text()),
        contacted_at: Nullable(Timestamp({ description: 'When it was last heard of' })),
        owner_project_id: Nullable(Id({ description: 'The first of the projects of a project runner' })),
        built_in: builtIn,
      },
      { description: 'With `with_details`' },
    ),
  ),
});
export const RunnerDetail = Entity('RunnerDetail', {
  ...basic,
  tag_list: ListOf(Text()),
  run_untagged: Flag({ description: 'Whether it runs jobs without tags' }),
  locked: Flag({ description: 'Whether it stays with its projects' }),
  maximum_timeout: Nullable(Count({ description: 'Seconds after which a job on it is stopped' })),
  access_level: Text({ description: 'Whether it runs jobs of all refs or of protected ones only' }),
  version: Nullable(Text()),
  revision: Nullable(Text({ description: 'Commit that the runner was built from' })),
  platform: Nullable(Text()),
  architecture: Nullable(Text()),
  contacted_at: Nullable(Timestamp({ description: 'When it was last heard of' })),
  maintenance_note: Nullable(Text()),
  projects: Sometimes(ListOf(RunnerProjectEntity)),
  groups: Sometimes(ListOf(RunnerGroupEntity)),
  details: Sometimes(Fields({ built_in: builtIn }, { description: 'With `with_details`' })),
});
export const RunnerManagerEntity = Entity('RunnerManager', {
  id: Id(),
  system_id: Text({ description: 'Tells machines apart that use the same runner token' }),
  version: Nullable(Text()),
  revision: Nullable(Text({ description: 'Commit that the runner was built from' })),
  platform: Nullable(Text()),
  architecture: Nullable(Text()),
  created_at: Timestamp(),
  contacted_at: Timestamp({ description: 'When it was last heard of' }),
  ip_address: Nullable(Text()),
  status: Text(),
});
export const RunnerCreated = Entity('RunnerCreated', {
  id: Id(),
  token: Text(),
  token_expires_at: Nullable(Timestamp({ description: 'When the token ends; null for never' })),
});
export const RunnerToken = Entity('RunnerToken', {
  token: Text(),
  token_expires_at: Nullable(Timestamp({ description: 'When the token ends; null for never' })),
});

export interface RunnerParts {
  readonly runner: Runner;
  /** Its process that called last. */
  readonly manager: RunnerManager | undefined;
  readonly creator: User | undefined;
  /** It has a job now. */
  readonly busy: boolean;
  readonly externalUrl: string;
}

export function runnerJson(parts: RunnerParts): Static<typeof RunnerEntity> {
  const { runner, manager, creator, busy, externalUrl } = parts;
  const status = runnerStatus(runner, new Date());
  return {
    id: runner.id,
    description: runner.description,
    ip_address: manager?.ip_address ?? null,
    active: !runner.paused,
    paused: runner.paused,
    is_shared: runner.runner_type === 'instance_type',
    runner_type: runner.runner_type,
    name: null,
    online: status === 'online',
    status: shownStatus(status, runner.paused),
    created_at: runner.created_at,
    created_by: creator ? userReference(creator, externalUrl) : null,
    job_execution_status: busy ? 'active' : 'idle',
  };
}

interface ListedDetails {
  /** The first project of a project runner. */
  readonly owner: number | undefined;
  readonly builtIn: boolean;
}

/** What lists add on request. */
export function listedRunner(parts: RunnerParts, details: ListedDetails): Static<typeof RunnerEntity> {
  const { runner, manager } = parts;
  return {
    ...runnerJson(parts),
    details: {
      tag_list: runner.tag_list,
      run_untagged: runner.run_untagged,
      locked: runner.locked,
      access_level: runner.access_level,
      version: manager?.version ?? null,
      contacted_at: runner.contacted_at,
      owner_project_id: details.owner ?? null,
      built_in: details.builtIn,
    },
  };
}

export interface RunnerDetailParts extends RunnerParts {
  readonly projects: readonly RunnerProject[];
  readonly group: Namespace | undefined;
  /** Where the details are wanted. */
  readonly details?: { readonly builtIn: boolean } | undefined;
}

export function runnerDetail(parts: RunnerDetailParts): Static<typeof RunnerDetail> {
  const { runner, manager, projects, group, externalUrl, details } = parts;
  return {
    ...runnerJson(parts),
    tag_list: runner.tag_list,
    run_untagged: runner.run_untagged,
    locked: runner.locked,
    maximum_timeout: runner.maximum_timeout,
    access_level: runner.access_level,
    version: manager?.version ?? null,
    revision: manager?.revision ?? null,
    platform: manager?.platform ?? null,
    architecture: manager?.architecture ?? null,
    contacted_at: runner.contacted_at,
    maintenance_note: runner.maintenance_note,
    projects: projects.map(({ project, namespace }) => ({
      id: project.id,
      name: project.name,
      name_with_namespace: `${namespace.full_name} / ${project.name}`,
      path: project.path,
      path_with_namespace: `${namespace.full_path}/${project.path}`,
    })),
    groups: group ? [{ id: group.id, name: group.name, web_url: `${externalUrl}/groups/${group.full_path}` }] : [],
    ...(details ? { details: { built_in: details.builtIn } } : {}),
  };
}

export function managerJson(manager: RunnerManager): Static<typeof RunnerManagerEntity> {
  return {
    id: manager.id,
    system_id: manager.system_id,
    version: manager.version,
    revision: manager.revision,
    platform: manager.platform,
    architecture: manager.architecture,
    created_at: manager.created_at,
    contacted_at: manager.contacted_at,
    ip_address: manager.ip_address,
    status: runnerStatus(manager, new Date()),
  };
}
