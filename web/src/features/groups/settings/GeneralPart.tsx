/** Name, address, description, visibility and picture of a group. */
import { Stack } from '@mantine/core';
import { useState } from 'react';
import { client, unwrap } from '../../../lib/api.ts';
import { DescriptionField } from '../../../ui/DescriptionField.tsx';
import { FormError } from '../../../ui/FormError.tsx';
import { changedAddress, NameFields } from '../../../ui/NameFields.tsx';
import { PictureField } from '../../../ui/PictureField.tsx';
import { VisibilityField } from '../../projects/VisibilityField.tsx';
import { Save } from '../../settings/Save.tsx';
import { useGroup, useGroupForm } from '../useGroupForm.ts';

function Picture() {
  const { group, path, again } = useGroup();
  const params = { path: { id: path } };
  return (
    <PictureField
      src={group.avatar_url}
      name={group.name}
      alt="Group avatar"
      save={async (form) => {
        await unwrap(client.PUT('/groups/{id}', { params, body: { avatar: null }, bodySerializer: () => form }));
        await again();
      }}
    />
  );
}

export function GeneralPart() {
  const { group } = useGroup();
  const [name, setName] = useState(group.name);
  const [path, setPath] = useState(group.path);
  const [description, setDescription] = useState(group.description);
  const [visibility, setVisibility] = useState(group.visibility);
  const sending = useGroupForm(() => ({ name, path, description, visibility }));
  return (
    <>
      <Picture />
      <form {...sending.form}>
        <FormError error={sending.error} />
        <Stack gap="md">
          <NameFields
            {...{ name, changeName: setName, address: path, changeAddress: setPath }}
            about={changedAddress}
            addressRequired
            reason={sending.reason}
          />
          <DescriptionField value={description} change={setDescription} reason={sending.reason} />
          <VisibilityField value={visibility} change={setVisibility} reason={sending.reason} />
          <Save pending={sending.pending} done={sending.done} />
        </Stack>
      </form>
    </>
  );
}
