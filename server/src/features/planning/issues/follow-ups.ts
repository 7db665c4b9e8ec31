/** Issues that continue threads of a merge request: the text that they start with, and resolving the threads. */

import { canOnProject } from '../../../kernel/authz/can.ts';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import type { Issue } from '../../../kernel/db/rows.ts';
import { Int, Optional, Str } from '../../../kernel/http/params/schema.ts';
import type { Noteables } from '../../collaboration/index.ts';
import {
  type LoadedNote,
  notesOf,
  ofProject,
  type Place,
  systemNote,
  unresolvedNotes,
  withPeople,
} from '../../collaboration/notes/index.ts';
import { requestByIid } from '../closing/closing.queries.ts';

export const thread = {
  discussion_to_resolve: Optional(
    Str({ maxLength: 64, description: 'Id of one thread of the merge request; all open ones when left out' }),
  ),
};

/** What a new issue may continue. */
export const followed = {
  merge_request_to_resolve_discussions_of: Optional(
    Int({
      description:
        'Internal id of a merge request whose threads are resolved; without a title or description it gets one that names them',
    }),
  ),
  ...thread,
};

interface Given {
  readonly merge_request_to_resolve_discussions_of?: number | undefined;
  readonly discussion_to_resolve?: string | undefined;
}

interface FollowUp {
  readonly title: string;
  readonly description: string;
  /** Ids of the threads that the caller may resolve. */
  readonly threads: readonly string[];
  /** Resolves them, with a system note that names the issue; part of the transaction that creates it. */
  resolve(tx: Db, issue: Issue): Promise<void>;
}

/** Null where no merge request is named, or none that the caller may read. */
export type FollowUps = (subject: ProjectSubject, caller: Caller, given: Given) => Promise<FollowUp | null>;

const longestTitle = 255;
/** Threads that do not fit into a description are resolved without a line in it. */
const longestDescription = 1_000_000;

type Thread = readonly [LoadedNote, ...LoadedNote[]];

/** The threads in the order in which they began. */
function threadsOf(notes: readonly LoadedNote[]): Thread[] {
  const threads = new Map<string, [LoadedNote, ...LoadedNote[]]>();
  for (const note of notes) {
    const known = threads.get(note.row.discussion_id);
    if (known) known.push(note);
    else threads.set(note.row.discussion_id, [note]);
  }
  return [...threads.values()];
}

/** One check box: who said what needs doing, where, and the words. */
function itemOf(thread: Thread, url: string): string {
  const [first] = thread;
  const open = thread.find(({ row }) => row.resolvable && row.resolved_at === null) ?? first;
  const others = thread.length - 1;
  const more = others === 0 ? '' : ` (+${others} ${others === 1 ? 'comment' : 'comments'})`;
  const did = open === first ? 'started' : 'commented on';
  const quote = open.row.body.split('\n').map((line) => `    > ${line}`.trimEnd());
  return `- [ ] @${open.author.username} ${did} a [thread](${url}#note_${open.row.id})${more}:\n\n${quote.join('\n')}`;
}

function descriptionOf(threads: readonly Thread[], reference: string, url: string): string {
  if (threads.length === 0) return `${reference} has no unresolved threads.`;
  const start = `The following ${threads.length === 1 ? 'thread' : 'threads'} from ${reference} should be addressed:`;
  const parts = [start];
  let length = start.length;
  for (const thread of threads) {
    const item = itemOf(thread, url);
    length += item.length + 2;
    if (length <= longestDescription) parts.push(item);
  }
  return parts.join('\n\n');
}

export function followUps({
  db,
  externalUrl,
  noteables,
}: {
  readonly db: Db;
  readonly externalUrl: string;
  readonly noteables: Pick<Noteables, 'notes' | 'notesIn'>;
}): FollowUps {
  return async (subject, caller, { merge_request_to_resolve_discussions_of: iid, discussion_to_resolve: only }) => {
    if (iid === undefined || !canOnProject(caller, 'read_merge_request', subject)) return null;
    const request = await requestByIid(db, subject.project.id, iid);
    if (!request) return null;
    const place: Place = {
      ...{ noteable: ofProject('merge_request', request), subject, title: request.title },
      ...{ authorId: request.author_id, locked: request.discussion_locked === true },
    };
    const reader = noteables.notes.reader(place, caller);
    const rows = await (only === undefined
      ? unresolvedNotes(db, place.noteable, reader)
      : notesOf(db, place.noteable, reader, [only]));
    const threads = threadsOf(await withPeople(db, rows));
    const url = `${externalUrl}/${subject.namespace.full_path}/${subject.project.path}/-/merge_requests/${request.iid}`;
    const resolved = threads.flatMap((notes) =>
      noteables.notes.mayResolve(
        place,
        caller,
        notes.map(({ row }) => row),
      )
        ? [notes[0].row.discussion_id]
        : [],
    );
    const title = `Follow-up from "${request.title}"`;
    return {
      title: title.length > longestTitle ? `${title.slice(0, longestTitle - 2)}…"` : title,
      description: descriptionOf(threads, `!${request.iid}`, url),
      threads: resolved,
      async resolve(tx, issue) {
        const notes = noteables.notesIn(tx);
        for (const id of resolved) {
          await notes.resolveDiscussion(place, caller, id, true);
          const text = `created #${issue.iid} to continue this discussion`;
          await systemNote(tx, place.noteable, issue.author_id, 'discussion', text, { thread: id });
        }
      },
    };
  };
}
