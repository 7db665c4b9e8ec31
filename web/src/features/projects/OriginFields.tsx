/** Where a repository is that becomes a project here, and what opens it. */
import { Group, PasswordInput, TextInput } from '@mantine/core';

export interface Origin {
  readonly address: string;
  readonly username: string;
  readonly password: string;
}

/** The address with name and password in it, as the API takes it. */
export function addressOf({ address, username, password }: Origin): string {
  const url = URL.parse(address.trim());
  if (!url) return address.trim();
  if (username) url.username = encodeURIComponent(username);
  if (password) url.password = encodeURIComponent(password);
  return url.href;
}

interface Props {
  readonly origin: Origin;
  change(origin: Origin): void;
  reason(field: string): string | undefined;
}

export function OriginFields({ origin, change, reason }: Props) {
  return (
    <>
      <TextInput
        label="Repository address"
        description="The HTTPS clone URL. Branches, tags and large files (Git LFS) are imported; merge requests and issues are not."
        placeholder="https://example.com/group/project.git"
        type="url"
        required
        value={origin.address}
        onChange={(event) => change({ ...origin, address: event.currentTarget.value })}
        error={reason('import_url')}
      />
      <Group grow align="start">
        <TextInput
          label="Source username"
          description="Leave empty for public repositories"
          autoComplete="off"
          value={origin.username}
          onChange={(event) => change({ ...origin, username: event.currentTarget.value })}
        />
        <PasswordInput
          label="Source password or token"
          description="Not stored after the import"
          autoComplete="new-password"
          value={origin.password}
          onChange={(event) => change({ ...origin, password: event.currentTarget.value })}
        />
      </Group>
    </>
  );
}
