/** The search: a text, where and for what it is looked for, and what was found. Everything stands in the address. */
import { Checkbox, SegmentedControl } from '@mantine/core';
import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { Link, useLocation, useNavigate, useSearch } from '@tanstack/react-router';
import { Suspense, useEffect, useState } from 'react';
import * as data from '../../lib/data.ts';
import { configuration } from '../../lib/instance.ts';
import {
  type FoundRow,
  found,
  isCode,
  placeChange,
  placeValue,
  rowOf,
  type Scope,
  type SearchAddress,
  scopeCounts,
  scopeNames,
  scopeOf,
  scopesOf,
  stateNames,
  states,
  textOf,
} from '../../lib/search.ts';
import { sessionQuery } from '../../lib/session.ts';
import { DataList, DataRow } from '../../ui/DataList.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { FilterBar } from '../../ui/FilterBar.tsx';
import { Page } from '../../ui/Page.tsx';
import { Pager } from '../../ui/Pager.tsx';
import { TabRow } from '../../ui/TabRow.tsx';
import { TimeAgo } from '../../ui/TimeAgo.tsx';
import { PendingPart } from '../frame/PendingPage.tsx';
import { Facets } from './Facets.tsx';
import { FoundCode } from './FoundCode.tsx';
import { PlaceSelect } from './PlaceSelect.tsx';
import classes from './search.module.css';

function Row({ row, wanted }: { row: FoundRow; wanted: string }) {
  return (
    <DataRow
      title={
        <Link to={row.href} data-entry>
          {row.title}
        </Link>
      }
      meta={row.meta.map((text) => <span key={text}>{text}</span>)}
      below={row.code ? <FoundCode {...row.code} wanted={wanted} /> : null}
      after={row.at ? <TimeAgo at={row.at} /> : undefined}
    />
  );
}

/** Nothing for a moment: most searches are answered before anybody sees that they are waited for. */
function Searching() {
  const [long, setLong] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLong(true), 200);
    return () => clearTimeout(timer);
  }, []);
  return long ? <PendingPart /> : <div aria-busy="true" />;
}

interface ResultsProps {
  readonly at: SearchAddress;
  readonly scope: Scope;
  readonly search: string;
  readonly project: string;
  readonly go: (page: number) => void;
}

function Results({ at, scope, search, project, go }: ResultsProps) {
  const { data: page } = useSuspenseQuery(found(at, scope));
  if (page.items.length === 0)
    return (
      <EmptyState title={`No results for “${search}”`}>
        {scope === 'blobs'
          ? 'Only default branches are searched, for the text as it is. Check filters such as extension:ts, or try another kind of result.'
          : 'Try other words, another kind of result, or all projects and groups.'}
      </EmptyState>
    );
  const wanted = textOf(at);
  return (
    <>
      <DataList label="Results">
        {page.items.map((item) => {
          const row = rowOf(scope, item, wanted, project);
          return <Row key={row.key} row={row} wanted={wanted} />;
        })}
      </DataList>
      <Pager page={at.page ?? 1} nextPage={page.nextPage} go={go} />
    </>
  );
}

export default function SearchPage() {
  const at = useSearch({ from: '/search' });
  const navigate = useNavigate({ from: '/search' });
  const { data: session } = useSuspenseQuery(sessionQuery);
  const { data: instance } = useSuspenseQuery(configuration());
  const { data: project } = useQuery({ ...data.project(at.project_id ?? ''), enabled: at.project_id !== undefined });
  const signedIn = session.user !== null;
  const scope = scopeOf(at, instance.search, signedIn);
  const { data: counts } = useQuery(scopeCounts(at));
  // Of the address, which leads: the kind that was chosen is marked before its results are there, and no other.
  const latest = useLocation({ select: ({ search }) => search as SearchAddress });
  const marked = scopeOf(latest, instance.search, signedIn);
  const change = (to: Partial<SearchAddress>, replace = false) =>
    void navigate({ search: (before) => ({ ...before, ...to }), replace });
  const shown = scope === undefined ? undefined : states[scope];
  return (
    <Page title={at.search ? `${at.search} · Search` : 'Search'} heading="Search">
      <FilterBar
        label={scope === 'blobs' ? 'Text, with filters such as language:go or path:src/' : 'Search'}
        value={at.search ?? ''}
        change={(text) => {
          if (text.trim() !== (at.search ?? '')) change({ search: text.trim() || undefined, page: undefined }, true);
        }}
      >
        <PlaceSelect value={placeValue(at)} change={(value) => change(placeChange(value))} />
        {isCode(scope) ? (
          <Checkbox
            label="Regular expression"
            checked={at.regex === true}
            onChange={(event) => change({ regex: event.currentTarget.checked || undefined, page: undefined })}
          />
        ) : null}
        {at.project_id === undefined ? (
          <Checkbox
            label="Include archived projects"
            checked={at.archived === true}
            onChange={(event) => change({ archived: event.currentTarget.checked || undefined, page: undefined })}
          />
        ) : null}
      </FilterBar>
      <TabRow label="Kinds of results" className={classes.kinds}>
        {scopesOf(at, instance.search, signedIn).map((each) => (
          <Link
            key={each}
            to="/search"
            search={{ ...at, scope: each, page: undefined, state: undefined }}
            aria-current={each === marked ? 'page' : undefined}
          >
            {scopeNames[each]} {counts?.get(each)}
          </Link>
        ))}
      </TabRow>
      {shown ? (
        <SegmentedControl
          size="xs"
          mb="sm"
          aria-label="State"
          data={[
            { value: 'all', label: 'All' },
            ...shown.map((state) => ({ value: state, label: stateNames[state] ?? state })),
          ]}
          value={shown.includes(at.state ?? '') ? at.state : 'all'}
          onChange={(state) => change({ state: state === 'all' ? undefined : state, page: undefined })}
        />
      ) : null}
      {at.search === undefined || scope === undefined ? (
        <EmptyState title={scope === undefined ? 'Search is disabled on this instance' : 'What are you looking for?'}>
          {scope === undefined
            ? 'Choose a project or group to search it.'
            : 'Type a word of a title, description, name, comment or commit message.'}
        </EmptyState>
      ) : (
        <div className={isCode(scope) ? classes.found : undefined}>
          {isCode(scope) ? <Facets at={at} scope={scope} /> : null}
          <div className={classes.results}>
            {/* The kinds of results stay while another one is searched. */}
            <Suspense key={JSON.stringify(at)} fallback={<Searching />}>
              <Results
                at={at}
                scope={scope}
                search={at.search}
                project={project?.path_with_namespace ?? ''}
                go={(page) => change({ page })}
              />
            </Suspense>
          </div>
        </div>
      )}
    </Page>
  );
}
