/** What a merge request is for, and whether it can be merged. */
import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Fragment } from 'react';
import type { Schemas } from '../../lib/api.ts';
import { labels } from '../../lib/planning.ts';
import { reviewerStates, reviewersOf } from '../../lib/reviews.ts';
import { LabelChip } from '../../ui/LabelChip.tsx';
import { MarkdownBody } from '../../ui/MarkdownBody.tsx';
import { UserChip } from '../../ui/UserChip.tsx';
import { Comments } from '../comments/Comments.tsx';
import { useThreads } from '../comments/useThreads.tsx';
import { ProjectMilestoneLink } from '../milestones/MilestoneLink.tsx';
import { useProject } from '../projects/useProject.ts';
import { MergeBox } from './MergeBox.tsx';
import classes from './merge-requests.module.css';
import { ReviewBox } from './ReviewBox.tsx';

/** Labels and milestone; colours come with the project's labels. */
function Planned({ request }: { request: Schemas['MergeRequestDetail'] }) {
  const { path } = useProject();
  const { milestone } = request;
  const { data: known = [] } = useQuery({ ...labels(path, ''), enabled: request.labels.length > 0 });
  if (request.labels.length === 0 && !milestone) return null;
  return (
    <div className={classes.facts}>
      {request.labels.map((title) => {
        const label = known.find(({ name }) => name === title);
        return label ? <LabelChip key={title} label={label} /> : <span key={title}>{title}</span>;
      })}
      {milestone ? (
        <>
          <span>Milestone</span>
          <ProjectMilestoneLink milestone={milestone} />
        </>
      ) : null}
    </div>
  );
}

/** Who is assigned, and who is asked to review. */
function People({ request }: { request: Schemas['MergeRequestDetail'] }) {
  const { path } = useProject();
  const { data: reviews = [] } = useQuery({
    ...reviewersOf(path, request.iid),
    enabled: request.reviewers.length > 0,
  });
  const stateOf = (id: number) => reviews.find(({ user }) => user.id === id)?.state;
  const rows = [
    { label: 'Assigned to', people: request.assignees, reviewing: false },
    { label: 'Review by', people: request.reviewers, reviewing: true },
  ].filter(({ people }) => people.length > 0);
  if (rows.length === 0) return null;
  return (
    <div className={classes.facts}>
      {rows.map(({ label, people, reviewing }) => (
        <Fragment key={label}>
          <span>{label}</span>
          {people.map((person) => {
            const state = reviewing ? stateOf(person.id) : undefined;
            return (
              <Fragment key={person.id}>
                <UserChip user={person} />
                {state ? <span>({reviewerStates[state]})</span> : null}
              </Fragment>
            );
          })}
        </Fragment>
      ))}
    </div>
  );
}

export function MergeRequestOverview({ request }: { request: Schemas['MergeRequestDetail'] }) {
  const { path } = useProject();
  const discussed = { kind: 'merge_request', iid: request.iid } as const;
  const threads = useThreads(discussed, null, undefined);
  return (
    <>
      <People request={request} />
      <Planned request={request} />
      {request.description_html ? (
        <MarkdownBody html={request.description_html} of={{ kind: 'project', path }} />
      ) : (
        <Text c="var(--mr-dim)">No description.</Text>
      )}
      <MergeBox key={request.id} request={request} />
      <ReviewBox key={`review-${request.id}`} request={request} />
      <Comments of={discussed} threads={threads} />
    </>
  );
}
