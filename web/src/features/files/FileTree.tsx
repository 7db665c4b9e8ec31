/** The folders and files of a ref as a tree that is walked by keys; what is in a folder is fetched when it is opened. */
import { IconChevronDown, IconChevronRight, IconFile, IconFolder, IconPencil } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type KeyboardEvent, type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { Schemas } from '../../lib/api.ts';
import { useProject } from '../projects/useProject.ts';
import classes from './file-tree.module.css';
import type { Place } from './refs.ts';
import { moveInTree, useTypeAhead } from './tree-keys.ts';

export interface TreeLinks {
  /** Where a file leads. */
  readonly opens: 'blob' | 'edit';
  /** Files that are not as the ref has them. */
  readonly changed: ReadonlySet<string>;
}

const plainLinks: TreeLinks = { opens: 'blob', changed: new Set() };

interface TreeState {
  readonly place: Place;
  readonly links: TreeLinks;
  readonly open: ReadonlySet<string>;
  toggle(folder: string): void;
  /** The entry at which the Tab key stops. */
  readonly stop: string;
  setStop(path: string): void;
}

/** All folders above a path. */
const foldersAbove = (path: string): string[] =>
  path.split('/').flatMap((_name, index, names) => (index === 0 ? [] : [names.slice(0, index).join('/')]));

interface ItemProps {
  readonly entry: Schemas['TreeEntry'];
  readonly depth: number;
  readonly state: TreeState;
}

function Item({ entry, depth, state }: ItemProps) {
  const { segment } = useProject();
  const folder = entry.type === 'tree';
  const open = folder && state.open.has(entry.path);
  const current = entry.path === state.place.path;
  const changed = state.links.changed.has(entry.path);
  const Chevron = open ? IconChevronDown : IconChevronRight;
  const style = { paddingLeft: 8 + Math.min(depth, 12) * 14 };
  return (
    <li
      role="treeitem"
      aria-label={changed ? `${entry.name}, changed` : entry.name}
      aria-level={depth + 1}
      aria-selected={current}
      {...(folder ? { 'aria-expanded': open } : {})}
      tabIndex={state.stop === entry.path ? 0 : -1}
      data-path={entry.path}
      onFocus={(event) => {
        if (event.target === event.currentTarget) state.setStop(entry.path);
      }}
    >
      {folder ? (
        <button
          type="button"
          tabIndex={-1}
          className={classes.row}
          style={style}
          title={entry.name}
          onClick={() => state.toggle(entry.path)}
        >
          <Chevron size={14} aria-hidden className={classes.chevron} />
          <IconFolder size={16} aria-hidden className={classes.folder} />
          <span>{entry.name}</span>
        </button>
      ) : entry.type === 'blob' ? (
        <Link
          to={state.links.opens === 'edit' ? '/p/$path/edit/$' : '/p/$path/blob/$'}
          params={{ path: segment, _splat: `${state.place.ref}/${entry.path}` }}
          tabIndex={-1}
          className={classes.row}
          style={style}
          title={entry.name}
          data-current={current || undefined}
        >
          <span className={classes.chevron} />
          <IconFile size={16} aria-hidden className={classes.file} />
          <span>{entry.name}</span>
          {changed ? <IconPencil size={14} aria-hidden className={classes.changed} /> : null}
        </Link>
      ) : (
        <span className={classes.row} style={style}>
          <span className={classes.chevron} />
          <span>{entry.name}</span>
        </span>
      )}
      {open ? <Entries folder={entry.path} depth={depth + 1} state={state} /> : null}
    </li>
  );
}

function Entries({ folder, depth, state }: { folder: string; depth: number; state: TreeState }) {
  const { parts } = useProject();
  const tree = useInfiniteQuery(parts.tree(state.place.ref, folder));
  const entries = tree.data?.pages.flatMap(({ items }) => items) ?? [];
  const more = `${folder}/\n`;
  return (
    <ul role={depth === 0 ? 'presentation' : 'group'} className={classes.entries}>
      {entries.map((entry) => (
        <Item key={entry.path} entry={entry} depth={depth} state={state} />
      ))}
      {tree.hasNextPage ? (
        <li
          role="treeitem"
          aria-level={depth + 1}
          aria-label="Show more"
          aria-selected={false}
          tabIndex={state.stop === more ? 0 : -1}
          data-path={more}
        >
          <button type="button" tabIndex={-1} className={classes.row} onClick={() => void tree.fetchNextPage()}>
            Show more
          </button>
        </li>
      ) : null}
      {tree.isError ? (
        <li role="none" className={classes.failed}>
          This folder could not be loaded.
        </li>
      ) : null}
    </ul>
  );
}

/** Of the file that had the focus when a tree went. */
let focusedPath: string | undefined;

/** A file that comes slowly has a skeleton in its place meanwhile, without the tree: the tree that comes back has the focus. */
function useKeptFocus(tree: RefObject<HTMLDivElement | null>, path: string): void {
  const shown = useRef(path);
  useLayoutEffect(() => {
    shown.current = path;
  }, [path]);
  useLayoutEffect(() => {
    const items = tree.current;
    if (focusedPath === shown.current && document.activeElement === document.body)
      items?.querySelector<HTMLElement>('[role="treeitem"][tabindex="0"]')?.focus({ preventScroll: true });
    focusedPath = undefined;
    return () => {
      const focused = document.activeElement;
      focusedPath = focused instanceof HTMLElement && items?.contains(focused) ? focused.dataset.path : undefined;
    };
  }, [tree]);
}

export function FileTree({ place, links = plainLinks }: { place: Place; links?: TreeLinks | undefined }) {
  const [open, setOpen] = useState<ReadonlySet<string>>(() => new Set(foldersAbove(place.path)));
  const [stop, setStop] = useState(place.path);
  const tree = useRef<HTMLDivElement>(null);
  const typeAhead = useTypeAhead();
  useKeptFocus(tree, place.path);
  // Whatever opened the file: it is shown in the tree, and the Tab key stops at it.
  useEffect(() => {
    setOpen((before) => new Set([...before, ...foldersAbove(place.path)]));
    setStop(place.path);
  }, [place.path]);
  useEffect(() => {
    tree.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' });
  }, []);
  const state: TreeState = {
    ...{ place, links, open, stop, setStop },
    toggle: (folder) => {
      setStop(folder);
      setOpen((before) => {
        const next = new Set(before);
        if (!next.delete(folder)) next.add(folder);
        return next;
      });
    },
  };
  const move = (event: KeyboardEvent<HTMLElement>) => {
    if (moveInTree(event, typeAhead)) event.preventDefault();
  };
  return (
    <nav aria-label="File tree" className={classes.panel}>
      <div ref={tree} role="tree" aria-label="Files" onKeyDown={move}>
        <Entries folder="" depth={0} state={state} />
      </div>
    </nav>
  );
}
