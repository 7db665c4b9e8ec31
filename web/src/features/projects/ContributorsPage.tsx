/** Who wrote the commits of a ref: how many each, as a number and as a bar. */
import { useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { counted } from '../../lib/counted.ts';
import { contributorList } from '../../lib/popularity.ts';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { Page } from '../../ui/Page.tsx';
import { Pager } from '../../ui/Pager.tsx';
import { UserChip } from '../../ui/UserChip.tsx';
import { RefPicker } from '../files/RefPicker.tsx';
import { usePlace } from '../files/refs.ts';
import classes from './contributors.module.css';
import { useProject } from './useProject.ts';

export default function ContributorsPage() {
  const { _splat = '' } = useParams({ strict: false });
  const { page = 1 } = useSearch({ from: '/p/$path/graphs/$' });
  const navigate = useNavigate({ from: '/p/$path/graphs/$' });
  const { project, path, segment } = useProject();
  const { ref } = usePlace(_splat);
  const { data } = useSuspenseQuery(contributorList(path, ref, page));
  const most = Math.max(1, ...data.items.map(({ commits }) => commits));
  return (
    <Page title={`Contributors · ${project.name_with_namespace}`} heading="Contributors">
      <RefPicker
        value={ref}
        choose={(chosen) => void navigate({ params: { path: segment, _splat: chosen }, search: {} })}
      />
      {data.items.length === 0 ? <EmptyState title="No commits">The repository is empty.</EmptyState> : null}
      <ol className={classes.people} aria-label="Contributors">
        {data.items.map(({ name, email, commits }) => (
          <li key={`${name} ${email}`} className={classes.person}>
            <span className={classes.who}>
              <UserChip user={{ name }} />
              <span className={classes.email}>{email}</span>
            </span>
            <span className={classes.track} aria-hidden>
              <span className={classes.bar} style={{ width: `${(100 * commits) / most}%` }} />
            </span>
            <span className={classes.count}>{counted(commits, 'commit', 'commits')}</span>
          </li>
        ))}
      </ol>
      <Pager page={page} nextPage={data.nextPage} go={(next) => void navigate({ search: { page: next } })} />
    </Page>
  );
}
