/** Badges of a group: adding one, removing them. */
import { Stack, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { client, unwrap } from '../../../lib/api.ts';
import { badges } from '../../../lib/groups.ts';
import { ConfirmButton } from '../../../ui/ConfirmButton.tsx';
import { DataList, DataRow } from '../../../ui/DataList.tsx';
import { EmptyState } from '../../../ui/EmptyState.tsx';
import { FormError } from '../../../ui/FormError.tsx';
import { useForm } from '../../../ui/forms.ts';
import { TextField, useFields } from '../../../ui/TextField.tsx';
import { Save } from '../../settings/Save.tsx';
import { useGroup } from '../useGroupForm.ts';

const nothing = { name: '', link_url: '', image_url: '' };

export function BadgesPart() {
  const { path } = useGroup();
  const { data: shown = [] } = useQuery(badges(path));
  const cache = useQueryClient();
  const again = () => cache.invalidateQueries({ queryKey: badges(path).queryKey });
  const fields = useFields(nothing);
  const sending = useForm(async () => {
    const { name, ...urls } = fields.values;
    await unwrap(
      client.POST('/groups/{id}/badges', { params: { path: { id: path } }, body: { ...urls, name: name || null } }),
    );
    fields.replace(nothing);
    await again();
  });
  const remove = (badge_id: number) =>
    unwrap(client.DELETE('/groups/{id}/badges/{badge_id}', { params: { path: { id: path, badge_id } } }));
  const { reason } = sending;
  return (
    <Stack gap="md">
      <Text c="var(--mr-dim)">
        Shown in all projects of the group. <code>{'%{project_path}'}</code>, <code>{'%{project_id}'}</code>,{' '}
        <code>{'%{default_branch}'}</code>, <code>{'%{commit_sha}'}</code> and <code>{'%{latest_tag}'}</code> are filled
        in.
      </Text>
      {shown.length === 0 ? (
        <EmptyState title="No badges yet">For example, pipeline status or test coverage.</EmptyState>
      ) : (
        <DataList label="Badges">
          {shown.map((badge) => (
            <DataRow
              key={badge.id}
              title={badge.name ?? badge.rendered_link_url}
              meta={<span>{badge.image_url}</span>}
              after={
                <ConfirmButton
                  title="Delete badge"
                  about={`Delete ${badge.name ?? 'the badge'}`}
                  text={`${badge.name ?? badge.rendered_link_url} is no longer shown in the projects of this group.`}
                  action="Delete badge"
                  label="Delete"
                  size="compact-xs"
                  run={() => remove(badge.id)}
                  shown={again}
                />
              }
            />
          ))}
        </DataList>
      )}
      <form {...sending.form}>
        <h3>Add a badge</h3>
        <FormError error={sending.error} />
        <Stack gap="sm">
          <TextField of={fields} name="name" label="Name" reason={reason} />
          <TextField of={fields} name="link_url" label="Link" required reason={reason} />
          <TextField of={fields} name="image_url" label="Badge image URL" required reason={reason} />
          <Save pending={sending.pending} done={sending.done} label="Add badge" />
        </Stack>
      </form>
    </Stack>
  );
}
