/** Links an issue to another one, which is found by its title, its reference or its address. */
import { Button, Group } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { issuesToLink, type LinkType, linkIssue } from '../../lib/issue-relations.ts';
import { Select } from '../../ui/Choices.tsx';
import { FormError } from '../../ui/FormError.tsx';
import { useForm } from '../../ui/forms.ts';
import { useProject } from '../projects/useProject.ts';

interface Props {
  readonly iid: number;
  linked(): Promise<unknown>;
  cancel(): void;
}

const settleMilliseconds = 250;
const types = [
  { value: 'relates_to', label: 'Relates to' },
  { value: 'blocks', label: 'Blocks' },
  { value: 'is_blocked_by', label: 'Is blocked by' },
];

export default function LinkIssueForm({ iid, linked, cancel }: Props) {
  const { path } = useProject();
  const [type, setType] = useState<LinkType>('relates_to');
  const [typed, setTyped] = useState('');
  const [text] = useDebouncedValue(typed, settleMilliseconds);
  const [chosen, setChosen] = useState<string | null>(null);
  const { data = [], isFetching } = useQuery({ ...issuesToLink(path, iid, text), enabled: chosen === null });
  const form = useForm(async () => {
    await linkIssue(path, iid, chosen ?? '', type);
    await linked();
  });
  // The button that was pressed has gone: the keyboard goes on in the first field.
  const fields = useRef<HTMLFormElement>(null);
  useEffect(() => {
    fields.current?.querySelector<HTMLElement>('input')?.focus();
  }, []);
  return (
    <form {...form.form} ref={fields} aria-label="Link an issue">
      <FormError error={form.error} />
      <Group gap="sm" align="flex-end">
        <Select
          size="xs"
          w={140}
          label="Type"
          data={types}
          allowDeselect={false}
          value={type}
          onChange={(value) => setType((value ?? 'relates_to') as LinkType)}
        />
        <Select
          size="xs"
          w={320}
          maw="100%"
          label="Issue"
          placeholder="Title, #1, group/project#1 or URL"
          data={data}
          // The server has searched.
          filter={({ options }) => options}
          searchable
          clearable
          searchValue={typed}
          onSearchChange={setTyped}
          value={chosen}
          onChange={setChosen}
          nothingFoundMessage={isFetching ? 'Loading…' : 'No issues found'}
        />
        <Button size="xs" type="submit" loading={form.pending} disabled={chosen === null}>
          Add
        </Button>
        <Button size="xs" variant="default" onClick={cancel}>
          Cancel
        </Button>
      </Group>
    </form>
  );
}
