/** Where the other repository of a mirror is, and how to sign in there: by name and password, or by a key over SSH. */
import { PasswordInput, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';

export interface Remote {
  readonly url: string;
  readonly username: string;
  readonly password: string;
  readonly ssh: boolean;
  /** The lines that say something. */
  readonly hostKeys: readonly string[];
}

const nothing = { url: '', username: '', password: '', hostKeys: '' };

/** What is entered. `usesSsh` says whether the address that is kept, where none is entered, begins with `ssh://`. */
export function useRemote(usesSsh = false) {
  const [values, setValues] = useState(nothing);
  const url = values.url.trim();
  const remote: Remote = {
    ...values,
    url,
    ssh: url === '' ? usesSsh : url.startsWith('ssh://'),
    hostKeys: values.hostKeys.split('\n').filter((line) => line.trim() !== ''),
  };
  return {
    remote,
    values,
    set: (name: keyof typeof nothing) => (event: { currentTarget: { value: string } }) => {
      const { value } = event.currentTarget;
      setValues((before) => ({ ...before, [name]: value }));
    },
    clear: () => setValues(nothing),
  };
}

interface RemoteFieldsProps {
  of: ReturnType<typeof useRemote>;
  /** Whether an address is known that an empty field keeps. */
  kept: boolean;
  /** What is to be done with the public key of the mirror. */
  keyStep: string;
  passwordHelp?: string;
  reason(field: string): string | undefined;
}

export function RemoteFields({ of, kept, keyStep, passwordHelp, reason }: RemoteFieldsProps) {
  const { values, set, remote } = of;
  return (
    <>
      <TextInput
        label="Repository URL"
        description={kept ? 'Leave empty to keep the current URL' : 'With https:// or ssh://'}
        placeholder="https://git.example.com/team/project.git"
        required={!kept}
        value={values.url}
        onChange={set('url')}
        error={reason('url')}
      />
      {remote.ssh ? (
        <Textarea
          label="SSH host keys"
          description={`One per line, as in known_hosts. Leave empty to trust the key that the server shows first. A key pair for the mirror is created: ${keyStep}`}
          placeholder="git.example.com ssh-ed25519 AAAA..."
          autosize
          minRows={2}
          value={values.hostKeys}
          onChange={set('hostKeys')}
          error={reason('host_keys')}
        />
      ) : (
        <>
          <TextInput label="Username" autoComplete="off" value={values.username} onChange={set('username')} />
          <PasswordInput
            label="Password or token"
            description={passwordHelp}
            autoComplete="new-password"
            value={values.password}
            onChange={set('password')}
          />
        </>
      )}
    </>
  );
}
