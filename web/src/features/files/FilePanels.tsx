/** What stands beside a file: the tree of its ref and the outline of its symbols, each loaded when it is first shown. */
import { Button } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { lazy, type ReactNode, Suspense } from 'react';
import type { WantedName } from '../symbols/SymbolsPanel.tsx';
import type { TreeLinks } from './FileTree.tsx';
import classes from './file-panels.module.css';
import type { Place } from './refs.ts';

const FileTree = lazy(async () => ({ default: (await import('./FileTree.tsx')).FileTree }));
const SymbolsPanel = lazy(async () => ({ default: (await import('../symbols/SymbolsPanel.tsx')).SymbolsPanel }));

/** Which panels somebody shows beside files; kept from file to file. */
export interface Panels {
  readonly tree: boolean;
  readonly symbols: boolean;
}

export function usePanels() {
  const [panels, setPanels] = useLocalStorage<Panels>({
    key: 'millrace-file-panels',
    defaultValue: { tree: false, symbols: false },
    getInitialValueInEffect: false,
  });
  return { panels, set: (change: Partial<Panels>) => setPanels((before) => ({ ...before, ...change })) };
}

interface ToggleProps {
  readonly label: string;
  readonly shown: boolean;
  toggle(): void;
}

export const PanelToggle = ({ label, shown, toggle }: ToggleProps) => (
  <Button size="compact-xs" variant={shown ? 'light' : 'subtle'} aria-expanded={shown} onClick={toggle}>
    {label}
  </Button>
);

interface Props {
  readonly panels: Panels;
  readonly place: Place;
  /** The text whose symbols are shown; null where there is none. */
  readonly source: { readonly fileName: string; readonly text: string; readonly commit: string } | null;
  readonly wanted: WantedName | null;
  /** Where the tree leads, where not to the files as they are. */
  readonly links?: TreeLinks | undefined;
  readonly children: ReactNode;
}

export function FilePanels({ panels, place, source, wanted, links, children }: Props) {
  const symbols = panels.symbols && source !== null;
  return (
    <div className={classes.page} data-tree={panels.tree || undefined} data-symbols={symbols || undefined}>
      {panels.tree ? (
        <div className={classes.tree}>
          <Suspense fallback={null}>
            <FileTree key={place.ref} place={place} links={links} />
          </Suspense>
        </div>
      ) : null}
      <div className={classes.file}>{children}</div>
      {symbols ? (
        <div className={classes.symbols}>
          <Suspense fallback={null}>
            <SymbolsPanel key={place.path} {...source} place={place} wanted={wanted} />
          </Suspense>
        </div>
      ) : null}
    </div>
  );
}
