/** Tree entries and files as the API shows them. */
import { Count, Entity, Flag, Nullable, Sometimes, Text } from '../../../kernel/http/entity.ts';

export const TreeEntry = Entity('TreeEntry', {
  id: Text(),
  name: Text(),
  type: Text({ description: '`tree`, `blob` or `commit` (submodule)' }),
  path: Text(),
  mode: Text({ description: 'File mode' }),
});

export const RepositoryFile = Entity('RepositoryFile', {
  file_name: Text(),
  file_path: Text(),
  size: Count({ description: 'Bytes' }),
  encoding: Text(),
  content: Text({ description: 'Base64' }),
  html: Sometimes(Nullable(Text({ description: 'With `render_html`: a Markdown file as HTML; null for other files' }))),
  content_sha256: Text({ description: 'SHA-256 of the content' }),
  ref: Text(),
  blob_id: Text({ description: 'Hash of the content as git keeps it' }),
  commit_id: Text({ description: 'The commit of `ref`' }),
  last_commit_id: Text({ description: 'The last commit that changed the file' }),
  execute_filemode: Flag({ description: 'Whether it is executable' }),
});
