/** Which repositories, projects or groups of another server are imported. */
import { Button, Checkbox, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import type { Importable } from '../../lib/remote-imports.ts';
import { DataList, DataRow } from '../../ui/DataList.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';

export interface Chosen {
  readonly item: Importable;
  readonly state?: 'started' | 'failed' | undefined;
  readonly reason?: string | undefined;
}

interface Props {
  readonly noun: string;
  readonly items: readonly Importable[];
  readonly chosen: readonly Chosen[];
  readonly change: (chosen: readonly Chosen[]) => void;
  readonly more?: { readonly pending: boolean; load(event: FormEvent): void };
}

export function ChooseImports({ noun, items, chosen, change, more }: Props) {
  const [filter, setFilter] = useState('');
  if (items.length === 0)
    return <EmptyState title={`The token gives access to no ${noun}`}>Check its scopes and its owner.</EmptyState>;
  const wanted = filter.trim().toLowerCase();
  const shown = items.filter(({ full_path: path }) => path.toLowerCase().includes(wanted));
  const known = new Map(chosen.map((each) => [each.item.id, each]));
  const all = shown.length > 0 && shown.every(({ id }) => known.has(id));
  const toggle = (item: Importable, on: boolean) =>
    change(on ? [...chosen, { item }] : chosen.filter((each) => each.item.id !== item.id));
  const toggleAll = (on: boolean) => {
    const others = chosen.filter(({ item }) => !shown.some(({ id }) => id === item.id));
    change(on ? [...others, ...shown.map((item) => known.get(item.id) ?? { item })] : others);
  };
  return (
    <section aria-label={`Available ${noun}`}>
      <TextInput
        label={`Filter ${noun}`}
        mb="sm"
        value={filter}
        onChange={(event) => setFilter(event.currentTarget.value)}
      />
      <Checkbox
        label={`Select all ${shown.length}`}
        mb="xs"
        checked={all}
        onChange={(event) => toggleAll(event.currentTarget.checked)}
      />
      <DataList label={`Available ${noun}`}>
        {shown.map((item) => {
          const mine = known.get(item.id);
          return (
            <DataRow
              key={item.id}
              title={
                <Checkbox
                  label={item.full_path}
                  checked={mine !== undefined}
                  disabled={mine?.state === 'started'}
                  onChange={(event) => toggle(item, event.currentTarget.checked)}
                />
              }
              meta={
                <>
                  <span>{item.private ? 'Private' : 'Public'}</span>
                  {item.description ? <span>{item.description}</span> : null}
                  {mine?.state === 'started' ? <span>Import started</span> : null}
                  {mine?.reason ? <span style={{ color: 'var(--mr-failed)' }}>{mine.reason}</span> : null}
                </>
              }
            />
          );
        })}
      </DataList>
      {shown.length === 0 ? <EmptyState title={`No ${noun} match your filter`}>Change the filter.</EmptyState> : null}
      {more ? (
        <Button variant="default" mt="sm" loading={more.pending} onClick={more.load}>
          Load more
        </Button>
      ) : null}
    </section>
  );
}
