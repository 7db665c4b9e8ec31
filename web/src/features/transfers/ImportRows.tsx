/** Imports of projects: the state of each, how far it is, and how much came in. */
import { Progress } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { client, unwrap } from '../../lib/api.ts';
import { type ImportListed, inProgress, shareOf } from '../../lib/imports.ts';
import { toSegment } from '../../lib/urls.ts';
import { ConfirmButton } from '../../ui/ConfirmButton.tsx';
import { DataList, DataRow } from '../../ui/DataList.tsx';
import { StatusBadge } from '../../ui/StatusBadge.tsx';
import { TimeAgo } from '../../ui/TimeAgo.tsx';

const badges = {
  scheduled: 'pending',
  started: 'running',
  finished: 'success',
  failed: 'failed',
  canceled: 'canceled',
} as const;
const products: Readonly<Record<string, string>> = {
  git: 'Repository by URL',
  gitlab_project: 'Archive',
  github: 'GitHub',
  gitea: 'Gitea',
  gitlab_migration: 'Direct transfer',
  bitbucket_server: 'Bitbucket Server',
};
const sum = (counts: Readonly<Record<string, number>>) => Object.values(counts).reduce((all, each) => all + each, 0);

/** The first part that is not done. */
function Running({ row }: { row: ImportListed }) {
  const share = shareOf(row);
  const part = row.stages.find((stage) => !row.finished_stages.includes(stage));
  return (
    <>
      {part ? <span role="status">{part.replaceAll('_', ' ')}</span> : null}
      <Progress
        value={share ?? 100}
        animated={share === null}
        w={120}
        size="sm"
        aria-label={`Progress of the import of ${row.name}`}
      />
    </>
  );
}

function CancelImport({ id, path }: { id: number; path: string }) {
  const cache = useQueryClient();
  return (
    <ConfirmButton
      title="Cancel import"
      about={`Cancel the import of ${path}`}
      text="The import stops. What has been imported so far is kept."
      action="Stop importing"
      label="Cancel"
      run={() =>
        // Also where it had come to its end meanwhile.
        unwrap(client.POST('/import/hostedgit/cancel', { body: { project_id: id } })).finally(() =>
          cache.invalidateQueries({ queryKey: ['imports'] }),
        )
      }
    />
  );
}

interface Props {
  readonly rows: readonly ImportListed[];
  /** Whether the rows say whose they are. */
  readonly people?: boolean;
  readonly cancelable?: boolean;
}

export function ImportRows({ rows, people = false, cancelable = false }: Props) {
  return (
    <DataList label="Imports">
      {rows.map((row) => (
        <DataRow
          key={row.project_id}
          before={<StatusBadge status={badges[row.import_status]} />}
          after={
            cancelable && inProgress(row) ? (
              <CancelImport id={row.project_id} path={row.path_with_namespace} />
            ) : undefined
          }
          title={
            <Link to="/o/$path" params={{ path: toSegment(row.path_with_namespace) }} data-entry>
              {row.path_with_namespace}
            </Link>
          }
          meta={
            <>
              <span>
                {products[row.import_type ?? ''] ?? row.import_type ?? 'Import'}
                {row.import_source ? `: ${row.import_source}` : ''}
              </span>
              {row.import_status === 'started' ? <Running row={row} /> : null}
              {sum(row.stats.fetched) > 0 ? (
                <span>{`${sum(row.stats.imported)} of ${sum(row.stats.fetched)} records imported`}</span>
              ) : null}
              {row.import_error ? <span style={{ color: 'var(--mr-failed)' }}>{row.import_error}</span> : null}
              <span>
                <TimeAgo at={row.created_at} />
                {people && row.username ? ` by ${row.username}` : ''}
              </span>
            </>
          }
        />
      ))}
    </DataList>
  );
}
