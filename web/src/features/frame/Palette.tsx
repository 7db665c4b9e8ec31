/** Search and go to: projects and groups by name, or the search for everything else, with the keyboard alone. */
import { Combobox, Modal, ScrollArea, TextInput, useCombobox } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { client, unwrap } from '../../lib/api.ts';
import classes from './Palette.module.css';

interface Target {
  readonly href: string;
  readonly label: string;
  readonly kind: string;
}

const pages: readonly Target[] = [
  { href: '/', label: 'Projects', kind: 'Page' },
  { href: '/dashboard/work', label: 'Your work', kind: 'Page' },
  { href: '/projects/new', label: 'New project', kind: 'Page' },
  { href: '/dashboard/groups', label: 'Groups', kind: 'Page' },
  { href: '/explore/projects/topics', label: 'Topics', kind: 'Page' },
  { href: '/groups/new', label: 'New group', kind: 'Page' },
  { href: '/-/snippets', label: 'Snippets', kind: 'Page' },
  { href: '/search', label: 'Search', kind: 'Page' },
  { href: '/-/user_settings/personal_access_tokens', label: 'Access tokens', kind: 'Page' },
  { href: '/-/user_settings/applications', label: 'Applications', kind: 'Page' },
  { href: '/-/user_settings/ssh_keys', label: 'SSH keys', kind: 'Page' },
  { href: '/-/user_settings/profile', label: 'Settings', kind: 'Page' },
];

async function search(text: string): Promise<Target[]> {
  const query = { search: text, per_page: 8 };
  const [projects, groups] = await Promise.all([
    unwrap(client.GET('/projects', { params: { query: { ...query, simple: true, search_namespaces: true } } })),
    unwrap(client.GET('/groups', { params: { query } })),
  ]);
  const matching = pages.filter((page) => page.label.toLowerCase().includes(text.toLowerCase()));
  return [
    ...projects.map((project) => ({
      href: `/${project.path_with_namespace}`,
      label: project.name_with_namespace,
      kind: 'Project',
    })),
    ...groups.map((group) => ({ href: `/groups/${group.full_path}`, label: group.full_name, kind: 'Group' })),
    ...matching,
    ...(text.trim() === ''
      ? []
      : [{ href: `/search?search=${encodeURIComponent(text)}`, label: `Search for “${text}”`, kind: 'Search' }]),
  ];
}

export function Palette({ opened, close }: { opened: boolean; close: () => void }) {
  const [text, setText] = useState('');
  const [wanted] = useDebouncedValue(text, 120);
  const router = useRouter();
  const combobox = useCombobox({ opened: true });
  const { data = pages } = useQuery({
    queryKey: ['palette', wanted],
    queryFn: () => search(wanted),
    enabled: opened,
    placeholderData: keepPreviousData,
  });
  // The first hit is always the one that Enter opens.
  useEffect(() => {
    if (opened && data.length > 0) combobox.selectFirstOption();
  }, [opened, data, combobox.selectFirstOption]);
  const go = (href: string) => {
    close();
    setText('');
    router.history.push(href);
  };
  return (
    <Modal
      opened={opened}
      onClose={close}
      withCloseButton={false}
      padding={0}
      size="lg"
      yOffset="10vh"
      title="Search or go to"
      styles={{ header: { display: 'none' } }}
    >
      <Combobox store={combobox} onOptionSubmit={go}>
        <Combobox.EventsTarget>
          <TextInput
            data-autofocus
            aria-label="Search projects, groups and pages"
            placeholder="Projects, groups, pages"
            leftSection={<IconSearch size={16} />}
            size="md"
            variant="unstyled"
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
          />
        </Combobox.EventsTarget>
        <ScrollArea.Autosize mah={400} type="scroll" viewportProps={{ tabIndex: 0 }}>
          <Combobox.Options aria-label="Results">
            {data.length === 0 ? (
              <Combobox.Empty>{wanted === '' ? 'No results' : `No results for “${wanted}”`}</Combobox.Empty>
            ) : null}
            {data.map((target) => (
              <Combobox.Option value={target.href} key={target.href}>
                {target.label} <span className={classes.kind}>{target.kind}</span>
              </Combobox.Option>
            ))}
          </Combobox.Options>
        </ScrollArea.Autosize>
      </Combobox>
    </Modal>
  );
}
