/** Branches of a project: find one, create one, how far each is from the default branch, compare it, delete it. */
import { ActionIcon, Button } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { useQueryClient, useSuspenseInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { client, type Schemas, unwrap } from '../../lib/api.ts';
import { counted } from '../../lib/counted.ts';
import { rangeText } from '../../lib/history.ts';
import { branchList } from '../../lib/repository.ts';
import { useLive } from '../../lib/useLive.ts';
import { ConfirmName } from '../../ui/ConfirmName.tsx';
import { useConfirmed } from '../../ui/confirmed.ts';
import { DataList } from '../../ui/DataList.tsx';
import { Command, EmptyState } from '../../ui/EmptyState.tsx';
import { FilterBar } from '../../ui/FilterBar.tsx';
import { FormError } from '../../ui/FormError.tsx';
import { LinkButton } from '../../ui/links.ts';
import { Page } from '../../ui/Page.tsx';
import { ShowMore } from '../../ui/ShowMore.tsx';
import { PipelineMark } from '../pipelines/PipelineMark.tsx';
import { level, useProject } from '../projects/useProject.ts';
import { NewBranch } from './NewBranch.tsx';
import { RefRow } from './RefRow.tsx';
import classes from './ref-row.module.css';

/** Commits that the default branch does not have, and those that it has in addition, in words for readers of the screen. */
function Distance({ ahead, behind }: { ahead: number; behind: number }) {
  const text = `${counted(ahead, 'commit', 'commits')} ahead, ${counted(behind, 'commit', 'commits')} behind`;
  return (
    <span title={text}>
      <span aria-hidden>
        ↑ {ahead} ↓ {behind}
      </span>
      <span className={classes.spoken}>{text}</span>
    </span>
  );
}

export default function BranchesPage() {
  const search = useSearch({ from: '/p/$path/branches' });
  const navigate = useNavigate({ from: '/p/$path/branches' });
  const view = useProject();
  const { project, path, segment } = view;
  const { data, hasNextPage, isFetchingNextPage, fetchNextPage } = useSuspenseInfiniteQuery(
    branchList(path, project.default_branch, search.search),
  );
  const branches = data.pages.flatMap(({ items }) => items);
  // A column of its own where any has one.
  const marked = branches.some(({ status }) => status?.pipeline);
  const cache = useQueryClient();
  useLive([`project:${project.id}:refs`, `project:${project.id}:pipelines`], [['project', path, 'branches']]);
  const opened = (open: boolean) => void navigate({ search: { ...search, new: open || undefined }, replace: true });
  const leaving = useConfirmed(
    ({ name: branch }: Schemas['Branch']) =>
      unwrap(client.DELETE('/projects/{id}/repository/branches/{branch}', { params: { path: { id: path, branch } } })),
    () => cache.invalidateQueries({ queryKey: ['project', path, 'branches'] }),
  );
  const writes = view.level >= level.developer;
  return (
    <Page
      title={`Branches · ${project.name_with_namespace}`}
      heading="Branches"
      actions={
        writes && !project.empty_repo ? (
          <Button size="xs" onClick={() => opened(true)}>
            New branch
          </Button>
        ) : null
      }
    >
      <FormError error={leaving.asked ? null : leaving.error} />
      <FilterBar
        label="Filter by name"
        value={search.search ?? ''}
        change={(text) => void navigate({ search: { search: text || undefined }, replace: true })}
      />
      {branches.length === 0 ? (
        <EmptyState title={search.search ? 'No branches match your filter' : 'No branches yet'}>
          {search.search ? (
            'Try a different name.'
          ) : (
            <Command text="git switch --create my-change && git push --set-upstream origin my-change" />
          )}
        </EmptyState>
      ) : (
        <DataList label="Branches">
          {branches.map((branch) => (
            <RefRow
              key={branch.name}
              name={branch.name}
              words={[
                ...(branch.default ? ['default'] : []),
                ...(branch.protected ? ['protected'] : []),
                ...(branch.merged && !branch.default ? ['merged'] : []),
              ]}
              commit={branch.commit}
              at={branch.commit.committed_date}
              mark={
                marked ? (
                  <span className={classes.mark}>
                    <PipelineMark segment={segment} pipeline={branch.status?.pipeline} />
                  </span>
                ) : null
              }
              state={
                <>
                  <span className={classes.distance}>
                    {branch.status && !branch.default ? <Distance {...branch.status} /> : null}
                  </span>
                  <span className={classes.request}>
                    {branch.status?.merge_request ? (
                      <Link
                        to="/p/$path/merge_requests/$iid"
                        params={{ path: segment, iid: String(branch.status.merge_request.iid) }}
                        title={branch.status.merge_request.title}
                      >
                        !{branch.status.merge_request.iid}
                      </Link>
                    ) : writes && !branch.default ? (
                      <LinkButton
                        to="/p/$path/merge_requests/new"
                        params={{ path: segment }}
                        search={{ source: branch.name }}
                      >
                        Merge request
                      </LinkButton>
                    ) : null}
                  </span>
                </>
              }
              actions={
                writes ? (
                  branch.default ? (
                    <span className={classes.actions} />
                  ) : (
                    <span className={classes.actions}>
                      <LinkButton
                        to="/p/$path/compare/$"
                        params={{ path: segment, _splat: rangeText(project.default_branch ?? '', branch.name, false) }}
                      >
                        Compare
                      </LinkButton>
                      {branch.protected ? null : (
                        <ActionIcon
                          variant="subtle"
                          color="gray"
                          size={30}
                          aria-label={`Delete ${branch.name}`}
                          onClick={() => leaving.ask(branch)}
                        >
                          <IconTrash size={16} />
                        </ActionIcon>
                      )}
                    </span>
                  )
                ) : null
              }
            />
          ))}
        </DataList>
      )}
      <ShowMore more={hasNextPage} pending={isFetchingNextPage} show={fetchNextPage} />
      <NewBranch opened={writes && search.new === true} close={() => opened(false)} />
      <ConfirmName
        {...leaving.dialog}
        title="Delete branch"
        text={
          leaving.asked?.merged
            ? 'Its commits are in the default branch.'
            : 'Commits that are in no other branch can no longer be reached.'
        }
        name={leaving.asked?.name ?? ''}
        action="Delete branch"
      />
    </Page>
  );
}
