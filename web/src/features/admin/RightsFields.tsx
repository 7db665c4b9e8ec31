/** What an account may do, and what administrators note of it. */
import { Checkbox, Stack, Textarea } from '@mantine/core';
import type { Schemas } from '../../lib/api.ts';
import { type Fields, TextField } from '../../ui/TextField.tsx';

export type RightsValues = {
  admin: boolean;
  auditor: boolean;
  external: boolean;
  can_create_group: boolean;
  private_profile: boolean;
  projects_limit: string;
  note: string;
};

export const rightsValues = (user: Schemas['UserView']): RightsValues => ({
  admin: user.is_admin ?? false,
  auditor: user.is_auditor ?? false,
  external: user.external ?? false,
  can_create_group: user.can_create_group ?? false,
  private_profile: user.private_profile ?? false,
  projects_limit: String(user.projects_limit ?? ''),
  note: user.note ?? '',
});

const boxes = [
  ['admin', 'Administrator', 'Full access to this instance'],
  ['auditor', 'Auditor', 'For information only; does not change permissions'],
  ['external', 'External', 'Cannot see internal projects and groups'],
  ['can_create_group', 'Can create groups', 'Top-level ones'],
  ['private_profile', 'Private profile', 'Hides details and followers from other users'],
] as const;

interface RightsFieldsProps<T extends RightsValues> {
  readonly of: Fields<T>;
  reason(field: string): string | undefined;
  /** One's own rights as an administrator stay. */
  readonly own: boolean;
}

export function RightsFields<T extends RightsValues>({ of, reason, own }: RightsFieldsProps<T>) {
  const fields = of as unknown as Fields<RightsValues>;
  return (
    <Stack gap="md">
      {boxes.map(([name, label, description]) => (
        <Checkbox
          key={name}
          label={label}
          description={description}
          disabled={own && name === 'admin'}
          checked={fields.values[name]}
          onChange={(event) => fields.set(name, event.currentTarget.checked)}
          error={reason(name)}
        />
      ))}
      <TextField
        of={fields}
        reason={reason}
        name="projects_limit"
        label="Projects limit"
        inputMode="numeric"
        maw={240}
      />
      <Textarea
        label="Note"
        description="Visible to administrators only"
        autosize
        minRows={2}
        value={fields.values.note}
        onChange={(event) => fields.set('note', event.currentTarget.value)}
        error={reason('note')}
      />
    </Stack>
  );
}
