/** Tree entries and files as the API shows them. */
import { Count, Entity, Flag, Text } from '../../../kernel/http/entity.ts';

export const TreeEntry = Entity('TreeEntry', {
  id: Text(),
  name: Text(),
  type: Text({ description: '`tree`, `blob` or `commit` (submodule)' }),
  path: Text(),
  mode: Text(),
});

export const RepositoryFile = Entity('RepositoryFile', {
  file_name: Text(),
  file_path: Text(),
  size: Count({ description: 'Bytes' }),
  encoding: Text(),
  content: Text({ description: 'Base64' }),
  content_sha256: Text(),
  ref: Text(),
  blob_id: Text(),
  commit_id: Text(),
  last_commit_id: Text(),
  execute_filemode: Flag(),
});
