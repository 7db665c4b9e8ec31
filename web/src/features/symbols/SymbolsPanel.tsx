/** The outline of a file: its symbols, filtered by name, and where a name is defined. */
import { Button, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { type FormEvent, type KeyboardEvent, useEffect, useEffectEvent, useMemo, useState } from 'react';
import { useProject } from '../projects/useProject.ts';
import type { CodeSymbol } from './extract.ts';
import classes from './symbols.module.css';
import { definitionsElsewhere, isNamed, symbolsIn } from './symbols.ts';

/** A name that somebody pointed at; another object for each time. */
export interface WantedName {
  readonly name: string;
}

interface Props {
  readonly fileName: string;
  readonly text: string;
  readonly place: { readonly ref: string; readonly path: string };
  readonly commit: string;
  readonly wanted: WantedName | null;
}

/** From one link of a list to the next with the arrow keys; from the first one back to the field. */
function moveByLink(event: KeyboardEvent<HTMLElement>): void {
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
  if (step === 0) return;
  const stops = [...event.currentTarget.querySelectorAll<HTMLElement>('input, a')];
  const next = stops[stops.indexOf(event.target as HTMLElement) + step];
  if (!next) return;
  event.preventDefault();
  next.focus();
}

/** Names that led to their definition already: whoever goes back stays there. */
const led = new WeakSet<WantedName>();

export function SymbolsPanel({ fileName, text, place, commit, wanted }: Props) {
  const { path: project, segment } = useProject();
  const navigate = useNavigate();
  const [typed, setTyped] = useState('');
  const [searched, setSearched] = useState<string | null>(null);
  const {
    data: symbols,
    isFetching,
    isError,
    refetch,
  } = useQuery({
    queryKey: ['symbols', project, commit, place.path],
    queryFn: () => symbolsIn(fileName, text),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  useEffect(() => {
    if (!wanted) return;
    setTyped(wanted.name);
    setSearched(wanted.name);
  }, [wanted]);
  const elsewhere = useQuery({
    queryKey: ['definitions', project, commit, place.path, searched],
    queryFn: () => definitionsElsewhere(project, commit, searched ?? '', place.path),
    enabled: searched !== null,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const shown = useMemo(() => {
    const word = typed.trim().toLowerCase();
    if (searched !== null) return (symbols ?? []).filter((symbol) => isNamed(symbol, searched));
    return (symbols ?? []).filter(({ name }) => name.toLowerCase().includes(word));
  }, [symbols, typed, searched]);
  const search = (event: FormEvent) => {
    event.preventDefault();
    setSearched(typed.trim() || null);
  };
  const link = (path: string, { line }: Pick<CodeSymbol, 'line'>) => ({
    to: '/p/$path/blob/$' as const,
    params: { path: segment, _splat: `${place.ref}/${path}` },
    hash: `L${line}`,
  });
  const found = [...shown.map(({ line }) => ({ line, path: place.path })), ...(elsewhere.data ?? [])];
  const only =
    searched !== null && symbols !== undefined && elsewhere.data && found.length === 1 ? found[0] : undefined;
  const target = only && `${only.path}:${only.line}`;
  const lead = useEffectEvent((name: WantedName) => {
    if (!only || name.name !== searched || led.has(name)) return;
    led.add(name);
    void navigate(link(only.path, only));
  });
  // Whoever points at a name wants to be where it is defined, if there is one such place.
  useEffect(() => {
    if (target && searched && wanted) lead(wanted);
  }, [target, searched, wanted]);
  const nothing = shown.length === 0 && (searched === null || elsewhere.data?.length === 0);
  const status = (): string => {
    if (isFetching) return 'Reading the file...';
    if (searched !== null && elsewhere.isFetching) return `Searching for ${searched} in other files...`;
    if (elsewhere.isError) return 'The search failed. Try again.';
    if (isError) return 'The symbols could not be loaded.';
    if (symbols === null) return 'This file could not be parsed.';
    if (!nothing) return '';
    return searched === null ? 'No symbols' : `No definition of "${searched}" found`;
  };
  return (
    <nav aria-label="Symbols" className={classes.panel} onKeyDown={moveByLink}>
      <form onSubmit={search}>
        <TextInput
          size="xs"
          aria-label="Filter symbols"
          placeholder="Filter symbols"
          description="Press Enter, or Ctrl+click a name in the code, to find its definition."
          inputWrapperOrder={['input', 'description']}
          value={typed}
          onChange={(event) => {
            setTyped(event.currentTarget.value);
            setSearched(null);
          }}
        />
      </form>
      <ul className={classes.list} aria-label={`Symbols of ${fileName}`}>
        {shown.map((symbol, index) => (
          <li key={`${index}:${symbol.line}`}>
            <Link
              {...link(place.path, symbol)}
              style={{ paddingLeft: 8 + Math.min(searched === null ? symbol.depth : 0, 8) * 12 }}
            >
              <span className={classes.kind}>{symbol.kind}</span>
              <span className={classes.name}>{symbol.name}</span>
            </Link>
          </li>
        ))}
      </ul>
      {elsewhere.data && elsewhere.data.length > 0 ? (
        <>
          <p className={classes.heading}>In other files</p>
          <ul className={classes.list} aria-label="Definitions in other files">
            {elsewhere.data.map((other) => (
              <li key={`${other.path}:${other.line}:${other.name}`}>
                <Link {...link(other.path, other)} title={`${other.path}:${other.line}`}>
                  <span className={classes.kind}>{other.kind}</span>
                  <span className={classes.name}>
                    {other.name}
                    <small>
                      {other.path}:{other.line}
                    </small>
                  </span>
                </Link>
              </li>
            ))}
          </ul>
        </>
      ) : null}
      <p role="status" className={classes.status}>
        {status()}
      </p>
      {isError ? (
        <Button size="xs" variant="default" onClick={() => void refetch()}>
          Try again
        </Button>
      ) : null}
    </nav>
  );
}
