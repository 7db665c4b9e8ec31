/** A picture, of a person, project, group or topic, or of the instance: choosing one, removing it. */
import { Avatar, Button, FileButton, Group, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { ConfirmButton } from './ConfirmButton.tsx';
import { FormError } from './FormError.tsx';
import classes from './ui.module.css';

/** What the picture is for. */
export interface PictureKind {
  /** As the API has it. */
  readonly field: string;
  readonly label: string;
  /** In a sentence: `avatar`. */
  readonly noun: string;
  readonly accept: string;
  readonly hint: string;
  /** Shown as it is, without the corners cut. */
  readonly whole?: boolean;
}

const avatar: PictureKind = {
  field: 'avatar',
  label: 'Avatar',
  noun: 'avatar',
  accept: 'image/png,image/jpeg,image/gif,image/webp,image/bmp,image/x-icon',
  hint: 'PNG, JPEG, GIF, WebP, BMP or ICO, up to 200 KiB',
};

interface Props {
  readonly kind?: PictureKind;
  readonly src: string | null | undefined;
  /** Whose it is: their letters stand in for a picture. */
  readonly name: string;
  /** What it shows, in words. */
  readonly alt: string;
  /** Round for people. */
  readonly round?: boolean;
  /** Sends the form with the field; empty to remove it. */
  save(form: FormData): Promise<unknown>;
}

export function PictureField({ kind = avatar, src, name, alt, round = false, save }: Props) {
  const sending = useMutation({
    mutationFn: (file: File | null) => {
      const form = new FormData();
      form.append(kind.field, file ?? '');
      return save(form);
    },
  });
  return (
    <section aria-label={kind.label}>
      <FormError error={sending.error} />
      <Group gap="md" mb="md">
        {kind.whole ? (
          <div className={classes.picture}>{src ? <img src={src} alt={alt} /> : 'None'}</div>
        ) : (
          <Avatar
            src={src ?? null}
            name={name}
            size={64}
            {...(round ? {} : { radius: 'sm' })}
            color="race"
            variant="filled"
            alt={alt}
          />
        )}
        <div>
          <Group gap="xs">
            <FileButton accept={kind.accept} onChange={(file) => file && sending.mutate(file)}>
              {(props) => (
                <Button {...props} variant="default" size="xs" loading={sending.isPending}>
                  Choose {/^[aeiou]/.test(kind.noun) ? 'an' : 'a'} {kind.noun}
                </Button>
              )}
            </FileButton>
            {src ? (
              <ConfirmButton
                title={`Remove ${kind.noun}`}
                text={`The uploaded ${kind.noun} will be deleted.`}
                action={`Remove ${kind.noun}`}
                disabled={sending.isPending}
                run={() => sending.mutateAsync(null)}
              />
            ) : null}
          </Group>
          <Text size="xs" c="var(--mr-dim)" mt={6}>
            {kind.hint}
          </Text>
        </div>
      </Group>
    </section>
  );
}
