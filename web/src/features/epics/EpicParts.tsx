/** What an epic consists of: child epics, issues in their order, and epics that it is linked to. */
import { ActionIcon, Button, Group, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconArrowDown, IconArrowUp, IconX } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import {
  addIssue,
  createEpic,
  type Epic,
  type EpicContents,
  issuesToAdd,
  placeIssue,
  removeIssue,
} from '../../lib/epics.ts';
import { pathOfReferenced, toSegment } from '../../lib/urls.ts';
import { Select } from '../../ui/Choices.tsx';
import { ConfirmButton } from '../../ui/ConfirmButton.tsx';
import { DataList, DataRow } from '../../ui/DataList.tsx';
import { FormError } from '../../ui/FormError.tsx';
import { useForm } from '../../ui/forms.ts';
import { issueStatus, StatusBadge } from '../../ui/StatusBadge.tsx';
import classes from '../milestones/milestones.module.css';
import { EpicLink } from './EpicLink.tsx';

interface Props {
  readonly path: string;
  readonly epic: Epic;
  readonly contents: EpicContents;
  readonly writes: boolean;
  again(): Promise<unknown>;
}

export function ChildEpics({ path, epic, contents, writes, again }: Props) {
  const [title, setTitle] = useState('');
  const form = useForm(async () => {
    await createEpic(path, { title, parent_id: epic.id });
    setTitle('');
    await again();
  });
  return (
    <section aria-label="Child epics">
      <h2 className={classes.heading}>Child epics</h2>
      {contents.children.length === 0 ? (
        <p className={classes.nothing}>No child epics</p>
      ) : (
        <DataList label="Child epics">
          {contents.children.map((child) => (
            <DataRow
              key={child.id}
              before={<StatusBadge status={issueStatus(child.state)} compact />}
              title={<EpicLink epic={child} />}
              meta={<span>{child.references.relative}</span>}
            />
          ))}
        </DataList>
      )}
      {writes ? (
        <form {...form.form}>
          <FormError error={form.error} />
          <Group mt="sm" gap="sm" align="flex-end">
            <TextInput
              size="xs"
              aria-label="Title of the child epic"
              placeholder="Title of a child epic"
              value={title}
              onChange={(event) => setTitle(event.currentTarget.value)}
              error={form.reason('title')}
            />
            <Button size="xs" variant="default" type="submit" loading={form.pending} disabled={title.trim() === ''}>
              Add child epic
            </Button>
          </Group>
        </form>
      ) : null}
    </section>
  );
}

function AddIssue({ path, epic, again }: Pick<Props, 'path' | 'epic' | 'again'>) {
  const [search, setSearch] = useState('');
  const [later] = useDebouncedValue(search, 250);
  const [chosen, setChosen] = useState<string | null>(null);
  const [opened, setOpened] = useState(false);
  // Asked for when somebody is about to choose one.
  const { data = [] } = useQuery({ ...issuesToAdd(path, chosen === null ? later : ''), enabled: opened });
  const form = useForm(async () => {
    await addIssue(path, epic.iid, Number(chosen));
    setChosen(null);
    setSearch('');
    await again();
  });
  return (
    <form {...form.form}>
      <FormError error={form.error} />
      <Group mt="sm" gap="sm" align="flex-end">
        <Select
          size="xs"
          w={320}
          aria-label="Issue"
          placeholder="Search for an issue"
          data={data}
          filter={({ options }) => options}
          searchable
          clearable
          searchValue={search}
          onSearchChange={setSearch}
          onDropdownOpen={() => setOpened(true)}
          value={chosen}
          onChange={setChosen}
          nothingFoundMessage="No issues found"
        />
        <Button size="xs" variant="default" type="submit" loading={form.pending} disabled={chosen === null}>
          Add issue
        </Button>
      </Group>
    </form>
  );
}

export function EpicIssues({ path, epic, contents, writes, again }: Props) {
  const { issues } = contents;
  const act = useMutation({ mutationFn: (what: () => Promise<unknown>) => what(), onSuccess: again });
  const move = (at: number, step: -1 | 1) => {
    const [issue, other] = [issues[at], issues[at + step]];
    if (!issue || !other) return;
    // `move_before_id` names what comes right before the moved one.
    const body = step === 1 ? { move_before_id: other.epic_issue_id } : { move_after_id: other.epic_issue_id };
    act.mutate(() => placeIssue(path, epic.iid, issue.epic_issue_id, body));
  };
  return (
    <section aria-label="Issues">
      <h2 className={classes.heading}>Issues</h2>
      <FormError error={act.error} />
      {issues.length === 0 ? (
        <p className={classes.nothing}>No issues</p>
      ) : (
        <DataList label="Issues of the epic">
          {issues.map((issue, at) => (
            <DataRow
              key={issue.id}
              before={<StatusBadge status={issueStatus(issue.state)} compact />}
              title={
                <Link
                  to="/p/$path/issues/$iid"
                  params={{ path: toSegment(pathOfReferenced(issue)), iid: String(issue.iid) }}
                  data-entry
                >
                  {issue.title}
                </Link>
              }
              meta={
                <>
                  <span>{issue.references.full}</span>
                  {issue.weight === null ? null : <span>Weight {issue.weight}</span>}
                </>
              }
              after={
                writes ? (
                  <Group gap={2} wrap="nowrap">
                    {at > 0 ? (
                      <ActionIcon
                        variant="subtle"
                        color="gray"
                        aria-label={`Move ${issue.title} up`}
                        onClick={() => move(at, -1)}
                      >
                        <IconArrowUp size={16} aria-hidden />
                      </ActionIcon>
                    ) : null}
                    {at < issues.length - 1 ? (
                      <ActionIcon
                        variant="subtle"
                        color="gray"
                        aria-label={`Move ${issue.title} down`}
                        onClick={() => move(at, 1)}
                      >
                        <IconArrowDown size={16} aria-hidden />
                      </ActionIcon>
                    ) : null}
                    <ConfirmButton
                      title="Remove issue from epic"
                      about={`Remove ${issue.title} from the epic`}
                      text={`${issue.title} stays in its project.`}
                      action="Remove"
                      icon={<IconX size={16} aria-hidden />}
                      run={() => removeIssue(path, epic.iid, issue.epic_issue_id)}
                      shown={again}
                    />
                  </Group>
                ) : null
              }
            />
          ))}
        </DataList>
      )}
      {contents.moreIssues ? <p className={classes.nothing}>Only the first 100 issues are shown.</p> : null}
      {writes ? <AddIssue {...{ path, epic, again }} /> : null}
    </section>
  );
}

const relations: Readonly<Record<string, string>> = {
  relates_to: 'related',
  blocks: 'blocked by this epic',
  is_blocked_by: 'blocks this epic',
};

export function RelatedEpics({ contents }: { contents: EpicContents }) {
  if (contents.related.length === 0) return null;
  return (
    <section aria-label="Linked epics">
      <h2 className={classes.heading}>Linked epics</h2>
      <DataList label="Linked epics">
        {contents.related.map((other) => (
          <DataRow
            key={other.id}
            before={<StatusBadge status={issueStatus(other.state)} compact />}
            title={<EpicLink epic={other} />}
            meta={<span>{relations[other.link_type]}</span>}
          />
        ))}
      </DataList>
    </section>
  );
}
