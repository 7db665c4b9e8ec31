/** Variables as rows of key and value that can be added and removed. */
import { ActionIcon, Button, TextInput } from '@mantine/core';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import classes from './pipelines.module.css';

export interface VariableRow {
  /** Tells rows apart while their keys are typed. */
  readonly at: number;
  readonly key: string;
  readonly value: string;
}

/** Rows with a key, without what only this form needs. */
export const filled = (rows: readonly VariableRow[]) =>
  rows.filter((row) => row.key !== '').map(({ key, value }) => ({ key, value }));

interface Props {
  readonly rows: readonly VariableRow[];
  change(rows: readonly VariableRow[]): void;
}

export function VariableRows({ rows, change }: Props) {
  const edit = (at: number, part: Partial<VariableRow>) =>
    change(rows.map((row) => (row.at === at ? { ...row, ...part } : row)));
  return (
    <>
      {rows.map((row) => (
        <div key={row.at} className={classes.variables}>
          <TextInput
            aria-label="Name of the variable"
            placeholder="NAME"
            value={row.key}
            onChange={(event) => edit(row.at, { key: event.currentTarget.value })}
          />
          <TextInput
            aria-label="Value of the variable"
            placeholder="value"
            value={row.value}
            onChange={(event) => edit(row.at, { value: event.currentTarget.value })}
          />
          <ActionIcon
            variant="subtle"
            color="gray"
            size={36}
            aria-label={`Remove ${row.key || 'the variable'}`}
            onClick={() => change(rows.filter((each) => each !== row))}
          >
            <IconTrash size={16} />
          </ActionIcon>
        </div>
      ))}
      <div>
        <Button
          size="xs"
          variant="default"
          leftSection={<IconPlus size={14} />}
          onClick={() => change([...rows, { at: (rows.at(-1)?.at ?? 0) + 1, key: '', value: '' }])}
        >
          Add variable
        </Button>
      </div>
    </>
  );
}
