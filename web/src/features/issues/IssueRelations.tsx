/** Below an issue: what blocks it, what it blocks and is linked with, and the merge requests about it. */
import { Button } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { linkedIssues, relatedRequests, unlinkIssue } from '../../lib/issue-relations.ts';
import { ConfirmButton } from '../../ui/ConfirmButton.tsx';
import { DataList, DataRow } from '../../ui/DataList.tsx';
import { StatusBadge } from '../../ui/StatusBadge.tsx';
import { useReturnedFocus } from '../../ui/useReturnedFocus.ts';
import { useProject } from '../projects/useProject.ts';
import { IssueRow } from './IssueRow.tsx';
import classes from './issues.module.css';

// Fields that are shown when somebody links an issue.
const LinkIssueForm = lazy(() => import('./LinkIssueForm.tsx'));

const links = [
  { type: 'is_blocked_by', title: 'Blocked by' },
  { type: 'blocks', title: 'Blocks' },
  { type: 'relates_to', title: 'Linked issues' },
] as const;

interface Props {
  readonly iid: number;
  /** Whether the project has merge requests. */
  readonly requests: boolean;
  readonly mayLink: boolean;
}

function AddLink({ iid, again }: { readonly iid: number; again(): Promise<unknown> }) {
  const [adding, setAdding] = useState(false);
  const add = useReturnedFocus(adding);
  return (
    <div className={classes.link}>
      {adding ? (
        <Suspense fallback={null}>
          <LinkIssueForm
            iid={iid}
            linked={async () => {
              await again();
              setAdding(false);
            }}
            cancel={() => setAdding(false)}
          />
        </Suspense>
      ) : (
        <Button ref={add} size="xs" variant="default" onClick={() => setAdding(true)}>
          Link an issue
        </Button>
      )}
    </div>
  );
}

export function IssueRelations({ iid, requests, mayLink }: Props) {
  const { path } = useProject();
  const cache = useQueryClient();
  const again = () => cache.invalidateQueries({ queryKey: linkedIssues(path, iid).queryKey });
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
                <IssueRow
                  key={each.id}
                  issue={each}
                  full={!each.references.full.startsWith(`${path}#`)}
                  action={
                    mayLink ? (
                      <ConfirmButton
                        title="Remove link"
                        about={`Remove the link to ${each.title}`}
                        text={`${each.title} itself does not change.`}
                        action="Remove link"
                        icon={<IconX size={16} aria-hidden />}
                        run={() => unlinkIssue(path, iid, each.issue_link_id)}
                        shown={again}
                      />
                    ) : null
                  }
                />
              ))}
            </DataList>
          </section>
        );
      })}
      {mayLink ? <AddLink {...{ iid, again }} /> : null}
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
