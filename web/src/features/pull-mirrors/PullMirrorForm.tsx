/** Which repository a project follows, and how. */
import { Button, Checkbox, PasswordInput, Stack, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { client, unwrap } from '../../lib/api.ts';
import type { PullMirror } from '../../lib/push-mirrors.ts';
import { FormError } from '../../ui/FormError.tsx';
import { useForm } from '../../ui/forms.ts';
import { BranchRule, ruleOf } from '../push-mirrors/BranchRule.tsx';

export function PullMirrorForm({ path, mirror, saved }: { path: string; mirror: PullMirror | null; saved(): unknown }) {
  const [url, setUrl] = useState('');
  const [username, setUsername] = useState('');
  const [password, setPassword] = useState('');
  const [hostKeys, setHostKeys] = useState('');
  const [rule, setRule] = useState(ruleOf(mirror?.only_mirror_protected_branches, mirror?.mirror_branch_regex));
  const [overwrites, setOverwrites] = useState(mirror?.mirror_overwrites_diverged_branches ?? false);
  const [triggers, setTriggers] = useState(mirror?.mirror_trigger_builds ?? false);
  const entered = url.trim();
  const ssh = entered === '' ? mirror?.auth_method === 'ssh_public_key' : entered.startsWith('ssh://');
  const sending = useForm(async () => {
    const keys = hostKeys.split('\n').filter((line) => line.trim() !== '');
    await unwrap(
      client.PUT('/projects/{id}/mirror/pull', {
        params: { path: { id: path } },
        body: {
          enabled: true,
          ...(entered === '' ? {} : { url: entered }),
          ...(ssh || username === '' ? {} : { auth_user: username }),
          ...(ssh || password === '' ? {} : { auth_password: password }),
          ...(ssh && keys.length > 0 ? { host_keys: keys } : {}),
          only_mirror_protected_branches: rule.branches === 'protected',
          mirror_branch_regex: rule.branches === 'matching' ? rule.pattern : null,
          mirror_overwrites_diverged_branches: overwrites,
          mirror_trigger_builds: triggers,
        },
      }),
    );
    for (const clear of [setUrl, setUsername, setPassword, setHostKeys]) clear('');
    await saved();
  });
  return (
    <form {...sending.form} aria-label={mirror ? 'Edit pull mirror' : 'Set up a pull mirror'}>
      <FormError error={sending.error} />
      <Stack gap="sm" maw={520}>
        <TextInput
          label="Repository URL"
          description={mirror ? 'Leave empty to keep the current URL' : 'With https:// or ssh://'}
          placeholder="https://git.example.com/team/project.git"
          required={!mirror}
          value={url}
          onChange={(event) => setUrl(event.currentTarget.value)}
          error={sending.reason('url')}
        />
        {ssh ? (
          <Textarea
            label="SSH host keys"
            description="One per line, as in known_hosts. Leave empty to trust the key that the server shows first. A key pair for the mirror is created: add its public key to the server, then update the mirror."
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
              description="Leave username and password empty for public repositories"
              autoComplete="new-password"
              value={password}
              onChange={(event) => setPassword(event.currentTarget.value)}
            />
          </>
        )}
        <BranchRule rule={rule} change={setRule} reason={sending.reason('mirror_branch_regex')} />
        <Checkbox
          label="Overwrite diverged branches"
          description="Commits that only this project has are lost. Otherwise such branches stay as they are, and the update counts as failed"
          checked={overwrites}
          onChange={(event) => setOverwrites(event.currentTarget.checked)}
        />
        <Checkbox
          label="Trigger pipelines for mirror updates"
          description="They run as the user who saved the mirror last"
          checked={triggers}
          onChange={(event) => setTriggers(event.currentTarget.checked)}
        />
        <div>
          <Button type="submit" loading={sending.pending}>
            {mirror ? 'Save pull mirror' : 'Set up pull mirror'}
          </Button>
        </div>
      </Stack>
    </form>
  );
}
