/** JSON of events. */
import type { Static } from 'typebox';
import { Count, Day, Entity, Flag, Id, Nullable, Sometimes, Text, Timestamp } from '../../../kernel/http/entity.ts';
import { Note, noteJson, noteType } from '../../collaboration/notes/index.ts';
import { type ReferenceRow, UserReference, userReference } from '../../identity/index.ts';
import type { EventRow } from './events.queries.ts';

const PushData = Entity('PushData', {
  commit_count: Count(),
  action: Text({ description: '`created`, `removed` or `pushed`' }),
  ref_type: Text({ description: '`branch` or `tag`' }),
  commit_from: Nullable(Text()),
  commit_to: Nullable(Text()),
  ref: Nullable(Text({ description: 'Name of the branch or tag; null for several' })),
  commit_title: Nullable(Text({ description: 'Of the newest commit' })),
  ref_count: Nullable(Count({ description: 'How many branches and tags; null for one' })),
});

const EventWikiPage = Entity('EventWikiPage', {
  wiki_page_meta_id: Id(),
  slug: Text({ description: 'What names the page in addresses' }),
  title: Text(),
});

export const Event = Entity('Event', {
  id: Id(),
  project_id: Nullable(Id({ description: 'Null where it is about an epic of a group' })),
  group_id: Nullable(Id({ description: 'Group of the epic; null where it happened in a project' })),
  full_path: Text({ description: 'Path of the project or group with those of the groups above' }),
  full_name: Text({ description: 'Name of the project or group with those of the groups above' }),
  action_name: Text({ description: 'What happened, in words: `opened`, `pushed to`, `accepted` ...' }),
  target_id: Nullable(Id()),
  target_iid: Nullable(Id()),
  target_type: Nullable(
    Text({
      description:
        '`Issue`, `MergeRequest`, `Milestone`, `Epic`, `WikiPage::Meta`, or of a comment `Note`, `DiscussionNote`, `DiffNote`; null where the event is about the project',
    }),
  ),
  author_id: Id(),
  target_title: Nullable(Text()),
  created_at: Timestamp(),
  author: UserReference,
  imported: Flag({ description: 'Whether it was imported' }),
  imported_from: Text({ description: 'Where it was imported from; `none` otherwise' }),
  wiki_page: Sometimes(EventWikiPage),
  push_data: Sometimes(PushData),
  note: Sometimes(Note),
  author_username: Text(),
});

const pushNames = { created: 'pushed new', removed: 'deleted', pushed: 'pushed to' } as const;
const actionNames: Readonly<Record<EventRow['action'], string>> = {
  created: 'opened',
  updated: 'updated',
  closed: 'closed',
  reopened: 'opened',
  pushed: 'pushed to',
  commented: 'commented on',
  merged: 'accepted',
  joined: 'joined',
  left: 'left',
  destroyed: 'destroyed',
  expired: 'removed due to membership expiration from',
  approved: 'approved',
};
const targetTypes: Readonly<Record<string, string>> = {
  issue: 'Issue',
  merge_request: 'MergeRequest',
  milestone: 'Milestone',
  wiki_page: 'WikiPage::Meta',
  epic: 'Epic',
};

/** What is opened where other things are created. */
const opened: ReadonlySet<string | null> = new Set(['issue', 'merge_request', 'milestone', 'epic']);

/** What happened, in the ecosystem's words. */
export function actionName(event: EventRow): string {
  if (event.push_action !== null) return pushNames[event.push_action];
  if (event.action === 'created' && !opened.has(event.target_type)) return 'created';
  return actionNames[event.action];
}

function pushData(event: EventRow): Static<typeof PushData> | null {
  const { push_action, ref_type, ref, ref_count, commit_count } = event;
  if (push_action === null || ref_type === null || commit_count === null) return null;
  return {
    commit_count,
    action: push_action,
    ref_type,
    commit_from: event.commit_from,
    commit_to: event.commit_to,
    ref,
    commit_title: event.commit_title,
    ref_count,
  };
}

export function eventJson(event: EventRow, author: ReferenceRow, externalUrl: string): Static<typeof Event> {
  const push = pushData(event);
  return {
    id: event.id,
    project_id: event.project_id,
    group_id: event.namespace_id,
    full_path: event.place_path,
    full_name: event.place_name,
    action_name: actionName(event),
    target_id:
      event.merge_request_id ??
      event.issue_id ??
      event.epic_id ??
      event.milestone_id ??
      event.wiki_page_id ??
      event.note_id,
    target_iid: event.target_iid ?? event.note_id,
    target_type: event.note
      ? (noteType(event.note.row) ?? 'Note')
      : event.target_type === null
        ? null
        : (targetTypes[event.target_type] ?? null),
    author_id: event.author_id,
    target_title: event.target_title,
    created_at: event.created_at,
    author: userReference(author, externalUrl),
    imported: false,
    imported_from: 'none',
    ...(event.wiki_page_id !== null && event.wiki_slug !== null
      ? {
          wiki_page: {
            wiki_page_meta_id: event.wiki_page_id,
            slug: event.wiki_slug,
            title: event.target_title ?? event.wiki_slug,
          },
        }
      : {}),
    ...(push ? { push_data: push } : {}),
    ...(event.note ? { note: noteJson(event.note, externalUrl) } : {}),
    author_username: author.username,
  };
}

/** A day on which somebody did something that the caller may see. */
export const ContributionDay = Entity('ContributionDay', {
  date: Day({ description: 'In UTC' }),
  count: Count({ description: 'Pushes, merge requests, comments and other events' }),
});
