/** Name, address, description, visibility and picture of a group. */
import { Avatar, Button, FileButton, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { client, unwrap } from '../../../lib/api.ts';
import { FormError } from '../../../ui/FormError.tsx';
import { VisibilityField } from '../../projects/VisibilityField.tsx';
import { Save } from '../../settings/Save.tsx';
import classes from '../groups.module.css';
import { useGroup, useGroupForm } from '../useGroupForm.ts';

function Picture() {
  const { group, path, again } = useGroup();
  const save = useMutation({
    mutationFn: (file: File | null) => {
      const form = new FormData();
      form.append('avatar', file ?? '');
      const params = { path: { id: path } };
      return unwrap(client.PUT('/groups/{id}', { params, body: { avatar: null }, bodySerializer: () => form }));
    },
    onSuccess: again,
  });
  return (
    <section aria-label="Picture">
      <FormError error={save.error} />
      <div className={classes.picture}>
        <Avatar
          src={group.avatar_url}
          name={group.name}
          size={64}
          radius="sm"
          color="race"
          variant="filled"
          alt="Picture of the group"
        />
        <FileButton
          accept="image/png,image/jpeg,image/gif,image/webp,image/bmp,image/x-icon"
          onChange={(file) => file && save.mutate(file)}
        >
          {(props) => (
            <Button {...props} variant="default" size="xs" loading={save.isPending}>
              Choose a picture
            </Button>
          )}
        </FileButton>
        {group.avatar_url ? (
          <Button variant="default" size="xs" disabled={save.isPending} onClick={() => save.mutate(null)}>
            Remove the picture
          </Button>
        ) : null}
      </div>
      <Text size="xs" c="var(--mr-dim)" mt={6} mb="md">
        PNG, JPEG, GIF, WebP, BMP or ICO of at most 200 KiB
      </Text>
    </section>
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
          <TextInput
            label="Name"
            name="name"
            required
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            error={sending.reason('name')}
          />
          <TextInput
            label="Address"
            name="path"
            description="Its part of the URL. The old address keeps working until something else takes it."
            required
            value={path}
            onChange={(event) => setPath(event.currentTarget.value)}
            error={sending.reason('path')}
          />
          <Textarea
            label="Description"
            name="description"
            autosize
            minRows={2}
            value={description}
            onChange={(event) => setDescription(event.currentTarget.value)}
            error={sending.reason('description')}
          />
          <VisibilityField
            value={visibility}
            change={setVisibility}
            error={sending.reason('visibility_level') ?? sending.reason('visibility')}
          />
          <Save pending={sending.pending} done={sending.done} />
        </Stack>
      </form>
    </>
  );
}
