/** One epic: what it is about, how far it is, what is below it, and what people say. */
import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { changeEpic, type EpicContents, epicContents, epic as epicOf, epicsKey, removeEpic } from '../../lib/epics.ts';
import { labelsOf } from '../../lib/labels.ts';
import { healthNames, timeSpent } from '../../lib/planned.ts';
import { useLive } from '../../lib/useLive.ts';
import { ConfirmName } from '../../ui/ConfirmName.tsx';
import { FormError } from '../../ui/FormError.tsx';
import { LabelChip } from '../../ui/LabelChip.tsx';
import { MarkdownPreview } from '../../ui/MarkdownBody.tsx';
import { Page } from '../../ui/Page.tsx';
import { issueStatus, StatusBadge } from '../../ui/StatusBadge.tsx';
import { TimeAgo } from '../../ui/TimeAgo.tsx';
import { UserChip } from '../../ui/UserChip.tsx';
import { useReturnedFocus } from '../../ui/useReturnedFocus.ts';
import { Comments } from '../comments/Comments.tsx';
import { useThreads } from '../comments/useThreads.tsx';
import { useGroup } from '../groups/useGroupForm.ts';
import { Days } from '../iterations/Days.tsx';
import classes from '../milestones/milestones.module.css';
import { level } from '../projects/useProject.ts';
import { ChildEpics, EpicIssues, RelatedEpics } from './EpicParts.tsx';

const EpicForm = lazy(async () => ({ default: (await import('./EpicForm.tsx')).EpicForm }));

function Progress({ statistics }: { statistics: EpicContents['statistics'] }) {
  const { issues, weight } = statistics.statistics;
  const { closed } = issues;
  const total = issues.opened + closed;
  return (
    <div className={classes.progress}>
      {total > 0 ? (
        <div className={classes.bar} aria-hidden>
          <div className={classes.done} style={{ width: `${(closed / total) * 100}%` }} />
        </div>
      ) : null}
      <span>{total === 0 ? 'No issues' : `${closed} of ${total} issues closed`}</span>
      {weight.opened + weight.closed > 0 ? (
        <span>
          weight {weight.closed} of {weight.opened + weight.closed}
        </span>
      ) : null}
    </div>
  );
}

export default function EpicPage() {
  const { iid = '' } = useParams({ strict: false });
  const { group, path, segment, level: own } = useGroup();
  const { data: epic } = useSuspenseQuery(epicOf(path, Number(iid)));
  const { data: contents } = useSuspenseQuery(epicContents(path, epic.iid));
  const { data: known = [] } = useQuery({ ...labelsOf({ kind: 'group', path }), enabled: epic.labels.length > 0 });
  const [editing, setEditing] = useState(false);
  const edit = useReturnedFocus(editing);
  const [leaving, setLeaving] = useState(false);
  const cache = useQueryClient();
  const navigate = useNavigate();
  const again = () => cache.invalidateQueries({ queryKey: epicsKey(path) });
  useLive([`group:${epic.group_id}:epics`], [epicsKey(path)]);
  const change = useMutation({
    mutationFn: (state_event: 'close' | 'reopen') => changeEpic(path, epic.iid, { state_event }),
    onSuccess: again,
  });
  const remove = useMutation({
    mutationFn: () => removeEpic(path, epic.iid),
    async onSuccess() {
      await navigate({ to: '/g/$path/epics', params: { path: segment } });
      await again();
    },
  });
  const writes = own >= level.planner && !group.archived;
  const open = epic.state === 'opened';
  const times = timeSpent(epic.time_stats);
  const discussed = { kind: 'epic', iid: epic.id } as const;
  const threads = useThreads(discussed, null, undefined);
  return (
    <Page
      title={`${epic.title} · &${epic.iid}`}
      heading={epic.title}
      actions={
        writes ? (
          <>
            <Button ref={edit} size="xs" variant="default" aria-expanded={editing} onClick={() => setEditing(!editing)}>
              Edit
            </Button>
            <Button size="xs" variant="default" onClick={() => change.mutate(open ? 'close' : 'reopen')}>
              {open ? 'Close epic' : 'Reopen epic'}
            </Button>
            <Button size="xs" variant="default" onClick={() => setLeaving(true)}>
              Delete
            </Button>
          </>
        ) : null
      }
    >
      <FormError error={change.error} />
      <div className={classes.facts}>
        <StatusBadge status={issueStatus(epic.state)} />
        <span>{epic.references.short}</span>
        <UserChip user={epic.author} />
        <TimeAgo at={epic.created_at} />
        {epic.confidential ? <span>Confidential</span> : null}
        {epic.start_date || epic.due_date ? <Days span={epic} /> : null}
        {epic.health_status ? <span>{healthNames[epic.health_status]}</span> : null}
        {times ? <span>{times}</span> : null}
        {epic.discussion_locked ? <span>Locked</span> : null}
        {epic.labels.map((name) => {
          const label = known.find((one) => one.name === name);
          return label ? <LabelChip key={name} label={label} /> : <span key={name}>{name}</span>;
        })}
        <Progress statistics={contents.statistics} />
      </div>
      {editing ? (
        <Suspense fallback={null}>
          <EpicForm
            epic={epic}
            action="Save changes"
            close={() => setEditing(false)}
            send={async (values) => {
              await changeEpic(path, epic.iid, values);
              await again();
              setEditing(false);
            }}
          />
        </Suspense>
      ) : epic.description ? (
        <MarkdownPreview
          text={epic.description}
          base={{ group: path }}
          of={{ kind: 'group', path }}
          tasks={
            writes
              ? {
                  text: epic.description,
                  update: async (update_task) => {
                    await changeEpic(path, epic.iid, { update_task }).finally(again);
                  },
                }
              : undefined
          }
        />
      ) : null}
      <ChildEpics {...{ path, epic, contents, writes, again }} />
      <EpicIssues {...{ path, epic, contents, writes, again }} />
      <RelatedEpics contents={contents} />
      <Comments of={discussed} threads={threads} />
      <ConfirmName
        opened={leaving}
        title="Delete epic"
        text="Its issues and child epics are kept."
        name={epic.title}
        action="Delete epic"
        pending={remove.isPending}
        error={remove.error}
        close={() => setLeaving(false)}
        confirm={() => remove.mutate()}
      />
    </Page>
  );
}
