/** What can be done with the members that are selected, all at once. */
import { Button, Group, NativeSelect, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { inDays } from '../../lib/time.ts';
import { levelsOf } from './levels.ts';
import classes from './members.module.css';

interface Props {
  readonly count: number;
  readonly topLevel: boolean;
  readonly pending: boolean;
  setLevel(level: number): void;
  /** Null for none. */
  setEnd(day: string | null): void;
  remove(): void;
  clear(): void;
}

export function BulkBar({ count, topLevel, pending, setLevel, setEnd, remove, clear }: Props) {
  const [day, setDay] = useState('');
  return (
    <section className={classes.bulk} aria-label="Selected members">
      <Text fw={500}>{count === 1 ? '1 selected' : `${count} selected`}</Text>
      <Group gap="xs">
        <NativeSelect
          size="xs"
          aria-label="Role of the selected members"
          data={[{ value: '', label: 'Change role' }, ...levelsOf(topLevel)]}
          value=""
          disabled={pending}
          onChange={(event) => setLevel(Number(event.currentTarget.value))}
        />
        <TextInput
          size="xs"
          type="date"
          aria-label="Expiration date of the selected members"
          min={inDays(1)}
          value={day}
          onChange={(event) => setDay(event.currentTarget.value)}
        />
        <Button size="xs" variant="default" loading={pending} onClick={() => setEnd(day || null)}>
          {day ? 'Set expiration date' : 'Remove expiration date'}
        </Button>
        <Button size="xs" variant="default" disabled={pending} onClick={remove}>
          Remove
        </Button>
        <Button size="xs" variant="subtle" onClick={clear}>
          Clear
        </Button>
      </Group>
    </section>
  );
}
