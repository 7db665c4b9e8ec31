/** Vulnerabilities that an issue is about, for those who may see them. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { relatedVulnerabilities } from '../../lib/related-vulnerabilities.ts';
import { toSegment } from '../../lib/urls.ts';
import { capitalized } from '../../lib/words.ts';
import { DataList, DataRow } from '../../ui/DataList.tsx';
import { useProject } from '../projects/useProject.ts';
import classes from './issues.module.css';

export function RelatedVulnerabilities({ iid }: { readonly iid: number }) {
  const { path } = useProject();
  const { data: found = [] } = useQuery(relatedVulnerabilities(path, iid));
  if (found.length === 0) return null;
  return (
    <section aria-labelledby="related-vulnerabilities">
      <h2 id="related-vulnerabilities" className={classes.related}>
        Related vulnerabilities
      </h2>
      <DataList label="Related vulnerabilities">
        {found.map(({ id, title, severity, state, project }) => (
          <DataRow
            key={id}
            title={
              <Link
                to="/p/$path/security/vulnerabilities/$id"
                params={{ path: toSegment(project.path_with_namespace), id: String(id) }}
                data-entry
              >
                {title}
              </Link>
            }
            meta={
              <>
                <strong>{capitalized(severity)}</strong>
                <span>{capitalized(state)}</span>
              </>
            }
          />
        ))}
      </DataList>
    </section>
  );
}
