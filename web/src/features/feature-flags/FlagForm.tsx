/** Making and changing a feature flag with its strategies. */
import { ActionIcon, Button, Checkbox, Group, Paper, Stack, TextInput } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { client, unwrap } from '../../lib/api.ts';
import { type FeatureFlag, userLists } from '../../lib/feature-flags.ts';
import { Select } from '../../ui/Choices.tsx';
import { FormActions } from '../../ui/FormActions.tsx';
import { FormError } from '../../ui/FormError.tsx';
import { useForm } from '../../ui/forms.ts';
import { TextField, useFields } from '../../ui/TextField.tsx';
import { changesOf, type Draft, draftOf, kinds, newDraft } from './strategies.ts';

interface StrategyProps {
  readonly path: string;
  readonly draft: Draft;
  readonly number: number;
  change(to: Partial<Draft>): void;
  remove(): void;
}

function StrategyFields({ path, draft, number, change, remove }: StrategyProps) {
  const { data: lists } = useQuery({ ...userLists(path), enabled: draft.kind === 'gitlabUserList' });
  return (
    <Paper withBorder p="sm" component="fieldset">
      <Stack gap="xs">
        <Group align="end" wrap="nowrap">
          <Select
            label={`Strategy ${number}`}
            allowDeselect={false}
            flex={1}
            data={kinds.map((each) => ({ ...each }))}
            value={draft.kind}
            onChange={(value) => change({ kind: kinds.find((each) => each.value === value)?.value ?? 'default' })}
          />
          <ActionIcon variant="subtle" color="gray" size={36} aria-label={`Remove strategy ${number}`} onClick={remove}>
            <IconTrash size={16} />
          </ActionIcon>
        </Group>
        {draft.kind === 'flexibleRollout' || draft.kind === 'gradualRolloutUserId' ? (
          <TextInput
            label="Percentage"
            type="number"
            min={0}
            max={100}
            required
            value={draft.percentage}
            onChange={({ currentTarget }) => change({ percentage: currentTarget.value })}
          />
        ) : null}
        {draft.kind === 'userWithId' ? (
          <TextInput
            label="User IDs"
            description="As your application knows them, separated by commas"
            required
            value={draft.userIds}
            onChange={({ currentTarget }) => change({ userIds: currentTarget.value })}
          />
        ) : null}
        {draft.kind === 'gitlabUserList' ? (
          <Select
            label="User list"
            required
            data={(lists ?? []).map(({ id, name }) => ({ value: String(id), label: name }))}
            value={draft.userList}
            onChange={(userList) => change({ userList })}
            nothingFoundMessage="No user lists yet"
          />
        ) : null}
        <TextInput
          label="Environments"
          description="Separated by commas; * matches anything"
          required
          value={draft.environments}
          onChange={({ currentTarget }) => change({ environments: currentTarget.value })}
        />
      </Stack>
    </Paper>
  );
}

interface Props {
  readonly path: string;
  readonly flag: FeatureFlag | null;
  saved(): Promise<unknown>;
  cancel(): void;
}

export function FlagForm({ path, flag, saved, cancel }: Props) {
  const fields = useFields({
    name: flag?.name ?? '',
    description: flag?.description ?? '',
    active: flag?.active ?? true,
  });
  const before = flag?.strategies ?? [];
  const [drafts, setDrafts] = useState<readonly Draft[]>(() => (flag ? before.map(draftOf) : [newDraft()]));
  const sending = useForm(async () => {
    const at = { id: path };
    if (flag) {
      const body = { ...fields.values, strategies: changesOf(before, drafts) };
      await unwrap(
        client.PUT('/projects/{id}/feature_flags/{feature_flag_name}', {
          params: { path: { ...at, feature_flag_name: flag.name } },
          body,
        }),
      );
    } else {
      const strategies = changesOf([], drafts).flatMap((each) =>
        'name' in each
          ? [{ ...each, scopes: each.scopes.flatMap((scope) => ('environment_scope' in scope ? [scope] : [])) }]
          : [],
      );
      const body = { ...fields.values, strategies };
      await unwrap(client.POST('/projects/{id}/feature_flags', { params: { path: at }, body }));
    }
    await saved();
  });
  return (
    <form {...sending.form}>
      <FormError error={sending.error} />
      <Stack gap="md">
        <TextField
          of={fields}
          reason={sending.reason}
          name="name"
          label="Name"
          description="Lowercase letters, digits, _ and -"
          required
          autoComplete="off"
        />
        <TextField of={fields} reason={sending.reason} name="description" label="Description" autoComplete="off" />
        <Checkbox
          label="Active"
          checked={fields.values.active}
          onChange={({ currentTarget }) => fields.set('active', currentTarget.checked)}
        />
        {drafts.map((draft, index) => (
          <StrategyFields
            key={draft.key}
            path={path}
            draft={draft}
            number={index + 1}
            change={(to) => setDrafts(drafts.map((each) => (each.key === draft.key ? { ...each, ...to } : each)))}
            remove={() => setDrafts(drafts.filter((each) => each.key !== draft.key))}
          />
        ))}
        <Group>
          <Button variant="default" size="xs" onClick={() => setDrafts([...drafts, newDraft()])}>
            Add strategy
          </Button>
        </Group>
        <FormActions
          action={flag ? 'Save feature flag' : 'Create feature flag'}
          pending={sending.pending}
          cancel={cancel}
        />
      </Stack>
    </form>
  );
}
