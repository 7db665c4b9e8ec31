/** The list that RefPicker opens. */
import { Combobox, ScrollArea, useCombobox } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { cloneElement, useState } from 'react';
import { of as partsOf } from '../../lib/data.ts';
import { type MenuButton, useOpensAtOnce } from '../../ui/onDemand.tsx';
import { useProject } from '../projects/useProject.ts';
import type { RefPickerProps } from './RefPicker.tsx';

interface Props extends RefPickerProps {
  readonly target: MenuButton;
}

export default function RefList({ value, choose, label, only, of, target }: Props) {
  const view = useProject();
  const parts = of === undefined ? view.parts : partsOf(of);
  const find = only ? 'Find a branch' : 'Find a branch or tag';
  const [text, setText] = useState('');
  const [wanted] = useDebouncedValue(text, 150);
  const combobox = useCombobox({
    onDropdownOpen: () => combobox.focusSearchInput(),
    onDropdownClose: () => {
      setText('');
      combobox.focusTarget();
    },
  });
  const button = useOpensAtOnce(target, () => combobox.openDropdown());
  const enabled = combobox.dropdownOpened;
  const branches = useQuery({ ...parts.branches(wanted || undefined), enabled, placeholderData: keepPreviousData });
  const tags = useQuery({
    ...parts.tags(wanted || undefined),
    enabled: enabled && only === undefined,
    placeholderData: keepPreviousData,
  });
  const shownTags = tags.data ?? [];
  return (
    <Combobox
      store={combobox}
      width={280}
      position="bottom-start"
      onOptionSubmit={(ref) => {
        combobox.closeDropdown();
        choose(ref);
      }}
    >
      <Combobox.Target withAriaAttributes={false}>
        {cloneElement(button, { onClick: () => combobox.toggleDropdown() })}
      </Combobox.Target>
      <Combobox.Dropdown>
        <Combobox.Search
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          placeholder={find}
          aria-label={find}
        />
        <ScrollArea.Autosize mah={280} type="scroll">
          <Combobox.Options aria-label={label}>
            <Combobox.Group label="Branches">
              {(branches.data ?? []).map((branch) => (
                <Combobox.Option value={branch.name} key={branch.name} active={branch.name === value}>
                  {branch.name}
                </Combobox.Option>
              ))}
            </Combobox.Group>
            {shownTags.length > 0 ? (
              <Combobox.Group label="Tags">
                {shownTags.map((tag) => (
                  <Combobox.Option value={tag.name} key={`tag-${tag.name}`} active={tag.name === value}>
                    {tag.name}
                  </Combobox.Option>
                ))}
              </Combobox.Group>
            ) : null}
          </Combobox.Options>
        </ScrollArea.Autosize>
      </Combobox.Dropdown>
    </Combobox>
  );
}
