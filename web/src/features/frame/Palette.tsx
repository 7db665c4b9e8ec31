/** Search and go to: whatever has a name or a number, with the keyboard alone. */
import { Combobox, Modal, ScrollArea, TextInput, useCombobox } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useLocation, useRouter } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useTypedAhead } from '../../ui/useTypedAhead.ts';
import classes from './Palette.module.css';
import { findTargets, projectOf, rememberPlace, type TargetGroup } from './targets.ts';

const nothing: readonly TargetGroup[] = [];

/** Stands beside the field, and is there from when it is. */
function TypedAhead({ type }: { type: (text: string) => void }) {
  useTypedAhead(type);
  return null;
}

export function Palette({ opened, close }: { opened: boolean; close: () => void }) {
  const [text, setText] = useState('');
  const [wanted] = useDebouncedValue(text, 120);
  const router = useRouter();
  const project = useLocation({ select: ({ pathname }) => projectOf(pathname) });
  const combobox = useCombobox({ opened: true });
  const { data: groups = nothing } = useQuery({
    queryKey: ['palette', project, wanted],
    queryFn: () => findTargets(wanted, project),
    enabled: opened,
    placeholderData: keepPreviousData,
    staleTime: 0,
  });
  const shown = groups.filter(({ targets }) => targets.length > 0);
  // The first hit is always the one that Enter opens.
  useEffect(() => {
    if (opened && groups.length > 0) combobox.selectFirstOption();
  }, [opened, groups, combobox.selectFirstOption]);
  const go = (href: string) => {
    const target = groups.flatMap(({ targets }) => targets).find((each) => each.href === href);
    if (target && !href.startsWith('/search')) rememberPlace(target);
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
            // The dialog gives it the focus a moment later: whoever types at once would lose the first letters.
            autoFocus
            aria-label="Search projects, groups and pages"
            placeholder="Projects, users, issues, merge requests, files, code, pages"
            leftSection={<IconSearch size={16} />}
            size="md"
            variant="unstyled"
            value={text}
            // What was looked for last is there again, and the next words replace it.
            onFocus={(event) => event.currentTarget.select()}
            onChange={(event) => setText(event.currentTarget.value)}
            // The list takes Escape for itself, as one that could be closed alone.
            onKeyDown={(event) => {
              if (event.key === 'Escape') close();
            }}
          />
        </Combobox.EventsTarget>
        {/* Also when it is opened again while it still goes. */}
        <TypedAhead key={String(opened)} type={setText} />
        <ScrollArea.Autosize mah={400} type="scroll" viewportProps={{ tabIndex: 0 }}>
          <Combobox.Options aria-label="Results">
            {shown.length === 0 ? <Combobox.Empty>No results</Combobox.Empty> : null}
            {shown.map(({ title, targets }) => (
              <Combobox.Group label={title} key={title}>
                {targets.map((target) => (
                  <Combobox.Option value={target.href} key={target.href}>
                    {target.label} {target.hint ? <span className={classes.kind}>{target.hint}</span> : null}
                  </Combobox.Option>
                ))}
              </Combobox.Group>
            ))}
          </Combobox.Options>
        </ScrollArea.Autosize>
      </Combobox>
    </Modal>
  );
}
