/** A button of something that asks before it is done, with its dialog. */
import { ActionIcon, Button, type ButtonProps } from '@mantine/core';
import type { ReactNode } from 'react';
import { ConfirmDialog } from './ConfirmDialog.tsx';
import { useConfirmed } from './confirmed.ts';

interface ConfirmButtonProps {
  /** Of the dialog. */
  readonly title: string;
  /** The button's name where its words alone do not say what it is about. */
  readonly about?: string;
  /** What will happen. */
  readonly text: string;
  /** On the button of the dialog. */
  readonly action: string;
  /** On the button itself, unless it is an icon. */
  readonly label?: string;
  readonly icon?: ReactNode;
  readonly size?: ButtonProps['size'];
  readonly disabled?: boolean;
  run(): Promise<unknown>;
  /** Brings what is there afterwards; the dialog stays until then. */
  shown?: (() => Promise<unknown>) | undefined;
}

export function ConfirmButton(props: ConfirmButtonProps) {
  const { title, about, text, action, label = action, icon, size = 'xs', disabled = false, run, shown } = props;
  const { ask, dialog } = useConfirmed((_asked: true) => run(), shown);
  return (
    <>
      {icon ? (
        <ActionIcon
          variant="subtle"
          color="gray"
          size={30}
          aria-label={about ?? title}
          disabled={disabled}
          onClick={() => ask(true)}
        >
          {icon}
        </ActionIcon>
      ) : (
        <Button
          size={size}
          variant="default"
          {...(about === undefined ? {} : { 'aria-label': about })}
          disabled={disabled}
          onClick={() => ask(true)}
        >
          {label}
        </Button>
      )}
      <ConfirmDialog {...dialog} title={title} text={text} action={action} />
    </>
  );
}
