/** Applying suggestions: one commit on the source branch, in the name of those who made them. */
import { canOnProject } from '../../../kernel/authz/can.ts';
import type { Caller } from '../../../kernel/authz/subjects.ts';
import type { Note, User } from '../../../kernel/db/rows.ts';
import { forbidden, plainError, unauthorized } from '../../../kernel/http/errors.ts';
import type { Noteables } from '../../collaboration/index.ts';
import type { NoteableKind, Place, SuggestionJson } from '../../collaboration/notes/index.ts';
import * as requests from '../merge-requests/merge-requests.queries.ts';
import type { MergeRequestDependencies, MergeRequestService } from '../merge-requests/merge-requests.service.ts';
import { ofFork, type RequestSources } from '../merge-requests/sources.ts';
import { linesOf } from './blocks.ts';
import { commitMessage } from './message.ts';
import { markApplied, type SuggestionRow, suggestionsById } from './suggestions.queries.ts';
import { type CurrentLines, largestFile, type SuggestionService, suggestionJson } from './suggestions.ts';

export interface ApplyDependencies
  extends Pick<MergeRequestDependencies, 'db' | 'repository' | 'project' | 'projectAs'> {
  readonly noteables: Noteables;
  readonly kind: NoteableKind;
  /** The address that commits of somebody else's doing have for a person. */
  readonly commitAddress: (user: User) => Promise<string>;
  readonly person: (id: number) => Promise<User | null>;
}

interface Chosen {
  readonly row: SuggestionRow;
  readonly note: Note;
  readonly lines: CurrentLines;
}

const invalid = (reason: string) => plainError(400, reason);
const missing = (ids: readonly number[]) =>
  plainError(
    404,
    ids.length > 1
      ? 'Suggestions are not applicable as one or more suggestions were not found.'
      : 'Suggestion is not applicable as the suggestion was not found.',
  );
const outdated = () => invalid("Can't apply as this line was changed or the suggestion already matches its content.");

/** Puts the lines of suggestions in the place of those that they are for; refuses where two want the same lines. */
function edited(text: string, chosen: readonly Chosen[]): string {
  const lines = linesOf(text);
  const last = [...chosen].sort((a, b) => b.lines.from - a.lines.from);
  for (const [at, { lines: place }] of last.entries()) {
    const before = last[at + 1];
    if (before && before.lines.to >= place.from)
      throw invalid('Suggestions are not applicable as their lines cannot overlap.');
  }
  for (const { row, lines: place } of last) lines.splice(place.from - 1, place.to - place.from + 1, row.to_content);
  return lines.join('');
}

export function suggestionApplying(
  deps: ApplyDependencies,
  service: Pick<MergeRequestService, 'catchUp' | 'follow'>,
  sources: Pick<RequestSources, 'writableSource'>,
  suggestions: Pick<SuggestionService, 'currentLines'>,
) {
  const { db, repository, noteables } = deps;

  /** The suggestions: 404 where one is not there for the caller, 403 in a project that shows them no merge requests. */
  async function load(caller: Caller, ids: readonly number[]) {
    const found = await suggestionsById(db, ids);
    const [first] = found;
    if (!first || found.length < ids.length) throw missing(ids);
    const places = new Map<number, Place>();
    for (const { note } of found) {
      const { project_id, noteable_iid: iid, noteable_id: id } = note;
      const subject = project_id === null ? null : await deps.projectAs(project_id, caller);
      if (!subject || iid === null || id === null) throw missing(ids);
      if (!canOnProject(caller, 'read_project', subject)) throw missing(ids);
      if (!canOnProject(caller, 'read_merge_request', subject)) throw forbidden();
      const place = places.get(id) ?? (await deps.kind.load(subject, { merge_request_iid: iid }, caller));
      places.set(id, place);
      // Internal comments are only for those who read them.
      await noteables.notes.find(place, caller, note.id);
    }
    const [place, ...others] = places.values();
    if (place?.subject.kind !== 'project') throw missing(ids);
    if (others.length > 0) throw invalid('Suggestions must all be on the same branch.');
    return { found, place, subject: place.subject };
  }

  return async function apply(
    caller: Caller,
    ids: readonly number[],
    message: string | undefined,
  ): Promise<SuggestionJson[]> {
    const { user } = caller;
    if (!user) throw unauthorized();
    const { found, place, subject } = await load(caller, [...new Set(ids)]);
    const stored = await requests.byId(db, place.noteable.id ?? 0);
    if (!stored) throw missing(ids);
    const source = await sources.writableSource(caller, stored);
    if (!source) throw forbidden();
    if (stored.state !== 'opened') throw invalid("Can't apply this suggestion.");
    const row = await service.catchUp(stored);
    const { head_sha: head } = row;
    if (head === null) throw invalid("Can't apply this suggestion.");
    const chosen: Chosen[] = [];
    for (const { row: suggestion, note } of found) {
      const lines = await suggestions.currentLines(subject.project, row, suggestion, note);
      if (!lines) throw outdated();
      chosen.push({ row: suggestion, note, lines });
    }
    const files = new Map<string, string>();
    for (const [path, own] of Map.groupBy(chosen, ({ lines }) => lines.path)) {
      const text = await repository.readText(subject.project, head, path, largestFile);
      if (text === null) throw outdated();
      files.set(path, edited(text, own));
    }
    const authors = await Promise.all(
      [...new Set(found.map(({ note }) => note.author_id))].map((id) => deps.person(id)),
    );
    const people = authors.filter((each) => each !== null);
    const addressed = await Promise.all(
      people.map(async (each) => ({ id: each.id, name: each.name, email: await deps.commitAddress(each) })),
    );
    const own = { name: user.name, email: user.commit_email ?? user.email };
    const [only, ...more] = addressed;
    const author = only && more.length === 0 && only.id !== user.id ? only : own;
    const text = commitMessage(message ?? subject.project.suggestion_commit_message, {
      project: subject.project,
      fullPath: `${subject.namespace.full_path}/${subject.project.path}`,
      branch: row.source_branch,
      user,
      paths: [...files.keys()],
      count: chosen.length,
      coAuthors: addressed.filter(({ id }) => id !== user.id && more.length > 0),
    });
    let made = '';
    await repository.write({
      subject: source,
      caller,
      kind: 'api',
      async build(bench) {
        // Nobody pushes any more while this runs.
        const tip = await repository.branch(source.project, row.source_branch);
        if (tip !== head) throw invalid('A file has been changed.');
        const tree = await bench.edit(head, files);
        const values = { tree, parents: [head], message: text, committer: own };
        made = await bench.commit({ ...values, author: { name: author.name, email: author.email } });
        return [{ ref: `refs/heads/${row.source_branch}`, before: head, after: made }];
      },
      async within(tx) {
        const applied = await markApplied(
          tx,
          chosen.map((each) => each.row.id),
          user.id,
          made,
        );
        if (applied < chosen.length) throw outdated();
        const notes = noteables.notesIn(tx);
        if (!canOnProject(caller, 'resolve_note', subject)) return;
        for (const thread of new Set(chosen.map(({ note }) => note.discussion_id)))
          await notes.resolveDiscussion(place, caller, thread, true);
      },
    });
    await service.follow(source.project.id, row.source_branch, made, user.id);
    if (ofFork(row)) await service.catchUp(row);
    const after = await suggestionsById(db, ids);
    return after.map((each) => suggestionJson(each.row, false));
  };
}
