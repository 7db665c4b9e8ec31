/** What searches in repositories find. Everything else is shown as in the lists of its own kind. */
import type { Static } from 'typebox';
import { Count, Entity, Id, Nullable, Text } from '../../../kernel/http/entity.ts';
import type { NoteJson } from '../../collaboration/notes/index.ts';
import type { CommitJson, FoundLines } from '../../repository/index.ts';

const SearchedBlob = Entity('SearchedBlob', {
  basename: Text({ description: 'Path without the ending' }),
  data: Text({ description: 'Lines that hold the text, and two before and after them' }),
  path: Text(),
  filename: Text({ description: 'The same as `path`' }),
  id: Nullable(Text({ description: 'Always null' })),
  ref: Text({ description: 'Branch, tag or commit that was searched' }),
  startline: Count({ description: 'Number of the first line of `data`' }),
  project_id: Nullable(Id({ description: 'Null in the wiki of a group' })),
  group_id: Nullable(Id({ description: 'Of the wiki of a group, else null' })),
  project_path: Text({ description: 'Full path of the project or group' }),
});
export type SearchedBlobJson = Static<typeof SearchedBlob>;

const withoutEnding = (path: string) => path.replace(/(?<=[^/])\.[^./]*$/, '');

export const blobJson = (
  { path, startLine, lines }: FoundLines,
  of: {
    readonly ref: string;
    readonly projectId: number | null;
    readonly groupId?: number | null;
    readonly projectPath: string;
  },
): SearchedBlobJson => ({
  basename: withoutEnding(path),
  data: lines.map((line) => `${line}\n`).join(''),
  path,
  filename: path,
  id: null,
  ref: of.ref,
  startline: startLine,
  project_id: of.projectId,
  group_id: of.groupId ?? null,
  project_path: of.projectPath,
});

/** A comment that is found in many places says of which it is: the full path of a project, or of the group of an epic. */
export const searchedNoteJson = (note: NoteJson, projectPath: string) => ({ ...note, project_path: projectPath });

export const searchedCommitJson = (commit: CommitJson, projectId: number) => ({ ...commit, project_id: projectId });
