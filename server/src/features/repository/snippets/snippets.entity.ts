/** Snippets as the API shows them. */
import type { Static } from 'typebox';
import type { Snippet as SnippetRow } from '../../../kernel/db/rows.ts';
import { Entity, Fields, Flag, Id, ListOf, Nullable, Text, Timestamp, Word } from '../../../kernel/http/entity.ts';
import { type ReferenceRow, UserReference, userReference } from '../../identity/index.ts';
import { sshUrl, visibilities } from '../../namespaces/index.ts';

export const Snippet = Entity('Snippet', {
  id: Id(),
  title: Text(),
  description: Nullable(Text()),
  visibility: Word(visibilities),
  author: UserReference,
  created_at: Timestamp(),
  updated_at: Timestamp(),
  project_id: Nullable(Id({ description: 'Null for personal snippets' })),
  web_url: Text(),
  raw_url: Text({ description: 'The first file' }),
  ssh_url_to_repo: Text({ description: 'Empty where SSH is off or not allowed' }),
  http_url_to_repo: Text(),
  file_name: Nullable(Text({ description: 'Path of the first file' })),
  files: ListOf(Fields({ path: Text(), raw_url: Text() })),
  imported: Flag(),
  imported_from: Word(['none', 'github']),
});

export const UserAgentDetail = Entity('UserAgentDetail', {
  user_agent: Text(),
  ip_address: Nullable(Text()),
  akismet_submitted: Flag({ description: 'Always false: no text is sent to a service against spam' }),
});

const encoded = (path: string) => path.split('/').map(encodeURIComponent).join('/');

export function snippetJson(
  row: SnippetRow,
  author: ReferenceRow,
  projectPath: string | null,
  { externalUrl, sshPrefix }: { readonly externalUrl: string; readonly sshPrefix: () => string | null },
): Static<typeof Snippet> {
  const web = `${externalUrl}/${projectPath === null ? '' : `${projectPath}/`}-/snippets/${row.id}`;
  const repository = `${projectPath === null ? '' : `${projectPath}/`}snippets/${row.id}.git`;
  const branch = row.default_branch ?? 'main';
  return {
    id: row.id,
    title: row.title,
    description: row.description,
    visibility: row.visibility,
    author: userReference(author, externalUrl),
    created_at: row.created_at,
    updated_at: row.updated_at,
    project_id: row.project_id,
    web_url: web,
    raw_url: `${web}/raw`,
    ssh_url_to_repo: sshUrl(sshPrefix(), repository),
    http_url_to_repo: `${externalUrl}/${repository}`,
    file_name: row.files[0] ?? null,
    files: row.files.map((path) => ({ path, raw_url: `${web}/raw/${encoded(branch)}/${encoded(path)}` })),
    imported: row.imported_from !== 'none',
    imported_from: row.imported_from,
  };
}
