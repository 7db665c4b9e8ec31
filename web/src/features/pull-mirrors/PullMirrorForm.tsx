/** Which repository a project follows, and how. */
import { Button, Checkbox, Stack } from '@mantine/core';
import { useState } from 'react';
import { client, unwrap } from '../../lib/api.ts';
import type { PullMirror } from '../../lib/push-mirrors.ts';
import { FormError } from '../../ui/FormError.tsx';
import { useForm } from '../../ui/forms.ts';
import { BranchRule, ruleOf } from '../push-mirrors/BranchRule.tsx';
import { RemoteFields, useRemote } from '../push-mirrors/RemoteFields.tsx';

export function PullMirrorForm({ path, mirror, saved }: { path: string; mirror: PullMirror | null; saved(): unknown }) {
  const entering = useRemote(mirror?.auth_method === 'ssh_public_key');
  const [rule, setRule] = useState(ruleOf(mirror?.only_mirror_protected_branches, mirror?.mirror_branch_regex));
  const [overwrites, setOverwrites] = useState(mirror?.mirror_overwrites_diverged_branches ?? false);
  const [triggers, setTriggers] = useState(mirror?.mirror_trigger_builds ?? false);
  const sending = useForm(async () => {
    const { url, username, password, ssh, hostKeys } = entering.remote;
    await unwrap(
      client.PUT('/projects/{id}/mirror/pull', {
        params: { path: { id: path } },
        body: {
          enabled: true,
          ...(url === '' ? {} : { url }),
          ...(ssh || username === '' ? {} : { auth_user: username }),
          ...(ssh || password === '' ? {} : { auth_password: password }),
          ...(ssh && hostKeys.length > 0 ? { host_keys: [...hostKeys] } : {}),
          only_mirror_protected_branches: rule.branches === 'protected',
          mirror_branch_regex: rule.branches === 'matching' ? rule.pattern : null,
          mirror_overwrites_diverged_branches: overwrites,
          mirror_trigger_builds: triggers,
        },
      }),
    );
    entering.clear();
    await saved();
  });
  return (
    <form {...sending.form} aria-label={mirror ? 'Edit pull mirror' : 'Set up a pull mirror'}>
      <FormError error={sending.error} />
      <Stack gap="sm" maw={520}>
        <RemoteFields
          of={entering}
          kept={mirror !== null}
          keyStep="add its public key to the server, then update the mirror."
          passwordHelp="Leave username and password empty for public repositories"
          reason={sending.reason}
        />
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
