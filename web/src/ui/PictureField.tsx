/** The picture of a person, project, group or topic: choosing one, removing it. */
import { Avatar, Button, FileButton, Group, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { ConfirmButton } from './ConfirmButton.tsx';
import { FormError } from './FormError.tsx';

interface Props {
  readonly src: string | null | undefined;
  /** Whose it is: their letters stand in for a picture. */
  readonly name: string;
  /** What it shows, in words. */
  readonly alt: string;
  /** Round for people. */
  readonly round?: boolean;
  /** Sends the form with `avatar`; empty to remove it. */
  save(form: FormData): Promise<unknown>;
}

export function PictureField({ src, name, alt, round = false, save }: Props) {
  const sending = useMutation({
    mutationFn: (file: File | null) => {
      const form = new FormData();
      form.append('avatar', file ?? '');
      return save(form);
    },
  });
  return (
    <section aria-label="Avatar">
      <FormError error={sending.error} />
      <Group gap="md" mb="md">
        <Avatar
          src={src ?? null}
          name={name}
          size={64}
          {...(round ? {} : { radius: 'sm' })}
          color="race"
          variant="filled"
          alt={alt}
        />
        <div>
          <Group gap="xs">
            <FileButton
              accept="image/png,image/jpeg,image/gif,image/webp,image/bmp,image/x-icon"
              onChange={(file) => file && sending.mutate(file)}
            >
              {(props) => (
                <Button {...props} variant="default" size="xs" loading={sending.isPending}>
                  Choose an avatar
                </Button>
              )}
            </FileButton>
            {src ? (
              <ConfirmButton
                title="Remove avatar"
                text="The uploaded avatar will be deleted."
                action="Remove avatar"
                disabled={sending.isPending}
                run={() => sending.mutateAsync(null)}
              />
            ) : null}
          </Group>
          <Text size="xs" c="var(--mr-dim)" mt={6}>
            PNG, JPEG, GIF, WebP, BMP or ICO, up to 200 KiB
          </Text>
        </div>
      </Group>
    </section>
  );
}
