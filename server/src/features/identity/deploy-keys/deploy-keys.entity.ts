/** JSON of deploy keys. */
import type { Static } from 'typebox';
import type { SshKey } from '../../../kernel/db/rows.ts';
import { Entity, Fields, Flag, Id, ListOf, Nullable, Text, Timestamp } from '../../../kernel/http/entity.ts';
import type { DeployKey, KeyProject } from './deploy-keys.queries.ts';

const key = {
  id: Id(),
  title: Text(),
  created_at: Timestamp(),
  expires_at: Nullable(Timestamp()),
  last_used_at: Nullable(Timestamp()),
  key: Text({ description: 'The public key' }),
  usage_type: Text(),
  fingerprint: Text({ description: 'MD5' }),
  fingerprint_sha256: Text(),
};
const project = Fields({
  id: Id(),
  description: Nullable(Text()),
  name: Text(),
  name_with_namespace: Text(),
  path: Text(),
  path_with_namespace: Text(),
  created_at: Timestamp(),
});

export const DeployKeyOfProject = Entity('DeployKeyOfProject', {
  ...key,
  can_push: Flag({ description: 'Whether it may push to the project' }),
});
export const UserDeployKey = Entity('UserDeployKey', key);
export const DeployKeyEntity = Entity('DeployKey', {
  ...key,
  public: Flag({ description: 'Whether every project may take it' }),
  projects_with_write_access: ListOf(project),
  projects_with_readonly_access: ListOf(project),
});

export const keyJson = (row: SshKey): Static<typeof UserDeployKey> => ({
  id: row.id,
  title: row.title,
  created_at: row.created_at,
  expires_at: row.expires_at,
  last_used_at: row.last_used_at,
  key: row.key,
  usage_type: row.usage_type,
  fingerprint: row.fingerprint,
  fingerprint_sha256: `SHA256:${row.fingerprint_sha256}`,
});

export const deployKeyOfProject = (row: DeployKey): Static<typeof DeployKeyOfProject> => ({
  ...keyJson(row),
  can_push: row.can_push,
});

export function deployKey(row: SshKey, projects: readonly KeyProject[]): Static<typeof DeployKeyEntity> {
  const own = projects.filter(({ key_id }) => key_id === row.id);
  const json = ({ id, description, name, path, full_path, full_name, created_at }: KeyProject) => ({
    id,
    description,
    name,
    name_with_namespace: `${full_name} / ${name}`,
    path,
    path_with_namespace: `${full_path}/${path}`,
    created_at,
  });
  return {
    ...keyJson(row),
    public: row.public,
    projects_with_write_access: own.filter(({ can_push }) => can_push).map(json),
    projects_with_readonly_access: own.filter(({ can_push }) => !can_push).map(json),
  };
}
