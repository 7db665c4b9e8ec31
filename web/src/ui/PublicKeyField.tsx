/** A public SSH key; its comment becomes the title unless there is one. */
import { Textarea } from '@mantine/core';
import type { Fields } from './TextField.tsx';
import classes from './ui.module.css';

/** The comment of a key in one line. */
const commentOf = (key: string) => /^\S+\s+\S+\s+(.+)$/.exec(key.trim())?.[1] ?? '';

/** Under which names the API speaks of the key. */
const names = ['key', 'fingerprint_sha256', 'fingerprint'];

interface Props {
  readonly of: Fields<{ key: string; title: string }>;
  reason(field: string): string | undefined;
}

export function PublicKeyField({ of, reason }: Props) {
  const { key, title } = of.values;
  return (
    <Textarea
      label="Public key"
      description="The contents of the file that ends with .pub, never the private key"
      placeholder="ssh-ed25519 AAAA…"
      name="key"
      required
      autosize
      minRows={3}
      maxRows={8}
      spellCheck={false}
      classNames={{ input: classes.mono ?? '' }}
      value={key}
      onChange={(event) => {
        const given = event.currentTarget.value;
        if (title === '' || title === commentOf(key)) of.set('title', commentOf(given));
        of.set('key', given);
      }}
      error={names.map(reason).find((text) => text !== undefined)}
    />
  );
}
