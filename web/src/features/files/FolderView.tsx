/** A folder: the last commit that touched it, its entries and its README. */
import { IconCornerLeftUp, IconFile, IconFolder, IconLock, IconPackage } from '@tabler/icons-react';
import { useQueries, useQuery, useSuspenseInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Schemas } from '../../lib/api.ts';
import { inFolder } from '../../lib/edits.ts';
import { locksAt, type PathLock } from '../../lib/locks.ts';
import { isMarkdown, readmeOf } from '../../lib/markdown/files.ts';
import { fileInView, lastCommits } from '../../lib/repository.ts';
import { fetchMarkdown, MarkdownOnDemand } from '../../ui/MarkdownOnDemand.tsx';
import { ShowMore } from '../../ui/ShowMore.tsx';
import { TimeAgo } from '../../ui/TimeAgo.tsx';
import { LastCommit } from '../commits/LastCommit.tsx';
import { LockControl } from '../locks/LockControl.tsx';
import { useProject } from '../projects/useProject.ts';
import { AddMenu } from './AddMenu.tsx';
import { decodeText } from './content.ts';
import classes from './files.module.css';
import { PathBar } from './PathBar.tsx';

const icons: Record<string, typeof IconFile> = { tree: IconFolder, blob: IconFile, commit: IconPackage };

interface EntryProps {
  readonly entry: Schemas['TreeEntry'];
  readonly gitRef: string;
  /** The commit that changed it last, once it is known. */
  readonly last: Schemas['Commit'] | undefined;
  readonly lock: PathLock | undefined;
}

function LockMark({ owner }: PathLock) {
  const label = `Locked by ${owner?.name ?? 'somebody'}`;
  return (
    <span role="img" aria-label={label} title={label} className={classes.mark}>
      <IconLock size={14} aria-hidden />
    </span>
  );
}

function Entry({ entry, gitRef, last, lock }: EntryProps) {
  const { segment } = useProject();
  const Icon = icons[entry.type] ?? IconFile;
  const params = { path: segment, _splat: `${gitRef}/${entry.path}` };
  return (
    <li className={classes.entry}>
      <span className={classes.entryName}>
        <Icon size={16} aria-hidden className={entry.type === 'tree' ? classes.folder : classes.file} />
        {entry.type === 'tree' ? (
          <Link to="/p/$path/tree/$" params={params} title={entry.name} data-entry>
            {entry.name}
          </Link>
        ) : entry.type === 'blob' ? (
          <Link to="/p/$path/blob/$" params={params} title={entry.name} data-entry>
            {entry.name}
          </Link>
        ) : (
          <span title={entry.name}>
            {entry.name} @ <code>{entry.id.slice(0, 8)}</code>
          </span>
        )}
        {lock ? <LockMark {...lock} /> : null}
      </span>
      {last ? (
        <>
          <Link to="/p/$path/commit/$sha" params={{ path: segment, sha: last.id }} className={classes.lastCommit}>
            {last.title}
          </Link>
          <span className={classes.lastTime}>
            <TimeAgo at={last.committed_date} />
          </span>
        </>
      ) : null}
    </li>
  );
}

function Readme({ file: at, gitRef }: { file: string; gitRef: string }) {
  const { path } = useProject();
  const { data: file } = useQuery(fileInView(path, gitRef, at));
  // While the file is on its way.
  if (isMarkdown(at)) fetchMarkdown();
  // A folder that goes on may have one further down, or none.
  if (!file) return null;
  const text = file.content === null ? null : decodeText(file.content);
  const name = file.file_name;
  return (
    <section className={classes.readme} aria-label={name}>
      <div className={classes.readmeName}>{name}</div>
      <div className={classes.readmeBody}>
        {text === null ? null : typeof file.html === 'string' ? (
          <MarkdownOnDemand html={file.html} of={{ kind: 'project', path }} />
        ) : (
          <pre>{text}</pre>
        )}
      </div>
    </section>
  );
}

export function FolderView({ gitRef, folder }: { gitRef: string; folder: string }) {
  const { parts, segment, path, project } = useProject();
  const tree = useSuspenseInfiniteQuery(parts.tree(gitRef, folder));
  const entries = tree.data.pages.flatMap(({ items }) => items);
  // The tree is there at once; who changed what follows without moving it.
  const commits = useQueries({
    queries: tree.data.pages.map((_page, index) => lastCommits(path, gitRef, folder, index + 1)),
    combine: (answers) => answers.flatMap(({ data }) => data ?? []),
  });
  const { data: locks } = useQuery({ ...locksAt(path, folder), enabled: gitRef === project.default_branch });
  const lockOf = new Map(gitRef === project.default_branch ? locks?.map((lock) => [lock.path, lock]) : []);
  const lasts = new Map(commits.map(({ path: file, commit }) => [file, commit ?? undefined]));
  const readme = readmeOf(entries)?.path ?? (tree.hasNextPage ? inFolder(folder, 'README.md') : null);
  const parent = folder.split('/').slice(0, -1).join('/');
  return (
    <>
      <PathBar place={{ ref: gitRef, path: folder }}>
        <LockControl place={{ ref: gitRef, path: folder }} />
        <AddMenu place={{ ref: gitRef, path: folder }} />
      </PathBar>
      <div className={classes.box}>
        <LastCommit gitRef={gitRef} folder={folder} />
        <ul className={classes.entries} aria-label="Files">
          {folder === '' ? null : (
            <li className={classes.entry}>
              <span className={classes.entryName}>
                <IconCornerLeftUp size={16} aria-hidden className={classes.file} />
                <Link
                  to="/p/$path/tree/$"
                  params={{ path: segment, _splat: parent === '' ? gitRef : `${gitRef}/${parent}` }}
                  aria-label="Parent folder"
                  data-entry
                >
                  ..
                </Link>
              </span>
            </li>
          )}
          {entries.map((entry) => (
            <Entry
              key={entry.path}
              entry={entry}
              gitRef={gitRef}
              last={lasts.get(entry.path)}
              lock={lockOf.get(entry.path)}
            />
          ))}
        </ul>
      </div>
      <ShowMore more={tree.hasNextPage} pending={tree.isFetchingNextPage} show={tree.fetchNextPage} />
      {readme === null ? null : <Readme key={readme} file={readme} gitRef={gitRef} />}
    </>
  );
}
