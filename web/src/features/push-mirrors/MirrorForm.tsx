/** A new push mirror, or what of one may be changed. */
import { Button, Checkbox, PasswordInput, Stack, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { client, unwrap } from '../../lib/api.ts';
import type { PushMirror } from '../../lib/push-mirrors.ts';
import { FormError } from '../../ui/FormError.tsx';
import { useForm } from '../../ui/forms.ts';
import { BranchRule, ruleOf } from './BranchRule.tsx';

/** The address with name and password in it, as the API takes it. */
function withProof(address: string, username: string, password: string): string {
  const url = URL.parse(address.trim());
  if (!url) return address;
  if (username) url.username = encodeURIComponent(username);
  if (password) url.password = encodeURIComponent(password);
  return url.href;
}

export function MirrorForm({ path, mirror, saved }: { path: string; mirror: PushMirror | null; saved(): unknown }) {
  const [url, setUrl] = useState('');
  const [username, setUsername] = useState('');
  const [password, setPassword] = useState('');
  const [hostKeys, setHostKeys] = useState('');
  const ssh = url.trim().startsWith('ssh://');
  const [rule, setRule] = useState(ruleOf(mirror?.only_protected_branches, mirror?.mirror_branch_regex));
  const [keep, setKeep] = useState(mirror?.keep_divergent_refs ?? false);
  const sending = useForm(async () => {
    const values = {
      only_protected_branches: rule.branches === 'protected',
      mirror_branch_regex: rule.branches === 'matching' ? rule.pattern : null,
      keep_divergent_refs: keep,
    };
    if (mirror)
      await unwrap(
        client.PUT('/projects/{id}/remote_mirrors/{mirror_id}', {
          params: { path: { id: path, mirror_id: mirror.id } },
          body: values,
        }),
      );
    else
      await unwrap(
        client.POST('/projects/{id}/remote_mirrors', {
          params: { path: { id: path } },
          body: ssh
            ? // Switched on when the server has the key.
              { ...values, url: url.trim(), host_keys: hostKeys.split('\n').filter((line) => line.trim() !== '') }
            : { ...values, url: withProof(url, username, password), enabled: true },
        }),
      );
    for (const clear of [setUrl, setUsername, setPassword, setHostKeys]) clear('');
    await saved();
  });
  return (
    <form {...sending.form} aria-label={mirror ? 'Edit push mirror' : 'Add a push mirror'}>
      <FormError error={sending.error} />
      <Stack gap="sm" maw={520}>
        {mirror ? null : (
          <>
            <TextInput
              label="Repository URL"
              description="With https:// or ssh://"
              placeholder="https://git.example.com/team/project.git"
              required
              value={url}
              onChange={(event) => setUrl(event.currentTarget.value)}
              error={sending.reason('url')}
            />
            {ssh ? (
              <Textarea
                label="SSH host keys"
                description="One per line, as in known_hosts. Leave empty to trust the key that the server shows first. A key pair for the mirror is created: copy its public key to the server afterwards."
                placeholder="git.example.com ssh-ed25519 AAAA..."
                autosize
                minRows={2}
                value={hostKeys}
                onChange={(event) => setHostKeys(event.currentTarget.value)}
                error={sending.reason('host_keys')}
              />
            ) : (
              <>
                <TextInput
                  label="Username"
                  autoComplete="off"
                  value={username}
                  onChange={(event) => setUsername(event.currentTarget.value)}
                />
                <PasswordInput
                  label="Password or token"
                  autoComplete="new-password"
                  value={password}
                  onChange={(event) => setPassword(event.currentTarget.value)}
                />
              </>
            )}
          </>
        )}
        <BranchRule rule={rule} change={setRule} reason={sending.reason('mirror_branch_regex')} />
        <Checkbox
          label="Keep divergent refs"
          description="Branches and tags that changed at the mirror are not overwritten or deleted there"
          checked={keep}
          onChange={(event) => setKeep(event.currentTarget.checked)}
        />
        <div>
          <Button type="submit" loading={sending.pending}>
            {mirror ? 'Save push mirror' : 'Add push mirror'}
          </Button>
        </div>
      </Stack>
    </form>
  );
}
