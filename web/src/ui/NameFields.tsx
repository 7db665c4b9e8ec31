/** What something is called, and the last part of its URL. */
import { TextInput } from '@mantine/core';
import type { ReactNode } from 'react';

interface Props {
  readonly name: string;
  changeName(text: string): void;
  readonly address: string;
  changeAddress(text: string): void;
  /** What the address is, or what a change of it does. */
  readonly about: string;
  /** Whether an address must be entered; otherwise it follows the name. */
  readonly addressRequired?: boolean;
  readonly autoFocus?: boolean;
  /** Fields between the two. */
  readonly children?: ReactNode;
  reason(field: string): string | undefined;
}

export function NameFields(props: Props) {
  const { name, address, reason } = props;
  return (
    <>
      <TextInput
        label="Name"
        name="name"
        required
        autoFocus={props.autoFocus ?? false}
        value={name}
        onChange={(event) => props.changeName(event.currentTarget.value)}
        error={reason('name')}
      />
      {props.children}
      <TextInput
        label="URL path"
        name="path"
        description={props.about}
        required={props.addressRequired ?? false}
        value={address}
        onChange={(event) => props.changeAddress(event.currentTarget.value)}
        error={reason('path')}
      />
    </>
  );
}

/** What it means to change an address that is in use. */
export const changedAddress = 'Used in the URL. The old URL redirects until something else takes it.';
