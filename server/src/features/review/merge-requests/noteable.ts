/** Merge requests as something that people discuss: who may, and on which lines. */
import { canOnProject } from '../../../kernel/authz/can.ts';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { MergeRequest } from '../../../kernel/db/rows.ts';
import { recordNotFound } from '../../../kernel/http/errors.ts';
import { Int } from '../../../kernel/http/params/schema.ts';
import {
  invalidNote,
  lineCode,
  type NewNote,
  type NoteableKind,
  type Place,
  type Position,
  positionedLine,
  projectNoteAbilities,
  shiftedLine,
  type TodoTarget,
  withPaths,
} from '../../collaboration/notes/index.ts';
import type { Timed } from '../../collaboration/time-tracking/index.ts';
import type { MergeCheckService } from '../merge-checks/merge-checks.service.ts';
import type { MergeRequestDetailOf } from './detail.ts';
import { involvedPeople, requestsById } from './history.queries.ts';
import { noteableOf } from './history.ts';
import { MergeRequestDetail, mergeRequestJson } from './merge-requests.entity.ts';
import * as queries from './merge-requests.queries.ts';
import type { MergeRequestDependencies } from './merge-requests.service.ts';

/** Larger files have no lines outside of the change to comment on. */
const largestFile = 10 * 1024 * 1024;

const invalidPosition = () => invalidNote('position', 'is invalid');
const invalidLine = () => invalidNote('line_code', "can't be blank", 'must be a valid line code');

/** A merge request as what is discussed. */
export const placeOfRequest = (row: MergeRequest, subject: ProjectSubject): Place => ({
  noteable: noteableOf(row),
  subject,
  title: row.title,
  authorId: row.author_id,
  locked: row.discussion_locked === true,
});

export function mergeRequestNoteable(
  deps: Pick<MergeRequestDependencies, 'db' | 'changed' | 'externalUrl' | 'projectAs'> & {
    readonly repository: Pick<MergeRequestDependencies['repository'], 'diff' | 'readText' | 'resolve'>;
    readonly statusesOf: MergeCheckService['statusesOf'];
  },
  detail: MergeRequestDetailOf,
): NoteableKind {
  const { db, repository } = deps;

  async function positioned(place: Place, given: Position): Promise<Pick<NewNote, 'position' | 'lineCode'>> {
    const { subject } = place;
    if (subject.kind !== 'project') throw recordNotFound();
    const { project } = subject;
    for (const sha of [given.base_sha, given.start_sha, given.head_sha])
      if ((await repository.resolve(project, sha)) !== sha) throw invalidPosition();
    const { files } = await repository.diff(project, given.base_sha, given.head_sha);
    const position = withPaths(files, given);
    const file = files.find((each) => each.old_path === position.old_path && each.new_path === position.new_path);
    if (position.position_type !== 'text') {
      const path = position.new_path ?? position.old_path;
      if (!files.some((each) => each.new_path === path || each.old_path === path)) throw invalidPosition();
      return { position, lineCode: null };
    }
    const line = positionedLine(files, position) ?? (file && shiftedLine(file, position));
    if (!file || !line) throw invalidLine();
    // Nothing tells how long the file is but the file.
    if (line.type === null && !positionedLine(files, position)) {
      const text = await repository.readText(project, position.head_sha, file.new_path, largestFile);
      if (text === null || text.replace(/\n$/, '').split('\n').length < line.new) throw invalidLine();
    }
    return { position, lineCode: lineCode(file.new_path, line) };
  }

  /** As lists show them, for to-dos. */
  async function many(ids: readonly number[], caller: Caller): Promise<ReadonlyMap<number, TodoTarget>> {
    const rows = await requestsById(db, ids);
    const subjects = await Promise.all(
      [...new Set(rows.map((row) => row.project_id))].map(async (id) => await deps.projectAs(id, caller)),
    );
    const seen = new Set(
      subjects.flatMap((subject) =>
        subject && canOnProject(caller, 'read_merge_request', subject) ? [subject.project.id] : [],
      ),
    );
    const shown = rows.filter((row) => seen.has(row.project_id));
    const [loaded, statusOf] = await Promise.all([queries.withPeople(db, shown), deps.statusesOf(shown, caller)]);
    return new Map(
      loaded.map((each) => [
        each.row.id,
        {
          json: mergeRequestJson(each, { base: deps.externalUrl }, statusOf(each.row)),
          title: each.row.title,
          path: `/${each.project.path_with_namespace}/-/merge_requests/${each.row.iid}`,
        },
      ]),
    );
  }

  return {
    type: 'merge_request',
    on: 'project',
    path: '/merge_requests/:merge_request_iid',
    params: { merge_request_iid: Int({ description: 'Internal id of the merge request' }) },
    noun: 'a merge request',
    notes: true,
    jobTokens: true,
    convertible: true,
    followed: {
      tag: 'Merge requests',
      entity: MergeRequestDetail,
      async show({ subject, noteable }, caller) {
        const row = noteable.id === null ? null : await queries.byId(db, noteable.id);
        if (!row || subject.kind !== 'project') throw recordNotFound();
        return await detail(subject, caller, row);
      },
      many,
      people: involvedPeople,
      events: ['label', 'milestone', 'state'],
    },
    abilities: { ...projectNoteAbilities, read: 'read_merge_request', write: 'create_merge_request_note' },
    async load(subject, { merge_request_iid: iid }) {
      if (subject.kind !== 'project') throw recordNotFound();
      const row = await queries.requireByIid(db, subject.project.id, Number(iid));
      return placeOfRequest(row, subject);
    },
    positioned,
    async commented(tx, places) {
      for (const id of places.flatMap(({ noteable }) => noteable.id ?? []))
        await deps.changed(tx, await queries.updateRow(tx, id, {}));
    },
  };
}

/** Merge requests as something that people spend time on. */
export const timedMergeRequest = (deps: Pick<MergeRequestDependencies, 'db' | 'changed'>): Timed => ({
  table: 'merge_requests',
  tag: 'Merge requests',
  noun: 'a merge request',
  path: '/merge_requests/:merge_request_iid',
  params: { merge_request_iid: Int({ description: 'Internal id of the merge request' }) },
  read: 'read_merge_request',
  write: 'set_merge_request_metadata',
  async load(subject, { merge_request_iid: iid }) {
    const row = await queries.requireByIid(deps.db, subject.project.id, Number(iid));
    return { id: row.id, noteable: noteableOf(row) };
  },
  async changed(tx, id) {
    const row = await queries.byId(tx, id);
    if (row) await deps.changed(tx, row);
  },
});
