/** The reference of the API: every operation of this instance, to read and to send. Needs nobody signed in. */
import { TextInput, Title } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useSuspenseQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useDeferredValue, useEffect, useMemo, useState } from 'react';
import { Command } from '../../ui/EmptyState.tsx';
import { Page } from '../../ui/Page.tsx';
import classes from './api-docs.module.css';
import { type ApiDocument, apiDocument, best, type Group, groupsOf, searched } from './document.ts';
import { Method } from './Method.tsx';
import { OperationView } from './OperationView.tsx';
import { Rich } from './Rich.tsx';

function Navigation({ groups, chosen, all }: { groups: readonly Group[]; chosen: string | undefined; all: boolean }) {
  return (
    <nav aria-label="Operations" className={classes.nav}>
      {groups.map((group) => (
        <details
          key={`${group.name} ${all}`}
          open={all || group.entries.some(({ id }) => id === chosen)}
          className={classes.group}
        >
          <summary>
            {group.name} <span className={classes.count}>{group.entries.length}</span>
          </summary>
          <ul className={classes.entries}>
            {group.entries.map(({ id, method, path, operation }) => (
              <li key={id}>
                <Link
                  to="/api/docs"
                  search={(previous) => ({ ...previous, operation: id })}
                  className={classes.entry}
                  aria-current={id === chosen ? 'page' : undefined}
                  data-entry
                >
                  <Method method={method} />
                  <span className={classes.entryText}>
                    <span className={operation.deprecated ? classes.old : undefined}>{operation.summary}</span>
                    <span className={classes.entryPath}>{path}</span>
                  </span>
                </Link>
              </li>
            ))}
          </ul>
        </details>
      ))}
      {groups.length === 0 ? <p className={classes.said}>No operations match your search.</p> : null}
    </nav>
  );
}

function Start({ document, groups }: { document: ApiDocument; groups: readonly Group[] }) {
  const count = groups.reduce((sum, { entries }) => sum + entries.length, 0);
  return (
    <article className={classes.operation}>
      <Title order={2} className={classes.heading}>
        {count} operations, version {document.info.version}
      </Title>
      {document.info.description.split('\n\n').map((paragraph) => (
        <p key={paragraph}>
          <Rich text={paragraph} />
        </p>
      ))}
      <Command
        text={`curl --header "PRIVATE-TOKEN: $TOKEN" ${location.origin}/api/v4/projects`}
        label="Copy the curl command"
      />
      <p>
        OpenAPI document: <a href="/api/v4/openapi.json">openapi.json</a> (OpenAPI 3.1).
      </p>
      <dl className={classes.tags}>
        {groups.map(({ name, description }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{description}</dd>
          </div>
        ))}
      </dl>
    </article>
  );
}

export default function ApiDocsPage() {
  const { data: document } = useSuspenseQuery(apiDocument);
  const { operation: chosen, search = '' } = useSearch({ from: '/api/docs' });
  const navigate = useNavigate({ from: '/api/docs' });
  const [text, setText] = useState(search);
  const wanted = useDeferredValue(text);
  const groups = useMemo(() => groupsOf(document), [document]);
  const shown = useMemo(() => searched(groups, wanted), [groups, wanted]);
  const entry = groups.flatMap(({ entries }) => entries).find(({ id }) => id === chosen);
  // What was chosen comes into view, and the keyboard goes on from there; a long list is above it in narrow windows.
  useEffect(() => {
    if (entry) window.document.getElementById('operation')?.focus();
  }, [entry]);
  return (
    <Page title={entry ? `${entry.operation.summary} · API` : 'API'} heading="API" wide>
      <div className={classes.layout}>
        <div className={classes.side}>
          <form
            onSubmit={(event) => {
              event.preventDefault();
              const first = best(searched(groups, text), text);
              if (first) void navigate({ search: { search: text || undefined, operation: first.id } });
            }}
          >
            <TextInput
              aria-label="Search operations"
              placeholder="Search operations"
              leftSection={<IconSearch size={16} aria-hidden />}
              data-filter
              value={text}
              onChange={(event) => setText(event.currentTarget.value)}
            />
          </form>
          <Navigation groups={shown} chosen={chosen} all={wanted.trim() !== ''} />
        </div>
        {entry ? <OperationView document={document} entry={entry} /> : <Start document={document} groups={groups} />}
      </div>
    </Page>
  );
}
