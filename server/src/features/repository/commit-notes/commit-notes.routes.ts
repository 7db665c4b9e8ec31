/** Comments and threads about commits. */
import { ZERO_SHA } from '@millrace/git';
import Type from 'typebox';
import { canOnProject } from '../../../kernel/authz/can.ts';
import type { ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import { ListOf } from '../../../kernel/http/entity.ts';
import { invalidParameters, notFound, recordNotFound } from '../../../kernel/http/errors.ts';
import { mapPage, offsetPage } from '../../../kernel/http/pagination.ts';
import { IdOrPath, Int, OneOf, Optional, Str } from '../../../kernel/http/params/schema.ts';
import { type Route, route } from '../../../kernel/http/route.ts';
import type { Noteables } from '../../collaboration/index.ts';
import {
  AppliedCommands,
  CommitNote,
  changedLine,
  commandsOnly,
  commitNoteJson,
  invalidNote,
  lineCode,
  listNotes,
  type NewNote,
  type Noteable,
  type NoteableKind,
  type Place,
  type Position,
  positionedLine,
  projectNoteAbilities,
  withPaths,
  withPeople,
} from '../../collaboration/notes/index.ts';
import { findProjectSubject } from '../../namespaces/index.ts';
import { authorsByEmail } from '../changelogs/changelogs.queries.ts';
import { projectPath } from '../commits/commits.json.ts';
import type { RepositoryAccess } from '../face.ts';
import type { RefService } from '../refs/refs.service.ts';
import { commitCommands } from './commands.ts';

type Repository = Pick<RepositoryAccess, 'resolve' | 'commit' | 'diffOfCommit'>;

export function commitNoteRoutes(deps: {
  readonly db: Db;
  readonly externalUrl: string;
  readonly repository: Repository;
  readonly refs: Pick<RefService, 'createTag'>;
  readonly noteables: Noteables;
}): Route[] {
  const { db, externalUrl, repository, noteables } = deps;
  const { notes } = noteables;

  async function load(subject: ProjectSubject, revision: string) {
    const sha = await repository.resolve(subject.project, revision);
    if (sha === null) throw notFound('Commit');
    const commit = await repository.commit(subject, sha);
    const noteable: Noteable = {
      type: 'commit',
      ...{ projectId: subject.project.id, groupId: null, id: null, iid: null, commitId: sha },
    };
    return { place: { noteable, subject, title: commit.title }, commit };
  }
  /** The commit of a thread again: the id is what the thread has. */
  async function diffOf({ noteable, subject }: Place) {
    const sha = noteable.commitId;
    if (subject.kind !== 'project' || sha === null) throw notFound('Commit');
    const { commit } = await load(subject, sha);
    const { files } = await repository.diffOfCommit(subject.project, sha);
    return { base: commit.parent_ids[0] ?? ZERO_SHA, sha, files };
  }

  async function positioned(place: Place, given: Position): Promise<Pick<NewNote, 'position' | 'lineCode'>> {
    const { base, sha, files } = await diffOf(place);
    const position = withPaths(files, given);
    if (position.head_sha !== sha || position.base_sha !== base || position.start_sha !== base)
      throw invalidNote('commit_id', 'does not match the diff refs');
    const path = position.new_path ?? position.old_path ?? '';
    if (position.position_type !== 'text') {
      if (!files.some((file) => file.new_path === path || file.old_path === path))
        throw invalidNote('position', 'is invalid');
      return { position, lineCode: null };
    }
    const line = positionedLine(files, position);
    if (!line) throw invalidNote('line_code', "can't be blank", 'must be a valid line code');
    return { position, lineCode: lineCode(path, line) };
  }

  /** A comment on a changed line; a plain one where the change has no such line. */
  async function onLine(
    place: Place,
    at: { readonly path: string; readonly line: number; readonly type: 'new' | 'old' },
  ): Promise<Pick<NewNote, 'kind' | 'position' | 'lineCode'>> {
    const { base, sha, files } = await diffOf(place);
    const found = changedLine(files, at);
    if (!found) return { kind: null };
    const { file, line } = found;
    const position: Position = {
      ...{ base_sha: base, start_sha: base, head_sha: sha, position_type: 'text' },
      ...{ old_path: file.old_path, new_path: file.new_path },
      ...{ old_line: at.type === 'old' ? line.old : null, new_line: at.type === 'new' ? line.new : null },
      line_range: null,
    };
    return { kind: 'diff', position, lineCode: lineCode(file.new_path, line) };
  }

  const params = { id: IdOrPath('Id or path of the project'), sha: Str({ description: 'Hash, branch or tag' }) };
  const declared = {
    path: '/projects/:id/repository/commits/:sha/comments',
    credentials: ['token', 'session'],
    tag: 'Commits',
  } as const;
  const kind: NoteableKind = {
    type: 'commit',
    on: 'project',
    path: '/repository/commits/:commit_id',
    params: { commit_id: Str({ description: 'Hash, branch or tag' }) },
    noun: 'a commit',
    notes: false,
    awards: false,
    convertible: false,
    abilities: {
      ...projectNoteAbilities,
      read: 'read_code',
      write: 'create_commit_note',
      resolve: null,
      internal: null,
    },
    async load(subject, { commit_id }) {
      if (subject.kind !== 'project') throw notFound('Commit');
      return (await load(subject, String(commit_id))).place;
    },
    positioned,
    commands: commitCommands(deps.refs),
    mailed: {
      async show(subject, { commitId }, caller) {
        if (!commitId || !canOnProject(caller, 'read_code', subject)) return null;
        if ((await repository.resolve(subject.project, commitId)) === null) return null;
        const { title } = await repository.commit(subject, commitId);
        return { json: {}, title, path: `/${projectPath(subject)}/-/commit/${commitId}` };
      },
      async people({ projectId, commitId }) {
        const subject = projectId === null ? null : await findProjectSubject(db, String(projectId), null);
        if (!subject || !commitId) return [];
        if ((await repository.resolve(subject.project, commitId)) === null) return [];
        const { author_email } = await repository.commit(subject, commitId);
        return [...(await authorsByEmail(db, [author_email])).values()].map(({ id }) => id);
      },
    },
  };

  return [
    route({
      ...declared,
      method: 'GET',
      summary: 'List comments on a commit',
      access: { on: 'project', ability: 'read_code' },
      pagination: 'offset',
      params: Type.Object(params),
      responses: { 200: ListOf(CommitNote) },
      handler: async ({ params, subject, caller, page }) => {
        const { place } = await load(subject, params.sha);
        const { rows, total } = await listNotes(db, place.noteable, { caller, internal: false }, page);
        const paged = offsetPage(page, await withPeople(db, rows), total);
        return mapPage(paged, (note) => commitNoteJson(note, externalUrl));
      },
    }),
    route({
      ...declared,
      method: 'POST',
      summary: 'Comment on a commit, or on a line that it changes',
      access: { on: 'project', ability: 'create_commit_note' },
      rate: 'notes_create',
      params: Type.Object({
        ...params,
        note: Str({ description: 'Text of the comment, in Markdown' }),
        path: Optional(Str({ minLength: 1, maxLength: 4096, description: 'File that it is about' })),
        line: Optional(Int({ minimum: 1, description: 'Line of the file; needed with `path`' })),
        line_type: Optional(
          OneOf(['new', 'old'], {
            default: 'new',
            description: 'Whether the line is counted after or before the change',
          }),
        ),
      }),
      responses: { 201: CommitNote, 202: AppliedCommands },
      handler: async ({ params, subject, caller }) => {
        const { place } = await load(subject, params.sha);
        const { path, line, line_type: type = 'new' } = params;
        if (path !== undefined && line === undefined) throw invalidParameters(['line is missing']);
        const at =
          path !== undefined && line !== undefined ? await onLine(place, { path, line, type }) : { kind: null };
        const { note, applied } = await noteables.quickActions.comment(place, caller, params.note, (body) =>
          notes.create(place, caller, { body, ...at }),
        );
        if (!note) return commandsOnly(applied);
        const [made] = await withPeople(db, [note]);
        if (!made) throw recordNotFound();
        return commitNoteJson(made, externalUrl);
      },
    }),
    ...noteables.register(kind),
  ];
}
