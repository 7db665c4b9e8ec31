/** The fields of an issue, to write a new one or to change one. */
import { Button, Checkbox, Group, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { Issue, IssueValues } from '../../lib/issues.ts';
import { idsOf } from '../../lib/merge-request-people.ts';
import type { Milestone } from '../../lib/planning.ts';
import { FormError } from '../../ui/FormError.tsx';
import { useForm } from '../../ui/forms.ts';
import { MarkdownEditor } from '../editor/MarkdownEditor.tsx';
import { TemplateChoice } from '../editor/TemplateChoice.tsx';
import { PeoplePicker } from '../merge-requests/sidebar/PeoplePicker.tsx';
import { type Plan, PlanFields } from '../milestones/PlanFields.tsx';
import { level, useProject } from '../projects/useProject.ts';
import { type Above, AboveFields, aboveOf } from './AboveFields.tsx';

interface Start {
  readonly title: string;
  /** Given with the address: not to be replaced unasked. */
  readonly written: string | undefined;
  /** The key of the template that `text` is of; empty for the usual one. */
  readonly template: string;
  readonly text: string;
  readonly confidential: boolean;
}

interface Props {
  readonly issue?: Issue;
  /** Of a new one. */
  readonly start?: Start;
  readonly action: string;
  send(values: IssueValues): Promise<unknown>;
  cancel?(): void;
}

/** Only what is other than before: an epic that the person does not see stays. */
const changed = (now: Above, before: Above): Partial<Above> => ({
  ...(now.iteration_id === before.iteration_id ? {} : { iteration_id: now.iteration_id }),
  ...(now.epic_id === before.epic_id ? {} : { epic_id: now.epic_id }),
});

export function IssueForm({ issue, start, action, send, cancel }: Props) {
  const { path, project, level: own } = useProject();
  const plans = own >= level.planner;
  const [title, setTitle] = useState(issue?.title ?? start?.title ?? '');
  const [written, write] = useState<string | null>(issue ? (issue.description ?? '') : (start?.written ?? null));
  const [template, setTemplate] = useState<string | null>(null);
  const description = written ?? template ?? start?.text ?? '';
  const [assignees, setAssignees] = useState<string[]>([]);
  const [due, setDue] = useState(issue?.due_date ?? '');
  const [confidential, setConfidential] = useState(issue?.confidential ?? start?.confidential ?? false);
  const [plan, setPlan] = useState<Plan>({
    labels: issue?.labels ?? [],
    milestone: (issue?.milestone as Milestone | null | undefined) ?? null,
  });
  const grouped = plans && project.namespace.kind === 'group';
  const [above, setAbove] = useState(() => aboveOf(issue));
  const sending = useForm(async () =>
    send({
      ...{ title, description, confidential, labels: plan.labels },
      ...(assignees.length > 0 ? { assignee_ids: await idsOf(assignees) } : {}),
      ...(plans ? { due_date: due, milestone_id: plan.milestone?.id ?? 0 } : {}),
      ...(grouped ? changed(above, aboveOf(issue)) : {}),
    }),
  );
  return (
    <form {...sending.form}>
      <FormError error={sending.error} />
      <Stack gap="md">
        <TextInput
          label="Title"
          name="title"
          required
          autoFocus
          value={title}
          onChange={(event) => setTitle(event.currentTarget.value)}
          error={sending.reason('title')}
        />
        {issue ? null : (
          <TemplateChoice
            project={path}
            type="issues"
            initial={start?.template}
            typed={written !== null && written.trim() !== ''}
            choose={(text) => {
              setTemplate(text);
              write(null);
            }}
          />
        )}
        <MarkdownEditor
          label="Description"
          name="description"
          rows={6}
          place={{ kind: 'project', path }}
          target={issue ? undefined : 'issue'}
          value={description}
          change={write}
          error={sending.reason('description')}
        />
        {plans ? (
          <>
            {issue ? null : (
              <PeoplePicker label="Assignees" value={assignees} change={setAssignees} self="Assign to me" />
            )}
            <PlanFields plan={plan} change={setPlan} reason={sending.reason} />
            {grouped ? <AboveFields issue={issue} above={above} change={setAbove} reason={sending.reason} /> : null}
            <TextInput
              label="Due date"
              type="date"
              name="due_date"
              value={due}
              onChange={(event) => setDue(event.currentTarget.value)}
              error={sending.reason('due_date')}
            />
          </>
        ) : null}
        <Checkbox
          label="Confidential"
          description="Visible only to its author, its assignees and project members with at least the Planner role"
          checked={confidential}
          onChange={(event) => setConfidential(event.currentTarget.checked)}
        />
        <Group>
          <Button type="submit" loading={sending.pending} disabled={title.trim() === ''}>
            {action}
          </Button>
          {cancel ? (
            <Button variant="default" onClick={cancel}>
              Cancel
            </Button>
          ) : null}
        </Group>
      </Stack>
    </form>
  );
}
