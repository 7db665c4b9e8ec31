/** Buttons that format the selection of the editor. One stop of the Tab key; arrows move between them. */
import { ActionIcon } from '@mantine/core';
import {
  IconBold,
  IconCheckbox,
  IconCode,
  IconHeading,
  IconItalic,
  IconLink,
  IconList,
  IconListNumbers,
  IconPaperclip,
  IconQuote,
  IconStrikethrough,
} from '@tabler/icons-react';
import { type KeyboardEvent, type ReactNode, useRef, useState } from 'react';
import classes from './editor.module.css';
import type { Format } from './formatting.ts';

const formats: readonly { readonly format: Format; readonly label: string; readonly icon: typeof IconBold }[] = [
  { format: 'bold', label: 'Bold (Ctrl B)', icon: IconBold },
  { format: 'italic', label: 'Italic (Ctrl I)', icon: IconItalic },
  { format: 'strike', label: 'Strikethrough', icon: IconStrikethrough },
  { format: 'heading', label: 'Heading', icon: IconHeading },
  { format: 'quote', label: 'Quote', icon: IconQuote },
  { format: 'code', label: 'Code', icon: IconCode },
  { format: 'link', label: 'Link (Ctrl K)', icon: IconLink },
  { format: 'list', label: 'Bulleted list', icon: IconList },
  { format: 'numbers', label: 'Numbered list', icon: IconListNumbers },
  { format: 'tasks', label: 'Task list', icon: IconCheckbox },
];

interface Props {
  apply(format: Format): void;
  attach(files: readonly File[]): void;
}

export function Toolbar({ apply, attach }: Props) {
  const bar = useRef<HTMLDivElement>(null);
  const chooser = useRef<HTMLInputElement>(null);
  const [stop, setStop] = useState(0);
  const move = (event: KeyboardEvent) => {
    const last = formats.length;
    const to = {
      ArrowRight: stop === last ? 0 : stop + 1,
      ArrowLeft: stop === 0 ? last : stop - 1,
      Home: 0,
      End: last,
    }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    setStop(to);
    bar.current?.querySelectorAll('button')[to]?.focus();
  };
  const button = (at: number, label: string, icon: ReactNode, act: () => void) => (
    <ActionIcon
      key={label}
      variant="subtle"
      color="gray"
      size={26}
      aria-label={label}
      title={label}
      tabIndex={stop === at ? 0 : -1}
      onFocus={() => setStop(at)}
      onClick={act}
    >
      {icon}
    </ActionIcon>
  );
  return (
    <div ref={bar} role="toolbar" aria-label="Formatting" className={classes.toolbar} onKeyDown={move}>
      {formats.map(({ format, label, icon: Icon }, at) =>
        button(at, label, <Icon size={16} aria-hidden />, () => apply(format)),
      )}
      {button(formats.length, 'Attach a file', <IconPaperclip size={16} aria-hidden />, () => chooser.current?.click())}
      <input
        ref={chooser}
        type="file"
        multiple
        hidden
        aria-label="Files to attach"
        onChange={(event) => {
          attach([...(event.currentTarget.files ?? [])]);
          event.currentTarget.value = '';
        }}
      />
    </div>
  );
}
