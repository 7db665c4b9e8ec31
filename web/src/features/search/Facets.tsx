/** Of which projects, languages and directories the files are that a search finds; each narrows the search. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type Facet, facetGroups, facets, type Scope, type SearchAddress } from '../../lib/search.ts';
import classes from './search.module.css';

function Group({ label, values, at }: { label: string; values: readonly Facet[]; at: SearchAddress }) {
  if (values.length === 0) return null;
  return (
    <section aria-label={label}>
      <h2 className={classes.facet}>{label}</h2>
      <ul className={classes.facets}>
        {values.map(({ name, files, change }) => (
          <li key={name}>
            <Link to="/search" search={{ ...at, ...change, page: undefined }}>
              {name}
            </Link>{' '}
            <span className={classes.files}>{files}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

export function Facets({ at, scope }: { at: SearchAddress; scope: Scope }) {
  const { data } = useQuery(facets(at, scope));
  if (!data || data.files === 0) return null;
  return (
    <aside className={classes.aside} aria-label="Narrow the results">
      <p className={classes.files}>
        {data.complete ? `${data.files} files` : `${data.files} files among the first 1,000 results`}
      </p>
      {facetGroups(data, at).map(({ label, values }) => (
        <Group key={label} label={label} values={values} at={at} />
      ))}
    </aside>
  );
}
