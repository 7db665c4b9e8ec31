/** Payloads of comments. */
import type { ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { Note, User } from '../../../kernel/db/rows.ts';
import { noteableType, noteType } from '../../collaboration/notes/index.ts';
import {
  commitPart,
  dateText,
  personPart,
  projectPart,
  repositoryPart,
  type Urls,
  webUrlOf,
} from '../../review/messages/index.ts';
import type { HookRepository } from './push.ts';

/** Page of what a comment is about, below the project. */
function pathOf({ noteable_type: type, noteable_id, noteable_iid, commit_id }: Note): string {
  if (type === 'commit') return `commit/${commit_id}`;
  return type === 'snippet' ? `snippets/${noteable_id}` : `${type}s/${noteable_iid}`;
}

export async function notePayload(
  deps: { readonly repository: HookRepository; readonly urls: Urls },
  subject: ProjectSubject,
  note: Note,
  user: User | null,
  action: 'create' | 'update',
) {
  const { repository, urls } = deps;
  const webUrl = webUrlOf(subject, urls);
  const commit =
    note.noteable_type !== 'commit' || note.commit_id === null
      ? null
      : await repository.commit(subject, note.commit_id);
  return {
    object_kind: 'note',
    event_type: note.internal ? 'confidential_note' : 'note',
    user: personPart(user, urls),
    project_id: subject.project.id,
    project: projectPart(subject, urls),
    object_attributes: {
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
      url: `${webUrl}/-/${pathOf(note)}#note_${note.id}`,
      action,
    },
    repository: repositoryPart(subject, urls),
    ...(commit ? { commit: commitPart(commit, webUrl) } : {}),
  };
}
