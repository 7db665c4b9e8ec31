/** Names with values that are written and never shown: headers of a webhook, masked parts of its URL. */
import { ActionIcon, Button, PasswordInput, TextInput } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import type { HookPair } from '../../lib/hooks.ts';
import classes from './hooks.module.css';

interface HookPairsProps {
  readonly legend: string;
  readonly help: string;
  /** What one of them is called: `header`. */
  readonly noun: string;
  readonly pairs: readonly HookPair[];
  change(pairs: readonly HookPair[]): void;
}

/** As many as the API takes. */
const most = 20;

export function HookPairs({ legend, help, noun, pairs, change }: HookPairsProps) {
  const set = (at: number, values: Partial<HookPair>) =>
    change(pairs.map((pair, index) => (index === at ? { ...pair, ...values } : pair)));
  return (
    <fieldset className={classes.pairs}>
      <legend>{legend}</legend>
      <p className={classes.help}>{help}</p>
      {pairs.map((pair, at) => {
        const name = `${noun} ${at + 1}`;
        return (
          <div key={at} className={classes.pair}>
            <TextInput
              label={`Name of ${name}`}
              required
              maxLength={255}
              autoComplete="off"
              disabled={pair.kept}
              value={pair.key}
              onChange={(event) => set(at, { key: event.currentTarget.value })}
            />
            <PasswordInput
              label={`Value of ${name}`}
              required={!pair.kept}
              placeholder={pair.kept ? 'As it is' : ''}
              maxLength={2048}
              autoComplete="new-password"
              value={pair.value}
              onChange={(event) => set(at, { value: event.currentTarget.value })}
            />
            <ActionIcon
              variant="subtle"
              color="gray"
              size={36}
              aria-label={`Remove ${name}`}
              onClick={() => change(pairs.filter((_, index) => index !== at))}
            >
              <IconTrash size={16} />
            </ActionIcon>
          </div>
        );
      })}
      {pairs.length < most ? (
        <Button
          size="xs"
          variant="default"
          onClick={() => change([...pairs, { key: '', value: '', kept: false }])}
        >{`Add a ${noun}`}</Button>
      ) : null}
    </fieldset>
  );
}
