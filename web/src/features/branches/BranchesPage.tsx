/** Branches of a project: find one, compare it, delete it. */
import { ActionIcon } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { client, type Schemas, unwrap } from '../../lib/api.ts';
import { rangeText } from '../../lib/history.ts';
import { useLive } from '../../lib/useLive.ts';
import { ConfirmName } from '../../ui/ConfirmName.tsx';
import { useConfirmed } from '../../ui/confirmed.ts';
import { DataList } from '../../ui/DataList.tsx';
import { Command, EmptyState } from '../../ui/EmptyState.tsx';
import { FilterBar } from '../../ui/FilterBar.tsx';
import { FormError } from '../../ui/FormError.tsx';
import { LinkButton } from '../../ui/links.ts';
import { Page } from '../../ui/Page.tsx';
import { level, useProject } from '../projects/useProject.ts';
import { RefRow } from './RefRow.tsx';

export default function BranchesPage() {
  const search = useSearch({ from: '/p/$path/branches' });
  const navigate = useNavigate({ from: '/p/$path/branches' });
  const view = useProject();
  const { project, parts, path, segment } = view;
  const { data: branches } = useSuspenseQuery(parts.branches(search.search));
  const cache = useQueryClient();
  useLive([`project:${project.id}:refs`], [['project', path, 'branches']]);
  const leaving = useConfirmed(
    ({ name: branch }: Schemas['Branch']) =>
      unwrap(client.DELETE('/projects/{id}/repository/branches/{branch}', { params: { path: { id: path, branch } } })),
    () => cache.invalidateQueries({ queryKey: ['project', path, 'branches'] }),
  );
  const writes = view.level >= level.developer;
  return (
    <Page title={`Branches · ${project.name_with_namespace}`} heading="Branches">
      <FormError error={leaving.asked ? null : leaving.error} />
      <FilterBar
        label="Filter by name"
        value={search.search ?? ''}
        change={(text) => void navigate({ search: { search: text || undefined }, replace: true })}
      />
      {branches.length === 0 ? (
        <EmptyState title={search.search ? 'No branch has this name' : 'No branches yet'}>
          {search.search ? (
            'Try a part of its name.'
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
              actions={
                writes && !branch.default ? (
                  <>
                    <LinkButton
                      to="/p/$path/compare/$"
                      params={{ path: segment, _splat: rangeText(project.default_branch ?? '', branch.name, false) }}
                    >
                      Compare
                    </LinkButton>
                    <LinkButton
                      to="/p/$path/merge_requests/new"
                      params={{ path: segment }}
                      search={{ source: branch.name }}
                    >
                      Merge request
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
                  </>
                ) : null
              }
            />
          ))}
        </DataList>
      )}
      <ConfirmName
        {...leaving.dialog}
        title="Delete branch"
        text={
          leaving.asked?.merged
            ? 'Its commits are in the default branch.'
            : 'Commits that no other branch has can no longer be reached.'
        }
        name={leaving.asked?.name ?? ''}
        action="Delete branch"
      />
    </Page>
  );
}
