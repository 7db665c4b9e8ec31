/** Tags of a project: find one, download its files, make one, delete one. */
import { ActionIcon, Button } from '@mantine/core';
import { IconDownload, IconTrash } from '@tabler/icons-react';
import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { client, type Schemas, unwrap } from '../../lib/api.ts';
import { tagList } from '../../lib/history.ts';
import { useLive } from '../../lib/useLive.ts';
import { ConfirmName } from '../../ui/ConfirmName.tsx';
import { useConfirmed } from '../../ui/confirmed.ts';
import { DataList } from '../../ui/DataList.tsx';
import { Command, EmptyState } from '../../ui/EmptyState.tsx';
import { FeedButton } from '../../ui/FeedButton.tsx';
import { FilterBar } from '../../ui/FilterBar.tsx';
import { LinkButton } from '../../ui/links.ts';
import { MenuOnDemand, onDemand } from '../../ui/onDemand.tsx';
import { Page } from '../../ui/Page.tsx';
import { Pager } from '../../ui/Pager.tsx';
import { RefRow } from '../branches/RefRow.tsx';
import { level, useProject } from '../projects/useProject.ts';
import { NewTag } from './NewTag.tsx';

const downloadMenu = onDemand(() => import('./DownloadMenu.tsx'));

export default function TagsPage() {
  const search = useSearch({ from: '/p/$path/tags' });
  const navigate = useNavigate({ from: '/p/$path/tags' });
  const view = useProject();
  const { project, path, segment } = view;
  const { data } = useSuspenseQuery(tagList(path, search));
  const [making, setMaking] = useState(false);
  const cache = useQueryClient();
  const key = ['project', path, 'tags'];
  useLive([`project:${project.id}:refs`], [key]);
  const leaving = useConfirmed(
    ({ name: tag_name }: Schemas['Tag']) =>
      unwrap(client.DELETE('/projects/{id}/repository/tags/{tag_name}', { params: { path: { id: path, tag_name } } })),
    () => cache.invalidateQueries({ queryKey: key }),
  );
  const writes = view.level >= level.developer && !project.archived;
  return (
    <Page
      title={`Tags · ${project.name_with_namespace}`}
      heading="Tags"
      actions={
        <>
          <FeedButton feed={{ path: `/${path}/-/tags.atom` }} />
          <LinkButton to="/p/$path/releases/$" params={{ path: segment, _splat: '' }}>
            Releases
          </LinkButton>
          {writes && !project.empty_repo ? (
            <Button size="xs" onClick={() => setMaking(true)}>
              New tag
            </Button>
          ) : null}
        </>
      }
    >
      <FilterBar
        label="Filter by name"
        value={search.search ?? ''}
        change={(text) => void navigate({ search: { search: text || undefined }, replace: true })}
      />
      {data.items.length === 0 ? (
        <EmptyState title={search.search ? 'No tags match your filter' : 'No tags yet'}>
          {search.search ? 'Try a different name.' : <Command text="git tag v1.0 && git push origin v1.0" />}
        </EmptyState>
      ) : (
        <DataList label="Tags">
          {data.items.map((tag) => (
            <RefRow
              key={tag.name}
              name={tag.name}
              words={tag.protected ? ['protected'] : []}
              message={tag.message}
              commit={tag.commit}
              at={tag.created_at ?? tag.commit.committed_date}
              actions={
                <>
                  <MenuOnDemand
                    of={downloadMenu}
                    props={{ path, tag: tag.name }}
                    target={
                      <ActionIcon variant="subtle" color="gray" size={30} aria-label={`Download ${tag.name}`}>
                        <IconDownload size={16} />
                      </ActionIcon>
                    }
                  />
                  {writes && (!tag.protected || view.level >= level.maintainer) ? (
                    <ActionIcon
                      variant="subtle"
                      color="gray"
                      size={30}
                      aria-label={`Delete ${tag.name}`}
                      onClick={() => leaving.ask(tag)}
                    >
                      <IconTrash size={16} />
                    </ActionIcon>
                  ) : null}
                </>
              }
            />
          ))}
        </DataList>
      )}
      <Pager
        page={search.page ?? 1}
        nextPage={data.nextPage}
        go={(page) => void navigate({ search: { ...search, page } })}
      />
      <NewTag opened={making} close={() => setMaking(false)} made={() => cache.invalidateQueries({ queryKey: key })} />
      <ConfirmName
        {...leaving.dialog}
        title="Delete tag"
        text="Commits that are in no branch and no other tag can no longer be reached."
        name={leaving.asked?.name ?? ''}
        action="Delete tag"
      />
    </Page>
  );
}
