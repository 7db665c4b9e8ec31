/** Issues as something that people discuss and spend time on. */
import type { Caller, GroupSubject, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import { publish } from '../../../kernel/events/index.ts';
import { recordNotFound } from '../../../kernel/http/errors.ts';
import { Int } from '../../../kernel/http/params/schema.ts';
import type { ParentLoader } from '../../../kernel/http/parents.ts';
import { type NoteableKind, ofProject, projectNoteAbilities } from '../../collaboration/notes/index.ts';
import type { Timed } from '../../collaboration/time-tracking/index.ts';
import { IterationReference, iterationJson } from '../iterations/iterations.entity.ts';
import { iterationsById } from '../iterations/iterations.queries.ts';
import { findIssue, mayReadIssue } from './access.ts';
import { tellIssue } from './changes.ts';
import { Issue, issueJson } from './issues.entity.ts';
import { assigneeIds, issueById, issuesById, touchIssues, withDetails } from './issues.queries.ts';
import { type PresentIssue, placeOfIssue } from './issues.routes.ts';

const named = {
  path: '/issues/:issue_iid',
  params: { issue_iid: Int({ description: 'Number of the issue within the project' }) },
  noun: 'an issue',
} as const;

const load = async (
  db: Db,
  subject: ProjectSubject | GroupSubject,
  { issue_iid: iid }: Readonly<Record<string, unknown>>,
  caller: Caller,
) => {
  if (subject.kind !== 'project') throw recordNotFound();
  return { row: await findIssue(db, subject, caller, Number(iid)), subject };
};

interface Shown {
  readonly db: Db;
  readonly base: string;
  readonly parents: Pick<ParentLoader, 'projects'>;
  readonly present: PresentIssue;
}

/** Issues by id as to-dos show them, those that the caller sees. */
async function shownIn({ db, base, parents }: Shown, ids: readonly number[], caller: Caller) {
  const rows = await issuesById(db, ids);
  const subjects = await parents.projects([...new Set(rows.map(({ project_id }) => project_id))], caller);
  const seen = await Promise.all(
    rows.map(async (row) => {
      const subject = subjects.get(row.project_id);
      return subject !== undefined && (await mayReadIssue(db, subject, caller, row)) ? [row] : [];
    }),
  );
  const loaded = await withDetails(db, seen.flat(), caller);
  return new Map(
    loaded.map((each) => [
      each.row.id,
      {
        json: issueJson(each, base, { projectId: each.row.project_id }),
        title: each.row.title,
        path: `/${each.project.path_with_namespace}/-/issues/${each.row.iid}`,
      },
    ]),
  );
}

export const issueNoteable = ({ db, ...shown }: Shown): NoteableKind => ({
  ...named,
  followed: {
    tag: 'Issues',
    entity: Issue,
    async show({ noteable }, caller) {
      const row = noteable.id === null ? undefined : await issueById(db, noteable.id);
      if (!row) throw recordNotFound();
      return await shown.present(row, caller);
    },
    many: (ids, caller) => shownIn({ db, ...shown }, ids, caller),
    async people(handle, id) {
      const row = await issueById(handle, id);
      return row ? [row.author_id, ...(await assigneeIds(handle, id))] : [];
    },
    events: ['label', 'milestone', 'iteration', 'state', 'weight'],
    iterations: {
      entity: IterationReference,
      many: async (ids) =>
        new Map((await iterationsById(db, ids)).map((row) => [row.id, iterationJson(row, shown.base)] as const)),
    },
  },
  type: 'issue',
  on: 'project',
  notes: true,
  convertible: true,
  abilities: { ...projectNoteAbilities, read: 'read_issue', write: 'create_issue_note' },
  async load(given, params, caller) {
    const { row, subject } = await load(db, given, params, caller);
    return placeOfIssue(row, subject);
  },
  async commented(tx, places) {
    const ids = places.flatMap(({ noteable }) => noteable.id ?? []);
    const found = await touchIssues(tx, ids);
    // One was removed meanwhile.
    if (found.length < ids.length) throw recordNotFound();
    await publish(tx, ...found.flatMap((row) => [`issue:${row.id}`, `project:${row.project_id}:issues`]));
  },
});

export const timedIssue = (db: Db): Timed => ({
  ...named,
  table: 'issues',
  tag: 'Issues',
  read: 'read_issue',
  write: 'update_issue',
  async load(given, params, caller) {
    const { row } = await load(db, given, params, caller);
    return { id: row.id, noteable: ofProject('issue', row) };
  },
  async changed(tx, id, actorId) {
    const row = await issueById(tx, id);
    if (row) await tellIssue(tx, 'updated', row, actorId);
  },
});
