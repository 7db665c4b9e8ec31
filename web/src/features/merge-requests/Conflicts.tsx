/** Which files keep a merge request from being merged, and why. */
import type { Schemas } from '../../lib/api.ts';
import classes from './merge-requests.module.css';

type Conflict = Schemas['MergeConflict'];

const words: Readonly<Record<Conflict['kind'], string>> = {
  content: 'changed differently on both sides',
  'add/add': 'added differently on both sides',
  'modify/delete': 'changed on one side, deleted on the other',
  'rename/delete': 'renamed on one side, deleted on the other',
  'rename/rename': 'renamed differently on both sides',
  'file/directory': 'a file on one side, a directory on the other',
  'directory rename': 'added to a directory that the other side renamed',
  mode: 'executable on one side only',
  type: 'a file on one side, a link or submodule on the other',
  binary: 'binary, changed differently on both sides',
  submodule: 'a submodule, at different commits on both sides',
};
const shown = 20;

export function Conflicts({ conflicts }: { conflicts: readonly Conflict[] }) {
  return (
    <ul className={classes.conflicts} aria-label="Conflicts">
      {conflicts.slice(0, shown).map(({ kind, paths }) => (
        <li key={paths.join('\0')}>
          <code>{paths.join(' → ')}</code> {words[kind]}
        </li>
      ))}
      {conflicts.length > shown ? <li>and {conflicts.length - shown} more</li> : null}
    </ul>
  );
}
