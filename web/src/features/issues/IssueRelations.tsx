/** Below an issue: what blocks it, what it blocks and is linked with, and the merge requests about it. */
import { useQuery } from '@tanstack/react-query';
import { linkedIssues, relatedRequests } from '../../lib/issue-relations.ts';
import { DataList, DataRow } from '../../ui/DataList.tsx';
import { StatusBadge } from '../../ui/StatusBadge.tsx';
import { useProject } from '../projects/useProject.ts';
import { IssueRow } from './IssueRow.tsx';
import classes from './issues.module.css';

const links = [
  { type: 'is_blocked_by', title: 'Blocked by' },
  { type: 'blocks', title: 'Blocks' },
  { type: 'relates_to', title: 'Linked issues' },
] as const;

export function IssueRelations({ iid, requests }: { readonly iid: number; readonly requests: boolean }) {
  const { path } = useProject();
  const { data: linked = [] } = useQuery(linkedIssues(path, iid));
  const { data: related = [] } = useQuery({ ...relatedRequests(path, iid), enabled: requests });
  return (
    <>
      {links.map(({ type, title }) => {
        const issues = linked.filter(({ link_type }) => link_type === type);
        return issues.length === 0 ? null : (
          <section key={type} aria-labelledby={type}>
            <h2 id={type} className={classes.related}>
              {title}
            </h2>
            <DataList label={title}>
              {issues.map((each) => (
                <IssueRow key={each.id} issue={each} full={!each.references.full.startsWith(`${path}#`)} />
              ))}
            </DataList>
          </section>
        );
      })}
      {related.length === 0 ? null : (
        <section aria-labelledby="related-merge-requests">
          <h2 id="related-merge-requests" className={classes.related}>
            Related merge requests
          </h2>
          <DataList label="Related merge requests">
            {related.map(({ id, title, state, web_url, references }) => (
              <DataRow
                key={id}
                before={<StatusBadge status={state} compact />}
                title={
                  <a href={web_url} data-entry>
                    {title}
                  </a>
                }
                meta={<span>{references.full.startsWith(`${path}!`) ? references.short : references.full}</span>}
              />
            ))}
          </DataList>
        </section>
      )}
    </>
  );
}
