/** Branches of a project: find one, compare it, delete it. */
import { ActionIcon, Badge } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { useMutation, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { client, type Schemas, unwrap } from '../../lib/api.ts';
import { useLive } from '../../lib/useLive.ts';
import { ConfirmName } from '../../ui/ConfirmName.tsx';
import { DataList, DataRow } from '../../ui/DataList.tsx';
import { Command, EmptyState } from '../../ui/EmptyState.tsx';
import { FilterBar } from '../../ui/FilterBar.tsx';
import { FormError } from '../../ui/FormError.tsx';
import { LinkButton } from '../../ui/links.ts';
import { Page } from '../../ui/Page.tsx';
import { TimeAgo } from '../../ui/TimeAgo.tsx';
import { level, useProject } from '../projects/useProject.ts';

export default function BranchesPage() {
  const search = useSearch({ from: '/p/$path/branches' });
  const navigate = useNavigate({ from: '/p/$path/branches' });
  const view = useProject();
  const { project, parts, path, segment } = view;
  const { data: branches } = useSuspenseQuery(parts.branches(search.search));
  const [leaving, setLeaving] = useState<Schemas['Branch'] | null>(null);
  const cache = useQueryClient();
  useLive([`project:${project.id}:refs`], [['project', path, 'branches']]);
  const remove = useMutation({
    mutationFn: (branch: string) =>
      unwrap(client.DELETE('/projects/{id}/repository/branches/{branch}', { params: { path: { id: path, branch } } })),
    async onSuccess() {
      setLeaving(null);
      await cache.invalidateQueries({ queryKey: ['project', path, 'branches'] });
    },
  });
  const writes = view.level >= level.developer;
  return (
    <Page title={`Branches · ${project.name_with_namespace}`} heading="Branches">
      <FilterBar
        label="Filter by name"
        value={search.search ?? ''}
        change={(text) => void navigate({ search: { search: text || undefined }, replace: true })}
      />
      <FormError error={leaving ? null : remove.error} />
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
            <DataRow
              key={branch.name}
              title={
                <>
                  <Link to="/p/$path/tree/$" params={{ path: segment, _splat: branch.name }} data-entry>
                    {branch.name}
                  </Link>{' '}
                  {branch.default ? (
                    <Badge size="sm" variant="default">
                      default
                    </Badge>
                  ) : null}{' '}
                  {branch.protected ? (
                    <Badge size="sm" variant="default">
                      protected
                    </Badge>
                  ) : null}{' '}
                  {branch.merged && !branch.default ? (
                    <Badge size="sm" variant="default">
                      merged
                    </Badge>
                  ) : null}
                </>
              }
              meta={
                <>
                  <code>{branch.commit.short_id}</code>
                  <span>{branch.commit.title}</span>
                  <TimeAgo at={branch.commit.committed_date} />
                </>
              }
              after={
                writes && !branch.default ? (
                  <>
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
                        onClick={() => setLeaving(branch)}
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
        opened={leaving !== null}
        title="Delete branch"
        text={
          leaving?.merged
            ? 'Its commits are in the default branch.'
            : 'Commits that no other branch has can no longer be reached.'
        }
        name={leaving?.name ?? ''}
        action="Delete branch"
        pending={remove.isPending}
        error={remove.error}
        close={() => setLeaving(null)}
        confirm={() => leaving && remove.mutate(leaving.name)}
      />
    </Page>
  );
}
