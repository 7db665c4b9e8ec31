/** Labels of a group or project, with those of the groups above it: create one, delete them. */
import { Stack } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { createLabel, deleteLabel, type LabelPlace, labelsOf } from '../../lib/labels.ts';
import { ColorInput } from '../../ui/Choices.tsx';
import { ConfirmButton } from '../../ui/ConfirmButton.tsx';
import { DataList, DataRow } from '../../ui/DataList.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { FormError } from '../../ui/FormError.tsx';
import { useForm } from '../../ui/forms.ts';
import { TextField, useFields } from '../../ui/TextField.tsx';
import { Save } from '../settings/Save.tsx';
import classes from './labels.module.css';

const nothing = { name: '', description: '', color: '#6699cc' };

export function LabelManager({ place }: { place: LabelPlace }) {
  const { data: shown, error } = useQuery(labelsOf(place));
  const cache = useQueryClient();
  const again = () => cache.invalidateQueries({ queryKey: [place.kind, place.path, 'labels'] });
  const fields = useFields(nothing);
  const sending = useForm(async () => {
    await createLabel(place, fields.values);
    fields.replace(nothing);
    await again();
  });
  const { reason } = sending;
  return (
    <Stack gap="md">
      <FormError error={error} />
      {shown?.length === 0 ? (
        <EmptyState title="No labels yet">
          {place.kind === 'group'
            ? 'Labels of a group can be used in all its projects.'
            : 'Create a label to sort issues and merge requests.'}
        </EmptyState>
      ) : null}
      {shown && shown.length > 0 ? (
        <DataList label="Labels">
          {shown.map((label) => (
            <DataRow
              key={label.id}
              title={
                <span className={classes.label}>
                  <span className={classes.dot} style={{ background: label.color }} />
                  {label.name}
                </span>
              }
              meta={
                <>
                  {label.is_project_label === false ? <span>From a group</span> : null}
                  {label.description ? <span>{label.description}</span> : null}
                </>
              }
              after={
                label.is_project_label === false ? null : (
                  <ConfirmButton
                    title="Delete label"
                    about={`Delete ${label.name}`}
                    text={`${label.name} will be deleted, and removed from all issues and merge requests that have it.`}
                    action="Delete label"
                    label="Delete"
                    size="compact-xs"
                    run={() => deleteLabel(place, label.id)}
                    shown={again}
                  />
                )
              }
            />
          ))}
        </DataList>
      ) : null}
      <form {...sending.form}>
        <h3>New label</h3>
        <FormError error={sending.error} />
        <Stack gap="sm">
          <TextField of={fields} name="name" label="Title" required reason={reason} also={['title']} />
          <TextField of={fields} name="description" label="Description" reason={reason} />
          <ColorInput
            label="Color"
            format="hex"
            withEyeDropper={false}
            value={fields.values.color}
            onChange={(color) => fields.set('color', color)}
            error={reason('color')}
          />
          <Save pending={sending.pending} done={sending.done} label="Create label" />
        </Stack>
      </form>
    </Stack>
  );
}
