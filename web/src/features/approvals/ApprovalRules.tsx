/** The approval rules of a group, a project or a merge request: listed, added, changed and deleted. */
import { ActionIcon, Button, Group, NumberInput, Stack, TextInput } from '@mantine/core';
import { IconPencil, IconTrash } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type ApprovalRule, type RulePlace, rulesOf } from '../../lib/approval-rules.ts';
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx';
import { useConfirmed } from '../../ui/confirmed.ts';
import { DataList, DataRow } from '../../ui/DataList.tsx';
import { FormError } from '../../ui/FormError.tsx';
import { useForm } from '../../ui/forms.ts';
import { Modal } from '../../ui/Modal.tsx';
import { PeoplePicker } from '../merge-requests/sidebar/PeoplePicker.tsx';
import { GroupPicker } from './GroupPicker.tsx';

interface FormProps {
  readonly place: RulePlace;
  readonly rule: ApprovalRule | null;
  done(): Promise<unknown>;
}

function RuleForm({ place, rule, done }: FormProps) {
  const [name, setName] = useState(rule?.name ?? '');
  const [required, setRequired] = useState<number>(rule?.approvals_required ?? 1);
  const [usernames, setUsernames] = useState(rule?.users.map(({ username }) => username) ?? []);
  const [groups, setGroups] = useState(rule?.groups.map(({ id }) => String(id)) ?? []);
  const sending = useForm(async () => {
    const values = {
      name,
      approvals_required: required,
      usernames,
      group_ids: groups.map(Number),
    };
    await (rule ? place.change(rule.id, values) : place.add(values));
    await done();
  });
  return (
    <form {...sending.form} aria-label={rule ? 'Edit approval rule' : 'Add approval rule'}>
      <FormError error={sending.error} />
      <Stack gap="md">
        <TextInput
          label="Rule name"
          required
          data-autofocus
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={sending.reason('name')}
        />
        <NumberInput
          label="Approvals required"
          min={0}
          max={100}
          allowDecimal={false}
          value={required}
          onChange={(value) => setRequired(Number(value))}
          error={sending.reason('approvals_required')}
        />
        <PeoplePicker
          label="Approvers"
          description="Leave empty to accept approvals from anyone who can approve"
          value={usernames}
          change={setUsernames}
        />
        <GroupPicker known={rule?.groups ?? []} value={groups} change={setGroups} />
        <div>
          <Button type="submit" loading={sending.pending}>
            {rule ? 'Save rule' : 'Add rule'}
          </Button>
        </div>
      </Stack>
    </form>
  );
}

const approversOf = ({ users, groups, contains_hidden_groups: hidden }: ApprovalRule): string =>
  [
    ...users.map(({ name }) => name),
    ...groups.map(({ full_name }) => full_name),
    ...(hidden ? ['a private group'] : []),
  ].join(', ') || 'Anyone who can approve';

interface Props {
  readonly place: RulePlace;
  readonly mayChange: boolean;
}

export function ApprovalRules({ place, mayChange }: Props) {
  const cache = useQueryClient();
  const { data: rules, error } = useQuery(rulesOf(place));
  const [editing, setEditing] = useState<ApprovalRule | 'new' | null>(null);
  // The merge box shows what the rules require.
  const again = () => cache.invalidateQueries({ queryKey: place.key.slice(0, -1) });
  const removing = useConfirmed((id: number) => place.remove(id), again);
  return (
    <section aria-label="Approval rules">
      <FormError error={error} />
      {rules?.length === 0 ? <p>No approval rules yet.</p> : null}
      {rules && rules.length > 0 ? (
        <DataList label="Approval rules">
          {rules.map((rule) => (
            <DataRow
              key={rule.id}
              title={rule.name}
              meta={
                <>
                  <span>
                    {rule.approvals_required} {rule.approvals_required === 1 ? 'approval' : 'approvals'} required
                  </span>
                  <span>{approversOf(rule)}</span>
                </>
              }
              after={
                mayChange ? (
                  <Group gap={4} wrap="nowrap">
                    <ActionIcon
                      variant="subtle"
                      color="gray"
                      size={30}
                      aria-label={`Edit ${rule.name}`}
                      onClick={() => setEditing(rule)}
                    >
                      <IconPencil size={16} />
                    </ActionIcon>
                    <ActionIcon
                      variant="subtle"
                      color="gray"
                      size={30}
                      aria-label={`Delete ${rule.name}`}
                      onClick={() => removing.ask(rule.id)}
                    >
                      <IconTrash size={16} />
                    </ActionIcon>
                  </Group>
                ) : null
              }
            />
          ))}
        </DataList>
      ) : null}
      {mayChange ? (
        <Button mt="sm" size="xs" variant="default" onClick={() => setEditing('new')}>
          Add approval rule
        </Button>
      ) : null}
      <ConfirmDialog
        {...removing.dialog}
        title="Delete approval rule"
        text="Merge requests no longer require these approvals."
        action="Delete rule"
      />
      <Modal
        opened={editing !== null}
        onClose={() => setEditing(null)}
        title={editing === 'new' ? 'Add approval rule' : 'Edit approval rule'}
      >
        {editing === null ? null : (
          <RuleForm
            key={editing === 'new' ? 'new' : editing.id}
            place={place}
            rule={editing === 'new' ? null : editing}
            done={async () => {
              await again();
              setEditing(null);
            }}
          />
        )}
      </Modal>
    </section>
  );
}
