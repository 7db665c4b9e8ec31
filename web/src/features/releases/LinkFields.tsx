/** Links of a release to files, a row for each. */
import { ActionIcon, Button, NativeSelect, TextInput } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { type LinkDraft, linkTypes } from '../../lib/releases.ts';
import classes from './releases.module.css';

interface LinkFieldsProps {
  links: readonly LinkDraft[];
  change: (links: readonly LinkDraft[]) => void;
}

export function LinkFields({ links, change }: LinkFieldsProps) {
  const set = (at: number, values: Partial<LinkDraft>) =>
    change(links.map((link, index) => (index === at ? { ...link, ...values } : link)));
  return (
    <fieldset style={{ border: 0, margin: 0, padding: 0 }}>
      <legend>Asset links</legend>
      {links.map((link, at) => {
        const number = at + 1;
        return (
          <div key={link.id ?? `new ${number}`} className={classes.link}>
            <TextInput
              label={`Name of link ${number}`}
              required
              value={link.name}
              onChange={(event) => set(at, { name: event.currentTarget.value })}
            />
            <TextInput
              label={`URL of link ${number}`}
              type="url"
              required
              value={link.url}
              onChange={(event) => set(at, { url: event.currentTarget.value })}
            />
            <NativeSelect
              label={`Type of link ${number}`}
              data={[...linkTypes]}
              value={link.link_type}
              onChange={(event) => {
                const chosen = linkTypes.find((type) => type === event.currentTarget.value);
                if (chosen) set(at, { link_type: chosen });
              }}
            />
            <ActionIcon
              variant="subtle"
              color="gray"
              size={30}
              aria-label={`Remove link ${number}`}
              onClick={() => change(links.filter((_, index) => index !== at))}
            >
              <IconTrash size={16} />
            </ActionIcon>
          </div>
        );
      })}
      <Button size="xs" variant="default" onClick={() => change([...links, { name: '', url: '', link_type: 'other' }])}>
        Add a link
      </Button>
    </fieldset>
  );
}
