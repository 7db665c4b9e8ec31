/** Suggestions of comments on lines: what they propose, and whether that can be applied now. */
import type { Db } from '../../../kernel/db/index.ts';
import type { MergeRequest, Note, Project } from '../../../kernel/db/rows.ts';
import type { NoteableKind, Position, SuggestionJson } from '../../collaboration/notes/index.ts';
import type { RepositoryAccess } from '../../repository/index.ts';
import * as requests from '../merge-requests/merge-requests.queries.ts';
import { linesOf, movedLines, suggestionBlocks, textOf } from './blocks.ts';
import { replaceSuggestions, type SuggestionRow, suggestionsOf } from './suggestions.queries.ts';

export interface SuggestionDependencies {
  readonly db: Db;
  readonly repository: Pick<RepositoryAccess, 'diff' | 'readText'>;
  readonly project: (id: number) => Promise<Project | null>;
}

/** Larger files have no suggestions. */
export const largestFile = 1024 ** 2;

/** The lines that a suggestion is for, as they are at the head of the request. */
export interface CurrentLines {
  readonly path: string;
  readonly from: number;
  readonly to: number;
}

export const suggestionJson = (row: SuggestionRow, applicable: boolean): SuggestionJson => ({
  id: row.id,
  from_line: row.from_line,
  to_line: row.to_line,
  applicable,
  appliable: applicable,
  applied: row.applied_at !== null,
  from_content: row.from_content,
  to_content: row.to_content,
});

export function suggestionService(deps: SuggestionDependencies) {
  const { db, repository } = deps;

  /** Null where the lines were changed since, or are gone, or are what is proposed already. */
  async function currentLines(
    project: Project,
    request: Pick<MergeRequest, 'head_sha'>,
    row: SuggestionRow,
    note: Pick<Note, 'position' | 'original_position'>,
  ): Promise<CurrentLines | null> {
    // Its lines are numbered as they were when it was written.
    const position = (note.original_position ?? note.position) as Position | null;
    const { head_sha: head } = request;
    if (row.applied_at !== null || position?.new_path == null || head === null) return null;
    if (row.from_content === row.to_content) return null;
    const { files } =
      position.head_sha === head ? { files: [] } : await repository.diff(project, position.head_sha, head);
    const file = files.find(({ old_path }) => old_path === position.new_path);
    if (file?.deleted_file || file?.too_large) return null;
    const lines = movedLines(file?.diff ?? '', row.from_line, row.to_line);
    const path = file?.new_path ?? position.new_path;
    const text = lines && (await repository.readText(project, head, path, largestFile));
    if (!lines || text === null || textOf(text, lines.from, lines.to) !== row.from_content) return null;
    return { path, ...lines };
  }

  async function applicable(row: SuggestionRow, note: Note): Promise<boolean> {
    const request = note.noteable_id === null ? null : await requests.byId(db, note.noteable_id);
    if (request?.state !== 'opened') return false;
    const project = await deps.project(request.project_id);
    return project !== null && (await currentLines(project, request, row, note)) !== null;
  }

  const hooks: Required<Pick<NoteableKind, 'suggestions' | 'written'>> = {
    async suggestions(notes) {
      const byId = new Map(notes.filter(({ kind }) => kind === 'diff').map((note) => [note.id, note]));
      const rows = await suggestionsOf(db, [...byId.keys()]);
      const found = new Map<number, SuggestionJson[]>();
      for (const row of rows) {
        const note = byId.get(row.note_id);
        if (!note) continue;
        const json = suggestionJson(row, await applicable(row, note));
        found.set(note.id, [...(found.get(note.id) ?? []), json]);
      }
      return found;
    },

    async written(tx, place, note) {
      const position = (note.original_position ?? note.position) as Position | null;
      const { subject } = place;
      if (note.kind !== 'diff' || position?.position_type !== 'text' || subject.kind !== 'project') return;
      const { new_line: line, new_path: path } = position;
      if (line == null || path === null) return;
      const blocks = suggestionBlocks(note.body);
      const text =
        blocks.length === 0 ? null : await repository.readText(subject.project, position.head_sha, path, largestFile);
      const lines = linesOf(text ?? '');
      await replaceSuggestions(
        tx,
        note.id,
        lines.length < line
          ? []
          : blocks.map(({ above, below, content }) => {
              const [from, to] = [Math.max(line - above, 1), Math.min(line + below, lines.length)];
              return {
                from_line: from,
                to_line: to,
                from_content: lines.slice(from - 1, to).join(''),
                to_content: content,
              };
            }),
      );
    },
  };

  return { currentLines, hooks };
}

export type SuggestionService = ReturnType<typeof suggestionService>;
