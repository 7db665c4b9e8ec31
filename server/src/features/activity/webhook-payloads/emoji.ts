/** Payloads of reactions. */
import type { ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { Note, User } from '../../../kernel/db/rows.ts';
import type { emojiFacts, Fact } from '../../../kernel/events/index.ts';
import { dateText, personPart, projectPart, type Urls, webUrlOf } from '../../review/messages/index.ts';
import { type Commented, noteAttributes } from './note.ts';

type EmojiFact = Fact<(typeof emojiFacts)[keyof typeof emojiFacts]>;

const awardableTypes = {
  commit: 'Commit',
  issue: 'Issue',
  merge_request: 'MergeRequest',
  snippet: 'Snippet',
  epic: 'Epic',
} as const;

export async function emojiPayload(
  urls: Urls,
  subject: ProjectSubject,
  { kind, payload: award }: Pick<EmojiFact, 'kind' | 'payload'>,
  about: Commented,
  note: Note | null,
  user: User | null,
) {
  const action = kind === 'award_emoji.awarded' ? 'award' : 'revoke';
  const page = `${webUrlOf(subject, urls)}/-/${about.path}`;
  return {
    object_kind: 'emoji',
    event_type: action,
    user: personPart(user, urls),
    project_id: subject.project.id,
    project: projectPart(subject, urls),
    object_attributes: {
      user_id: award.user_id,
      created_at: dateText(new Date(award.created_at)),
      id: award.id,
      name: award.name,
      awardable_type: note ? 'Note' : awardableTypes[award.noteable_type],
      awardable_id: note ? note.id : award.noteable_id,
      updated_at: dateText(new Date(award.updated_at)),
      action,
      awarded_on_url: note ? `${page}#note_${note.id}` : page,
    },
    ...(note ? { note: noteAttributes(subject, note, about, urls) } : {}),
    ...(await about.part()),
  };
}
