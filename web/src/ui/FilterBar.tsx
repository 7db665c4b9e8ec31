/** The filter of a list: what is typed goes into the address after a short pause. */
import { TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import classes from './ui.module.css';

interface FilterBarProps {
  label: string;
  value: string;
  change: (text: string) => void;
  children?: ReactNode;
}

export function FilterBar({ label, value, change, children }: FilterBarProps) {
  const [text, setText] = useState(value);
  const later = useDebouncedCallback(change, 250);
  return (
    <form
      className={classes.filter}
      onSubmit={(event) => {
        event.preventDefault();
        change(text);
      }}
    >
      <TextInput
        className={classes.grow}
        aria-label={label}
        placeholder={label}
        leftSection={<IconSearch size={16} aria-hidden />}
        data-filter
        value={text}
        onChange={(event) => {
          setText(event.currentTarget.value);
          later(event.currentTarget.value);
        }}
      />
      {children}
    </form>
  );
}
