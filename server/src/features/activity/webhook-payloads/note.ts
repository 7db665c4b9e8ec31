/** Payloads of comments. */
import type { ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import type { Note, Snippet, User } from '../../../kernel/db/rows.ts';
import { noteableType, noteType } from '../../collaboration/notes/index.ts';
import {
  commitPart,
  dateText,
  mergeRequestAttributes,
  personPart,
  projectPart,
  repositoryPart,
  type Urls,
  visibilityLevels,
  webUrlOf,
} from '../../review/messages/index.ts';
import { issuePart } from './issue.ts';
import type { HookRepository } from './push.ts';
import * as queries from './webhooks.queries.ts';

interface Dependencies {
  readonly db: Db;
  readonly repository: HookRepository;
  readonly urls: Urls;
}

/** What a comment or a reaction names. */
export type CommentedOn = Pick<Note, 'noteable_type' | 'noteable_id' | 'commit_id' | 'internal'>;

/** What a comment is about, read once for its payload; `secret` where not everybody in the project sees it. */
export interface Commented {
  readonly secret: boolean;
  /** Its page, below the project. */
  readonly path: string;
  part(): Promise<object>;
}

/** Null where it has gone. */
export async function commentedOn(
  deps: Dependencies,
  subject: ProjectSubject,
  note: CommentedOn,
  sourceOf: (id: number) => Promise<ProjectSubject | null>,
): Promise<Commented | null> {
  const { db, repository, urls } = deps;
  const open = { secret: note.internal };
  const id = note.noteable_id ?? 0;
  switch (note.noteable_type) {
    case 'commit': {
      const commit = note.commit_id === null ? null : await repository.commit(subject, note.commit_id);
      const path = `commit/${note.commit_id}`;
      return {
        ...open,
        path,
        part: async () => (commit ? { commit: commitPart(commit, webUrlOf(subject, urls)) } : {}),
      };
    }
    case 'issue': {
      const row = await queries.issueById(db, id);
      if (!row) return null;
      return {
        secret: note.internal || row.confidential,
        path: `issues/${row.iid}`,
        part: async () => ({ issue: await issuePart(deps, subject, row) }),
      };
    }
    case 'merge_request': {
      const row = await queries.mergeRequestById(db, id);
      if (!row) return null;
      return {
        ...open,
        path: `merge_requests/${row.iid}`,
        part: async () => {
          const { source_project_id: from } = row;
          const source = from === null || from === subject.project.id ? subject : await sourceOf(from);
          return { merge_request: (await mergeRequestAttributes(deps, { target: subject, source }, row)).attributes };
        },
      };
    }
    case 'snippet': {
      const row = await queries.snippetById(db, id);
      const path = `snippets/${id}`;
      return row ? { ...open, path, part: async () => ({ snippet: snippetPart(subject, row, urls) }) } : null;
    }
    case 'epic':
      return null;
  }
}

const snippetPart = (subject: ProjectSubject, row: Snippet, urls: Urls) => ({
  id: row.id,
  title: row.title,
  description: row.description,
  content: null,
  author_id: row.author_id,
  project_id: row.project_id,
  created_at: dateText(row.created_at),
  updated_at: dateText(row.updated_at),
  file_name: row.files[0] ?? null,
  visibility_level: visibilityLevels[row.visibility],
  type: 'ProjectSnippet',
  url: `${webUrlOf(subject, urls)}/-/snippets/${row.id}`,
});

export async function notePayload(
  deps: Dependencies,
  subject: ProjectSubject,
  note: Note,
  about: Commented,
  user: User | null,
  action: 'create' | 'update',
) {
  const { urls } = deps;
  return {
    object_kind: 'note',
    event_type: about.secret ? 'confidential_note' : 'note',
    user: personPart(user, urls),
    project_id: subject.project.id,
    project: projectPart(subject, urls),
    object_attributes: { ...noteAttributes(subject, note, about, urls), action },
    repository: repositoryPart(subject, urls),
    ...(await about.part()),
  };
}

/** The comment as messages about it and about reactions to it show it. */
export const noteAttributes = (subject: ProjectSubject, note: Note, about: Commented, urls: Urls) => ({
  id: note.id,
  attachment: null,
  author_id: note.author_id,
  change_position: note.position,
  commit_id: note.commit_id,
  created_at: dateText(note.created_at),
  description: note.body,
  discussion_id: note.discussion_id,
  internal: note.internal,
  line_code: note.line_code,
  note: note.body,
  noteable_id: note.noteable_id,
  noteable_type: noteableType(note),
  original_position: note.original_position ?? note.position,
  position: note.position,
  project_id: note.project_id,
  resolved_at: dateText(note.resolved_at),
  resolved_by_id: note.resolved_by_id,
  system: note.system,
  type: noteType(note),
  updated_at: dateText(note.updated_at),
  updated_by_id: note.last_edited_by_id,
  url: `${webUrlOf(subject, urls)}/-/${about.path}#note_${note.id}`,
});
