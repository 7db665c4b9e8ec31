/** The changed files of a merge request as a tree, filtered by name or by what the changes contain. */
import { TextInput } from '@mantine/core';
import { IconCheck, IconFolder } from '@tabler/icons-react';
import { memo, useMemo, useState } from 'react';
import type { Schemas } from '../../../lib/api.ts';
import { fileAnchor } from '../../../ui/diff/DiffFile.tsx';
import classes from './changes.module.css';
import { fileTree, type TreeFolder } from './tree.ts';

type File = Schemas['FileDiff'];

interface Props {
  readonly files: readonly File[];
  readonly isViewed: (file: File) => boolean;
}

const contains = (file: File, text: string) =>
  file.new_path.toLowerCase().includes(text) || file.diff.toLowerCase().includes(text);

/** Brings a file into view and gives it the focus. */
function showFile(path: string): void {
  const section = document.getElementById(fileAnchor(path));
  section?.scrollIntoView({ block: 'start' });
  section?.focus({ preventScroll: true });
}

function Folder({ folder, files, isViewed }: Props & { folder: TreeFolder }) {
  return (
    <ul className={classes.folder}>
      {folder.folders.map((below) => (
        <li key={below.path}>
          <span className={classes.folderName}>
            <IconFolder size={14} aria-hidden /> {below.name}
          </span>
          <Folder {...{ files, isViewed }} folder={below} />
        </li>
      ))}
      {folder.files.map((index) => {
        const file = files[index];
        if (!file) return null;
        const name = file.new_path.split('/').at(-1) ?? file.new_path;
        return (
          <li key={file.new_path}>
            <button
              type="button"
              className={classes.entry}
              data-viewed={isViewed(file)}
              title={file.new_path}
              onClick={() => showFile(file.new_path)}
            >
              <span>{name}</span>
              {isViewed(file) ? <IconCheck size={14} aria-label="Viewed" /> : null}
            </button>
          </li>
        );
      })}
    </ul>
  );
}

/** Drawn again for its own sake alone: there may be hundreds of files. */
export const FileTree = memo(function FileTree({ files, isViewed }: Props) {
  const [typed, setTyped] = useState('');
  const found = useMemo(() => {
    const text = typed.trim().toLowerCase();
    return text === '' ? files : files.filter((file) => contains(file, text));
  }, [files, typed]);
  const tree = useMemo(() => fileTree(found.map((file) => file.new_path)), [found]);
  const viewed = files.filter(isViewed).length;
  return (
    <nav aria-label="Changed files" className={classes.tree}>
      <TextInput
        size="xs"
        aria-label="Search files and changes"
        placeholder="Search files and changes"
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
      <p className={classes.progress}>
        {viewed} of {files.length} viewed
      </p>
      {found.length === 0 ? <p className={classes.progress}>No file or change matches.</p> : null}
      <Folder folder={tree} files={found} isViewed={isViewed} />
    </nav>
  );
});
