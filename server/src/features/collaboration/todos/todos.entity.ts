/** JSON of to-dos. */
import type { Static } from 'typebox';
import type { Todo as TodoRow } from '../../../kernel/db/rows.ts';
import {
  AnyJson,
  Entity,
  Fields,
  Id,
  ListOf,
  Nullable,
  Sometimes,
  Text,
  Timestamp,
} from '../../../kernel/http/entity.ts';
import { type ReferenceRow, UserReference, userReference } from '../../identity/index.ts';
import { NamespaceReference, namespaceReference, type ReferredNamespace } from '../../namespaces/index.ts';
import { noteableType, type TodoTarget } from '../notes/index.ts';
import type { TodoProject } from './todos.queries.ts';

export const Todo = Entity('Todo', {
  id: Id(),
  project: Nullable(
    Fields({ id: Id(), name: Text(), name_with_namespace: Text(), path: Text(), path_with_namespace: Text() }),
    { description: 'Null for what groups have' },
  ),
  group: Sometimes(NamespaceReference),
  author: UserReference,
  action_name: Text({ description: '`assigned`, `mentioned`, `marked`, `review_requested` ...' }),
  target_type: Text({ description: '`Issue`, `MergeRequest`, `Epic` ...' }),
  target: AnyJson({ description: 'What it is about, as lists show it' }),
  target_url: Text(),
  body: Text({ description: 'Text of the comment, or title of what it is about' }),
  state: Text({ description: '`pending` or `done`' }),
  created_at: Timestamp(),
  updated_at: Timestamp(),
});

export const TodoIds = Entity('TodoIds', { ids: ListOf(Id(), { description: 'Ids of the to-dos that were changed' }) });

export function todoJson(
  row: TodoRow,
  about: {
    readonly target: TodoTarget;
    readonly author: ReferenceRow;
    readonly project: TodoProject | undefined;
    readonly group: ReferredNamespace | undefined;
    readonly body: string | undefined;
  },
  externalUrl: string,
): Static<typeof Todo> {
  const { target, author, project, group, body } = about;
  return {
    id: row.id,
    project: project
      ? {
          id: project.id,
          name: project.name,
          name_with_namespace: `${project.full_name} / ${project.name}`,
          path: project.path,
          path_with_namespace: `${project.full_path}/${project.path}`,
        }
      : null,
    ...(group ? { group: namespaceReference(group, externalUrl) } : {}),
    author: userReference(author, externalUrl),
    action_name: row.action,
    target_type: noteableType(row),
    target: target.json,
    target_url: `${externalUrl}${target.path}${row.note_id === null ? '' : `#note_${row.note_id}`}`,
    body: body ?? target.title,
    state: row.state,
    created_at: row.created_at,
    updated_at: row.updated_at,
  };
}
