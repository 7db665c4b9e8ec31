/** What a repository has, each a link: commits, branches, tags, releases; and a bar of its languages. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { counted } from '../../lib/counted.ts';
import { languages, repositoryCounts } from '../../lib/repository.ts';
import classes from './repository-facts.module.css';
import { useProject } from './useProject.ts';

/** Colours that can be told apart side by side, in light and dark; the languages beyond share the last one. */
const colors = ['#0f766e', '#b45309', '#4f46e5', '#be185d', '#4d7c0f', '#64748b'];

function Languages() {
  const { path } = useProject();
  const { data } = useQuery({ ...languages(path), staleTime: 300_000 });
  const shares = Object.entries(data ?? {}).toSorted(([, one], [, other]) => other - one);
  if (shares.length === 0) return null;
  const shown = shares.slice(0, colors.length - 1);
  const rest = shares.slice(shown.length).reduce((sum, [, share]) => sum + share, 0);
  const parts = rest > 0 ? [...shown, ['Other', rest] as const] : shown;
  return (
    <figure className={classes.languages} aria-label="Languages">
      <div className={classes.bar} aria-hidden>
        {parts.map(([name, share], index) => (
          <span key={name} style={{ width: `${share}%`, background: colors[index] }} />
        ))}
      </div>
      <figcaption className={classes.legend}>
        {parts.map(([name, share], index) => (
          <span key={name}>
            <span className={classes.dot} style={{ background: colors[index] }} aria-hidden />
            {name} {share === 100 ? share : share.toFixed(1)}%
          </span>
        ))}
      </figcaption>
    </figure>
  );
}

export function RepositoryFacts({ gitRef }: { gitRef: string }) {
  const { project, path, segment } = useProject();
  const { data } = useQuery(repositoryCounts(path, gitRef));
  const params = { path: segment };
  return (
    <div className={classes.facts}>
      <nav aria-label="Repository" className={classes.links}>
        <Link to="/p/$path/commits/$" params={{ ...params, _splat: gitRef }}>
          {data ? counted(data.commits, 'commit', 'commits') : 'Commits'}
        </Link>
        <Link to="/p/$path/branches" params={params}>
          {data ? counted(data.branches, 'branch', 'branches') : 'Branches'}
        </Link>
        <Link to="/p/$path/tags" params={params}>
          {data ? counted(data.tags, 'tag', 'tags') : 'Tags'}
        </Link>
        <Link to="/p/$path/releases/$" params={{ ...params, _splat: '' }}>
          Releases
        </Link>
        <Link to="/p/$path/graphs/$" params={{ ...params, _splat: gitRef }}>
          Contributors
        </Link>
        <Link to="/p/$path/forks" params={params}>
          {counted(project.forks_count ?? 0, 'fork', 'forks')}
        </Link>
        <Link to="/p/$path/starrers" params={params}>
          {counted(project.star_count, 'star', 'stars')}
        </Link>
      </nav>
      <Languages />
    </div>
  );
}
