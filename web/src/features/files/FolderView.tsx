/** A folder: the last commit that touched it, its entries and its README. */
import { IconCornerLeftUp, IconFile, IconFolder, IconPackage } from '@tabler/icons-react';
import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Schemas } from '../../lib/api.ts';
import { MarkdownBody } from '../../ui/MarkdownBody.tsx';
import { LastCommit } from '../commits/LastCommit.tsx';
import { useProject } from '../projects/useProject.ts';
import { decodeText } from './content.ts';
import classes from './files.module.css';
import { PathBar } from './PathBar.tsx';

const icons: Record<string, typeof IconFile> = { tree: IconFolder, blob: IconFile, commit: IconPackage };

function Entry({ entry, gitRef }: { entry: Schemas['TreeEntry']; gitRef: string }) {
  const { segment } = useProject();
  const Icon = icons[entry.type] ?? IconFile;
  const params = { path: segment, _splat: `${gitRef}/${entry.path}` };
  return (
    <li className={classes.entry}>
      <Icon size={16} aria-hidden className={entry.type === 'tree' ? classes.folder : classes.file} />
      {entry.type === 'tree' ? (
        <Link to="/p/$path/tree/$" params={params} data-entry>
          {entry.name}
        </Link>
      ) : entry.type === 'blob' ? (
        <Link to="/p/$path/blob/$" params={params} data-entry>
          {entry.name}
        </Link>
      ) : (
        <span>
          {entry.name} @ <code>{entry.id.slice(0, 8)}</code>
        </span>
      )}
    </li>
  );
}

function Readme({ entry, gitRef }: { entry: Schemas['TreeEntry']; gitRef: string }) {
  const { parts, path } = useProject();
  const { data: file } = useQuery(parts.file(gitRef, entry.path));
  const text = file ? decodeText(file.content) : null;
  const folder = entry.path.split('/').slice(0, -1).join('/');
  return (
    <section className={classes.readme} aria-label={entry.name}>
      <div className={classes.readmeName}>{entry.name}</div>
      <div className={classes.readmeBody}>
        {text === null ? null : /\.(md|markdown)$/i.test(entry.name) ? (
          <MarkdownBody text={text} base={{ project: path, ref: gitRef, folder }} />
        ) : (
          <pre>{text}</pre>
        )}
      </div>
    </section>
  );
}

export function FolderView({ gitRef, folder }: { gitRef: string; folder: string }) {
  const { parts, segment } = useProject();
  const { data: entries } = useSuspenseQuery(parts.tree(gitRef, folder));
  const readme = entries.find((entry) => entry.type === 'blob' && /^readme(\.(md|markdown|txt))?$/i.test(entry.name));
  const parent = folder.split('/').slice(0, -1).join('/');
  return (
    <>
      <PathBar place={{ ref: gitRef, path: folder }} />
      <div className={classes.box}>
        <LastCommit gitRef={gitRef} folder={folder} />
        <ul className={classes.entries} aria-label="Files">
          {folder === '' ? null : (
            <li className={classes.entry}>
              <IconCornerLeftUp size={16} aria-hidden className={classes.file} />
              <Link
                to="/p/$path/tree/$"
                params={{ path: segment, _splat: parent === '' ? gitRef : `${gitRef}/${parent}` }}
                aria-label="Parent folder"
                data-entry
              >
                ..
              </Link>
            </li>
          )}
          {entries.map((entry) => (
            <Entry key={entry.path} entry={entry} gitRef={gitRef} />
          ))}
        </ul>
      </div>
      {readme ? <Readme entry={readme} gitRef={gitRef} /> : null}
    </>
  );
}
