/** Changes several issues at once: labels, assignees, milestone and state. Each is changed by itself; refusals are listed. */
import { Button, Checkbox, Group, Select, Stack, TagsInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { counted } from '../../lib/counted.ts';
import { changeIssue, type IssueChange } from '../../lib/issues.ts';
import { idsOf } from '../../lib/merge-request-people.ts';
import { labels as labelsOf, openMilestones } from '../../lib/planning.ts';
import { PeoplePicker } from '../merge-requests/sidebar/PeoplePicker.tsx';
import { useProject } from '../projects/useProject.ts';
import classes from './issues.module.css';

interface Props {
  /** Numbers of the issues that are chosen. */
  readonly chosen: readonly number[];
  /** Numbers of those that could be. */
  readonly shown: readonly number[];
  choose(numbers: readonly number[]): void;
  /** Called with those that were changed. */
  done(changed: readonly number[]): Promise<unknown>;
  close(): void;
}

interface Result {
  readonly changed: readonly number[];
  readonly refused: readonly { readonly iid: number; readonly reason: string }[];
}

export function BulkEdit({ chosen, shown, choose, done, close }: Props) {
  const { path } = useProject();
  const { data: known = [] } = useQuery(labelsOf(path, ''));
  const { data: milestones = [] } = useQuery(openMilestones(path));
  const [state, setState] = useState<'close' | 'reopen' | null>(null);
  const [add, setAdd] = useState<string[]>([]);
  const [remove, setRemove] = useState<string[]>([]);
  const [people, setPeople] = useState<string[]>([]);
  const [milestone, setMilestone] = useState<string | null>(null);
  const [at, setAt] = useState(0);
  const names = known.map(({ name }) => name);
  const nothing = state === null && add.length + remove.length + people.length === 0 && milestone === null;
  const sending = useMutation({
    mutationFn: async (): Promise<Result> => {
      const assignees = await idsOf(people);
      const body: IssueChange = {
        ...(state ? { state_event: state } : {}),
        ...(add.length > 0 ? { add_labels: add } : {}),
        ...(remove.length > 0 ? { remove_labels: remove } : {}),
        ...(assignees.length > 0 ? { assignee_ids: assignees } : {}),
        ...(milestone === null ? {} : { milestone_id: Number(milestone) }),
      };
      const changed: number[] = [];
      const refused: { iid: number; reason: string }[] = [];
      for (const [position, iid] of chosen.entries()) {
        setAt(position + 1);
        try {
          await changeIssue(path, iid, body);
          changed.push(iid);
        } catch (error) {
          refused.push({ iid, reason: error instanceof Error ? error.message : String(error) });
        }
      }
      await done(changed);
      return { changed, refused };
    },
  });
  const { data: result } = sending;
  return (
    <>
      <form
        aria-label="Edit issues"
        className={classes.bulk}
        onSubmit={(event) => {
          event.preventDefault();
          sending.mutate();
        }}
      >
        <Stack gap="sm">
          <Group gap="sm" align="flex-start">
            <Select
              label="State"
              placeholder="Unchanged"
              w={150}
              clearable
              data={[
                { value: 'close', label: 'Close' },
                { value: 'reopen', label: 'Reopen' },
              ]}
              value={state}
              onChange={(value) => setState(value === 'close' || value === 'reopen' ? value : null)}
            />
            <TagsInput label="Add labels" w={220} data={names} value={add} onChange={setAdd} />
            <TagsInput label="Remove labels" w={220} data={names} value={remove} onChange={setRemove} />
            <div className={classes.people}>
              <PeoplePicker label="Assignees" value={people} change={setPeople} />
            </div>
            <Select
              label="Milestone"
              placeholder="Unchanged"
              w={190}
              clearable
              searchable
              data={[
                { value: '0', label: 'None' },
                ...milestones.map(({ id, title }) => ({ value: String(id), label: title })),
              ]}
              value={milestone}
              onChange={setMilestone}
            />
          </Group>
          <Group gap="sm">
            <Button type="submit" size="xs" loading={sending.isPending} disabled={nothing || chosen.length === 0}>
              Update {counted(chosen.length, 'issue', 'issues')}
            </Button>
            <Button size="xs" variant="default" onClick={close}>
              Cancel
            </Button>
            <span role="status">
              {sending.isPending
                ? `${at} of ${chosen.length} …`
                : result
                  ? `${counted(result.changed.length, 'issue', 'issues')} updated`
                  : ''}
            </span>
          </Group>
          {sending.error ? <p role="alert">{sending.error.message}</p> : null}
          {result && result.refused.length > 0 ? (
            <ul role="alert" className={classes.refused}>
              {result.refused.map(({ iid, reason }) => (
                <li key={iid}>
                  #{iid}: {reason}
                </li>
              ))}
            </ul>
          ) : null}
        </Stack>
      </form>
      <Group mb="xs" ml={12}>
        <Checkbox
          label="Select all on this page"
          checked={shown.length > 0 && chosen.length === shown.length}
          indeterminate={chosen.length > 0 && chosen.length < shown.length}
          onChange={(event) => choose(event.currentTarget.checked ? shown : [])}
        />
      </Group>
    </>
  );
}
