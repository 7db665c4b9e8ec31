/** Issues of a project. Its filters are those of the API and stand in the address, so that a list can be shared. */
import { Button } from '@mantine/core';
import { IconChevronDown } from '@tabler/icons-react';
import { keepPreviousData, useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { type IssueFilter, isFiltered, saveFilter } from '../../lib/issue-filters.ts';
import { issueCounts, issues } from '../../lib/issues.ts';
import { sessionQuery } from '../../lib/session.ts';
import { useLive } from '../../lib/useLive.ts';
import { ChoicesTogether } from '../../ui/Choices.tsx';
import { DataList } from '../../ui/DataList.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { TitleFilter } from '../../ui/FilterBar.tsx';
import { LinkButton } from '../../ui/links.ts';
import { MenuOnDemand, onDemand } from '../../ui/onDemand.tsx';
import { Page } from '../../ui/Page.tsx';
import { Pager } from '../../ui/Pager.tsx';
import { level, useProject } from '../projects/useProject.ts';
import { filterFields, issueStates } from './filter-fields.ts';
import { ListedIssueRow } from './ListedIssueRow.tsx';

const BulkEdit = lazy(async () => ({ default: (await import('./BulkEdit.tsx')).BulkEdit }));
const IssueFilesMenu = onDemand(() => import('./IssueFilesMenu.tsx'));

export default function IssuesPage() {
  const search = useSearch({ from: '/p/$path/issues' });
  const navigate = useNavigate({ from: '/p/$path/issues' });
  const view = useProject();
  const { project, path, segment } = view;
  const { data: session } = useQuery(sessionQuery);
  const { data } = useSuspenseQuery(issues(path, search));
  const { data: counts } = useQuery({ ...issueCounts(path, search), placeholderData: keepPreviousData });
  const [chosen, setChosen] = useState<ReadonlySet<number> | null>(null);
  const [cleared, setCleared] = useState(0);
  const cache = useQueryClient();
  useLive([`project:${project.id}:issues`], [['project', path, 'issues']]);
  const filtered = isFiltered(search);
  const user = session?.user;
  const change = (to: Partial<IssueFilter>, replace: boolean) => {
    const next = { ...search, ...to, page: undefined };
    if (user) saveFilter(user.id, path, next);
    // What is no longer shown is no longer chosen.
    setChosen((before) => before && new Set());
    void navigate({ search: next, replace });
  };
  const shown = data.items.map(({ iid }) => iid);
  const chosenHere = shown.filter((iid) => chosen?.has(iid));
  return (
    <Page
      title={`Issues · ${project.name_with_namespace}`}
      heading="Issues"
      actions={
        <>
          <LinkButton to="/p/$path/boards" params={{ path: segment }}>
            Boards
          </LinkButton>
          <LinkButton to="/p/$path/iterations" params={{ path: segment }}>
            Iterations
          </LinkButton>
          <LinkButton to="/p/$path/milestones" params={{ path: segment }}>
            Milestones
          </LinkButton>
          {view.level >= level.planner && !project.archived ? (
            <Button
              size="xs"
              variant="default"
              aria-expanded={chosen !== null}
              onClick={() => setChosen(chosen === null ? new Set() : null)}
            >
              Bulk edit
            </Button>
          ) : null}
          {user ? (
            <MenuOnDemand
              of={IssueFilesMenu}
              target={
                <Button size="xs" variant="default" rightSection={<IconChevronDown size={14} />}>
                  Actions
                </Button>
              }
              props={{
                filter: search,
                imports: !project.archived && (view.level === level.planner || view.level >= level.developer),
              }}
            />
          ) : null}
          {project.external_issue_tracker?.new_issue_url ? (
            <Button
              component="a"
              href={project.external_issue_tracker.new_issue_url}
              rel="noopener noreferrer"
              size="xs"
              variant="filled"
            >
              New issue
            </Button>
          ) : user && !project.archived ? (
            <LinkButton to="/p/$path/issues/new" params={{ path: segment }} variant="filled">
              New issue
            </LinkButton>
          ) : null}
        </>
      }
    >
      <link rel="alternate" type="application/atom+xml" title="Atom feed" href={`/${path}/-/issues.atom`} />
      <TitleFilter
        // Words that are cleared with the other filters are cleared in the field, too.
        key={cleared}
        value={search}
        states={issueStates}
        counts={counts}
        change={change}
      />
      <ChoicesTogether
        {...filterFields}
        chosen={filtered || search.sort !== undefined}
        props={{
          of: 'project',
          path,
          value: search,
          change(to) {
            if ('search' in to) setCleared(cleared + 1);
            change(to, false);
          },
        }}
      />
      {chosen ? (
        <Suspense fallback={null}>
          <BulkEdit
            chosen={chosenHere}
            shown={shown}
            choose={(numbers) => setChosen(new Set(numbers))}
            close={() => setChosen(null)}
            done={async (changed) => {
              setChosen((before) => new Set([...(before ?? [])].filter((iid) => !changed.includes(iid))));
              await cache.invalidateQueries({ queryKey: ['project', path, 'issues'] });
            }}
          />
        </Suspense>
      ) : null}
      {data.items.length === 0 ? (
        <EmptyState title={filtered ? 'No issues match your filter' : 'No open issues'}>
          {filtered ? 'Try removing a filter.' : 'Create an issue to report a bug or plan work.'}
        </EmptyState>
      ) : (
        <DataList label="Issues">
          {data.items.map((issue) => (
            <ListedIssueRow
              key={issue.id}
              issue={issue}
              chosen={chosen?.has(issue.iid)}
              choose={(on) =>
                setChosen(new Set([...(chosen ?? [])].filter((iid) => iid !== issue.iid).concat(on ? [issue.iid] : [])))
              }
            />
          ))}
        </DataList>
      )}
      <Pager
        page={search.page ?? 1}
        nextPage={data.nextPage}
        go={(page) => void navigate({ search: (before) => ({ ...before, page }) })}
      />
    </Page>
  );
}
