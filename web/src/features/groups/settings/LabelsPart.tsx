/** Labels of a group, with those of the groups above it: making one, removing them. */
import { ColorInput, Stack } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { client, unwrap } from '../../../lib/api.ts';
import { labels } from '../../../lib/groups.ts';
import { ConfirmButton } from '../../../ui/ConfirmButton.tsx';
import { DataList, DataRow } from '../../../ui/DataList.tsx';
import { EmptyState } from '../../../ui/EmptyState.tsx';
import { FormError } from '../../../ui/FormError.tsx';
import { useForm } from '../../../ui/forms.ts';
import { TextField, useFields } from '../../../ui/TextField.tsx';
import { Save } from '../../settings/Save.tsx';
import classes from '../groups.module.css';
import { useGroup } from '../useGroupForm.ts';

const nothing = { name: '', description: '', color: '#6699cc' };

export function LabelsPart() {
  const { path } = useGroup();
  const { data: shown = [] } = useQuery(labels(path));
  const cache = useQueryClient();
  const again = () => cache.invalidateQueries({ queryKey: labels(path).queryKey });
  const fields = useFields(nothing);
  const sending = useForm(async () => {
    await unwrap(client.POST('/groups/{id}/labels', { params: { path: { id: path } }, body: fields.values }));
    fields.replace(nothing);
    await again();
  });
  const remove = (label_id: number) =>
    unwrap(
      client.DELETE('/groups/{id}/labels/{label_id}', { params: { path: { id: path, label_id: String(label_id) } } }),
    );
  const { reason } = sending;
  return (
    <Stack gap="md">
      {shown.length === 0 ? (
        <EmptyState title="No labels yet">Labels of a group are there in all its projects.</EmptyState>
      ) : (
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
              meta={label.description ? <span>{label.description}</span> : undefined}
              after={
                <ConfirmButton
                  title="Delete label"
                  about={`Delete ${label.name}`}
                  text={`${label.name} will be deleted, and removed from all merge requests that have it.`}
                  action="Delete label"
                  label="Delete"
                  size="compact-xs"
                  run={() => remove(label.id)}
                  shown={again}
                />
              }
            />
          ))}
        </DataList>
      )}
      <form {...sending.form}>
        <h3>New label</h3>
        <FormError error={sending.error} />
        <Stack gap="sm">
          <TextField of={fields} name="name" label="Title" required reason={reason} also={['title']} />
          <TextField of={fields} name="description" label="Description" reason={reason} />
          <ColorInput
            label="Colour"
            format="hex"
            withEyeDropper={false}
            value={fields.values.color}
            onChange={(color) => fields.set('color', color)}
            error={reason('color')}
          />
          <Save pending={sending.pending} done={sending.done} label="Make label" />
        </Stack>
      </form>
    </Stack>
  );
}
