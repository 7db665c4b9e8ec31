/** Asking for a branch to be merged: the branches, what they differ in, title, description and people. */
import { Button, Checkbox, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { IconArrowRight } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { client, unwrap } from '../../lib/api.ts';
import { idsOf } from '../../lib/merge-request-people.ts';
import { toSegment } from '../../lib/urls.ts';
import { DataList, DataRow } from '../../ui/DataList.tsx';
import { FormError } from '../../ui/FormError.tsx';
import { useForm } from '../../ui/forms.ts';
import { Page } from '../../ui/Page.tsx';
import { CommitMeta } from '../commits/CommitMeta.tsx';
import { MarkdownEditor } from '../editor/MarkdownEditor.tsx';
import { TemplateChoice } from '../editor/TemplateChoice.tsx';
import { RefPicker } from '../files/RefPicker.tsx';
import { type Plan, PlanFields } from '../milestones/PlanFields.tsx';
import { level, useProject } from '../projects/useProject.ts';
import classes from './merge-requests.module.css';
import { PeoplePicker } from './sidebar/PeoplePicker.tsx';
import { useTargets } from './useTargets.ts';

// Shown below the form, once the branches are compared.
const DiffView = lazy(async () => ({ default: (await import('../../ui/diff/DiffView.tsx')).DiffView }));

export default function NewMergeRequestPage() {
  const search = useSearch({ from: '/p/$path/merge_requests/new' });
  const { project, parts, path, warn } = useProject();
  const [source, setSource] = useState(search.source ?? '');
  const places = useTargets();
  const [elsewhere, setElsewhere] = useState(() => search.target === undefined && places.upstream !== null);
  const place = elsewhere && places.upstream ? places.upstream : places.own;
  const [chosen, setTarget] = useState(search.target);
  const target = chosen ?? place.branch;
  const [typed, setTyped] = useState<string | null>(search.title ?? null);
  const [written, setWritten] = useState<string | null>(search.description ?? null);
  const [template, setTemplate] = useState<string | null>(null);
  const [assignees, setAssignees] = useState<string[]>([]);
  const [reviewers, setReviewers] = useState<string[]>([]);
  const [collaborates, setCollaborates] = useState(true);
  const [plan, setPlan] = useState<Plan>({ labels: [], milestone: null });
  const [remove, setRemove] = useState(project.remove_source_branch_after_merge ?? true);
  const [squash, setSquash] = useState(project.squash_option === 'always' || project.squash_option === 'default_on');
  const { data: compare } = useQuery({
    ...parts.compare(target, source, false, elsewhere ? place.id : undefined),
    enabled: source !== '' && (elsewhere || source !== target),
  });
  const same = !elsewhere && source !== '' && source === target;
  const { data: first } = useQuery({
    ...parts.defaultText(source, target, elsewhere ? place.id : undefined),
    enabled: source !== '',
  });
  const title = typed ?? first?.title ?? '';
  const description = written ?? template ?? first?.description ?? '';
  const navigate = useNavigate();
  const plans = place.level >= level.planner;
  const sending = useForm(async () => {
    const [assignee_ids, reviewer_ids] = await Promise.all([idsOf(assignees), idsOf(reviewers)]);
    const request = await unwrap(
      client.POST('/projects/{id}/merge_requests', {
        params: { path: { id: path } },
        body: {
          source_branch: source,
          target_branch: target,
          ...(elsewhere ? { target_project_id: place.id, allow_collaboration: collaborates } : {}),
          title,
          remove_source_branch: remove,
          squash,
          ...(description ? { description } : {}),
          ...(assignee_ids.length > 0 ? { assignee_ids } : {}),
          ...(reviewer_ids.length > 0 ? { reviewer_ids } : {}),
          ...(plans && plan.labels.length > 0 ? { labels: [...plan.labels] } : {}),
          ...(plans && plan.milestone ? { milestone_id: plan.milestone.id } : {}),
        },
      }),
    );
    await navigate({
      to: '/p/$path/merge_requests/$iid',
      params: { path: toSegment(place.path), iid: String(request.iid) },
    });
  });
  return (
    <Page title={`New merge request · ${project.name_with_namespace}`} heading="New merge request">
      <form {...sending.form} className={classes.edit}>
        <FormError error={sending.error} />
        <Stack gap="md">
          <Group gap="xs">
            <RefPicker value={source || 'Choose a branch'} choose={setSource} label="Source branch" only="branches" />
            <IconArrowRight size={16} aria-label="into" />
            {places.upstream ? (
              <NativeSelect
                size="xs"
                aria-label="Target project"
                data={[places.upstream.path, places.own.path]}
                value={place.path}
                onChange={(event) => {
                  setElsewhere(event.currentTarget.value !== places.own.path);
                  setTarget(undefined);
                  setTemplate(null);
                  setPlan({ labels: [], milestone: null });
                }}
              />
            ) : null}
            <RefPicker value={target} choose={setTarget} label="Target branch" of={place.path} only="branches" />
          </Group>
          {same ? <Text c="var(--mr-failed)">Source and target are the same branch.</Text> : null}
          {compare?.commits.length === 0 ? <Text c="var(--mr-dim)">The source branch has no new commits.</Text> : null}
          <TextInput
            label="Title"
            description="Prefix with “Draft:” until it is ready to merge"
            required
            value={title}
            onChange={(event) => setTyped(event.currentTarget.value)}
            error={sending.reason('title')}
          />
          <TemplateChoice
            key={place.path}
            project={place.path}
            type="merge_requests"
            typed={written !== null && written.trim() !== ''}
            choose={(text) => {
              setTemplate(text);
              setWritten(null);
            }}
          />
          <MarkdownEditor
            label="Description"
            rows={5}
            place={{ kind: 'project', path }}
            target="merge_request"
            value={description}
            change={setWritten}
            error={sending.reason('description')}
          />
          <PeoplePicker label="Assignees" value={assignees} change={setAssignees} self="Assign to me" />
          <PeoplePicker label="Reviewers" value={reviewers} change={setReviewers} />
          {plans ? (
            <PlanFields
              key={`plan ${place.path}`}
              of={place.path}
              plan={plan}
              change={setPlan}
              reason={sending.reason}
            />
          ) : null}
          <Checkbox
            label="Delete the source branch when merged"
            checked={remove}
            onChange={(event) => setRemove(event.currentTarget.checked)}
          />
          {project.squash_option === 'never' ? null : (
            <Checkbox
              label="Squash commits"
              checked={squash}
              disabled={project.squash_option === 'always'}
              onChange={(event) => setSquash(event.currentTarget.checked)}
            />
          )}
          {elsewhere ? (
            <Checkbox
              label="Allow commits from members who can merge to the target branch"
              checked={collaborates}
              onChange={(event) => setCollaborates(event.currentTarget.checked)}
            />
          ) : null}
          <div>
            <Button type="submit" loading={sending.pending} disabled={source === '' || same}>
              Create merge request
            </Button>
          </div>
          {compare && compare.commits.length > 0 ? (
            <DataList label="Commits">
              {compare.commits.map((commit) => (
                <DataRow
                  key={commit.id}
                  title={commit.title}
                  meta={<CommitMeta commit={commit} />}
                  after={<code>{commit.short_id}</code>}
                />
              ))}
            </DataList>
          ) : null}
        </Stack>
      </form>
      {compare && compare.diffs.length > 0 ? (
        <section aria-label="Changes of the new merge request">
          <h2>Changes</h2>
          <Suspense fallback={null}>
            <DiffView files={compare.diffs} gitRef={source} warn={warn} />
          </Suspense>
        </section>
      ) : null}
    </Page>
  );
}
