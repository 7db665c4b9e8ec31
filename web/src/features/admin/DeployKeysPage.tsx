/** Deploy keys of all projects, and adding one that every project may take. */
import { Badge, NativeSelect, Title } from '@mantine/core';
import { useQueryClient, useSuspenseInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { client, unwrap } from '../../lib/api.ts';
import { allDeployKeys } from '../../lib/deploy-keys.ts';
import { toSegment } from '../../lib/urls.ts';
import { DataList } from '../../ui/DataList.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { ShowMore } from '../../ui/ShowMore.tsx';
import account from '../account/account.module.css';
import { DeployKeyForm } from '../deploy-keys/DeployKeyForm.tsx';
import { KeyRow } from '../deploy-keys/KeyRow.tsx';
import { AdminFrame } from './AdminFrame.tsx';

export default function DeployKeysPage() {
  const { public: onlyPublic } = useSearch({ from: '/administration/admin/deploy_keys' });
  const navigate = useNavigate();
  const cache = useQueryClient();
  const { data, hasNextPage, isFetchingNextPage, fetchNextPage } = useSuspenseInfiniteQuery(
    allDeployKeys(onlyPublic ?? false),
  );
  const keys = data.pages.flatMap(({ items }) => items);
  return (
    <AdminFrame title="Deploy keys">
      <NativeSelect
        aria-label="Show"
        maw={260}
        mb="sm"
        data={[
          { value: '', label: 'All' },
          { value: 'public', label: 'Available to all projects' },
        ]}
        value={onlyPublic ? 'public' : ''}
        onChange={(event) =>
          void navigate({ to: '/admin/deploy_keys', search: { public: event.currentTarget.value !== '' || undefined } })
        }
      />
      {keys.length === 0 ? (
        <EmptyState title="No deploy keys">
          Keys added here are available to all projects. Projects can also add their own.
        </EmptyState>
      ) : (
        <DataList label="Deploy keys">
          {keys.map((key) => (
            <KeyRow
              key={key.id}
              deployKey={key}
              after={
                key.public ? (
                  <Badge variant="default" size="sm">
                    public
                  </Badge>
                ) : null
              }
            >
              {[...key.projects_with_write_access, ...key.projects_with_readonly_access].map((project, index) => (
                <span key={project.id}>
                  <Link to="/o/$path" params={{ path: toSegment(project.path_with_namespace) }}>
                    {project.path_with_namespace}
                  </Link>
                  {index < key.projects_with_write_access.length ? ' (write access)' : ''}
                </span>
              ))}
            </KeyRow>
          ))}
        </DataList>
      )}
      <ShowMore more={hasNextPage} pending={isFetchingNextPage} show={fetchNextPage} />
      <section className={account.section} aria-label="Add a deploy key">
        <Title order={3} mb="sm">
          Add a key for all projects
        </Title>
        <DeployKeyForm
          add={async (draft) => {
            await unwrap(client.POST('/deploy_keys', { body: draft }));
            await cache.invalidateQueries({ queryKey: ['deploy-keys'] });
          }}
        />
      </section>
    </AdminFrame>
  );
}
