/** Files that a job left: its archive directory by directory, with a preview of the chosen file. */
import { useSuspenseQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { artifactTree } from '../../lib/artifacts.ts';
import { bytes } from '../../lib/time.ts';
import { DataList, DataRow } from '../../ui/DataList.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { Page } from '../../ui/Page.tsx';
import { Pager } from '../../ui/Pager.tsx';
import { useProject } from '../projects/useProject.ts';
import { ArtifactPreview } from './ArtifactPreview.tsx';
import classes from './log.module.css';

function Crumbs({ jobId, path }: { jobId: number; path: string }) {
  const { segment } = useProject();
  const parts = path.split('/').filter(Boolean);
  return (
    <nav aria-label="Path in the archive" className={classes.facts}>
      {['', ...parts].map((part, index) => {
        const to = parts.slice(0, index).join('/');
        return (
          <span key={to}>
            <Link
              to="/p/$path/jobs/$id/artifacts/browse"
              params={{ path: segment, id: String(jobId) }}
              search={to === '' ? {} : { path: to }}
            >
              {index === 0 ? 'Artifacts' : part}
            </Link>
            {index < parts.length ? ' /' : ''}
          </span>
        );
      })}
    </nav>
  );
}

export default function ArtifactsPage() {
  const { id = '' } = useParams({ strict: false });
  const search = useSearch({ from: '/p/$path/jobs/$id/artifacts/browse' });
  const navigate = useNavigate({ from: '/p/$path/jobs/$id/artifacts/browse' });
  const { project, parts, path, segment } = useProject();
  const jobId = Number(id);
  const { data: job } = useSuspenseQuery(parts.job(jobId));
  const { data } = useSuspenseQuery(artifactTree(path, jobId, search));
  const at = { to: '/p/$path/jobs/$id/artifacts/browse', params: { path: segment, id } } as const;
  const chosen = data.items.find((entry) => entry.path === search.file);
  return (
    <Page title={`Artifacts of ${job.name} · ${project.name_with_namespace}`} heading={`Artifacts of ${job.name}`}>
      <div className={classes.facts}>
        <Link to="/p/$path/jobs/$id" params={{ path: segment, id }}>
          Job #{job.id}
        </Link>
        <a href={`/api/v4/projects/${project.id}/jobs/${job.id}/artifacts`} download>
          Download all
        </a>
      </div>
      <Crumbs jobId={jobId} path={search.path ?? ''} />
      {data.items.length === 0 ? (
        <EmptyState title="The archive is empty">The job did not find any files to upload.</EmptyState>
      ) : (
        <DataList label="Files">
          {data.items.map((entry) => (
            <DataRow
              key={entry.path}
              title={
                <Link
                  {...at}
                  search={
                    entry.type === 'directory'
                      ? { path: entry.path.replace(/\/$/, '') }
                      : { ...search, file: entry.path }
                  }
                  data-entry
                >
                  {entry.type === 'directory' ? `${entry.name}/` : entry.name}
                </Link>
              }
              meta={entry.size === null ? <span>Directory</span> : <span>{bytes(entry.size)}</span>}
            />
          ))}
        </DataList>
      )}
      <Pager
        page={search.page ?? 1}
        nextPage={data.nextPage}
        go={(page) => void navigate({ search: (before) => ({ ...before, page }) })}
      />
      {chosen ? <ArtifactPreview jobId={jobId} file={chosen} key={chosen.path} /> : null}
    </Page>
  );
}
