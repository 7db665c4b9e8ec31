/** The settings of a runner, new or existing. */
import { Checkbox, Stack, Textarea, TextInput } from '@mantine/core';
import type { RunnerFields } from '../../lib/runners.ts';
import { TagsInput } from '../../ui/Choices.tsx';
import { FormError } from '../../ui/FormError.tsx';
import { useForm } from '../../ui/forms.ts';
import { type Fields, TextField } from '../../ui/TextField.tsx';
import { Save } from '../settings/Save.tsx';

interface Props {
  readonly of: Fields<RunnerFields>;
  /** Whether it can be kept to its projects. */
  readonly lockable: boolean;
  readonly action: string;
  send(values: RunnerFields): Promise<unknown>;
}

export function RunnerForm({ of, lockable, action, send }: Props) {
  const { values, set } = of;
  const sending = useForm(() => send(values));
  const { reason } = sending;
  return (
    <form {...sending.form}>
      <FormError error={sending.error} />
      <Stack gap="sm">
        <TextField of={of} name="description" label="Description" reason={reason} />
        <TagsInput
          label="Tags"
          description="Press Enter to add. The runner takes jobs whose tags it has."
          value={values.tags}
          onChange={(tags) => set('tags', tags)}
          error={reason('tag_list')}
        />
        <Checkbox
          label="Run untagged jobs"
          checked={values.run_untagged}
          onChange={(event) => set('run_untagged', event.currentTarget.checked)}
          error={reason('run_untagged')}
        />
        <Checkbox
          label="Protected: run jobs of protected branches and tags only"
          checked={values.protected}
          onChange={(event) => set('protected', event.currentTarget.checked)}
        />
        {lockable ? (
          <Checkbox
            label="Lock to current projects"
            checked={values.locked}
            onChange={(event) => set('locked', event.currentTarget.checked)}
          />
        ) : null}
        <TextInput
          label="Maximum job timeout (minutes)"
          description="Leave empty to use the timeout of the project. At least 10 minutes."
          inputMode="numeric"
          value={values.timeout}
          onChange={(event) => set('timeout', event.currentTarget.value.replaceAll(/\D/g, ''))}
          error={reason('maximum_timeout')}
        />
        <Textarea
          label="Maintenance note"
          autosize
          minRows={2}
          value={values.maintenance_note}
          onChange={(event) => set('maintenance_note', event.currentTarget.value)}
          error={reason('maintenance_note')}
        />
        <Save pending={sending.pending} done={sending.done} label={action} />
      </Stack>
    </form>
  );
}
