/** What conflicts in a merge request, as the API shows it. */
import type { Static } from 'typebox';
import { Entity, Fields, ListOf, Nullable, Text, Word } from '../../../kernel/http/entity.ts';
import type { RepositoryAccess } from '../../repository/index.ts';

const sideOf = (description: string) =>
  Nullable(
    Fields({
      path: Text(),
      mode: Text({ description: 'File mode' }),
      blob_id: Text({ description: 'Hash of its content' }),
    }),
    { description: `${description}; null where it is not there` },
  );

const kinds = [
  'content',
  'add/add',
  'modify/delete',
  'rename/delete',
  'rename/rename',
  'file/directory',
  'directory rename',
  'mode',
  'type',
  'binary',
  'submodule',
] as const;

export const MergeConflict = Entity('MergeConflict', {
  kind: Word(kinds, { description: 'What collides' }),
  paths: ListOf(Text(), { description: 'All names that the file has, the one before first' }),
  base: sideOf('The file where both branches began'),
  ours: sideOf('The file in the target branch'),
  theirs: sideOf('The file in the source branch'),
  message: Text({ description: 'What git says; `ours` is the target branch' }),
});

type Found = Awaited<ReturnType<RepositoryAccess['conflicts']>>[number];

const side = (found: Found['ours']) => found && { path: found.path, mode: found.mode, blob_id: found.id };

export const mergeConflict = ({ kind, paths, base, ours, theirs, message }: Found): Static<typeof MergeConflict> => ({
  ...{ kind, paths, base: side(base), ours: side(ours), theirs: side(theirs), message },
});
