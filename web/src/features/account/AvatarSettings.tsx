/** One's own picture: choosing one, removing it. */
import { Avatar, Button, FileButton, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { client, unwrap } from '../../lib/api.ts';
import { FormError } from '../../ui/FormError.tsx';
import classes from './account.module.css';
import { useOwnAccount } from './useOwnAccount.ts';

export function AvatarSettings() {
  const { account, again } = useOwnAccount();
  const save = useMutation({
    mutationFn: (file: File | null) => {
      const form = new FormData();
      form.append('avatar', file ?? '');
      return unwrap(client.PUT('/user/avatar', { body: { avatar: null }, bodySerializer: () => form }));
    },
    onSuccess: again,
  });
  return (
    <section aria-label="Picture">
      <FormError error={save.error} />
      <div className={classes.picture}>
        <Avatar
          src={account.avatar_url}
          name={account.name}
          size={72}
          color="race"
          variant="filled"
          alt="Your picture"
        />
        <div>
          <div className={classes.picture}>
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
            {account.avatar_url ? (
              <Button variant="default" size="xs" disabled={save.isPending} onClick={() => save.mutate(null)}>
                Remove
              </Button>
            ) : null}
          </div>
          <Text size="xs" c="var(--mr-dim)" mt={6}>
            PNG, JPEG, GIF, WebP, BMP or ICO of at most 200 KiB
          </Text>
        </div>
      </div>
    </section>
  );
}
