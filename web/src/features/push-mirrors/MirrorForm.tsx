/** A new push mirror, or what of one may be changed. */
import { Button, Checkbox, Stack } from '@mantine/core';
import { useState } from 'react';
import { client, unwrap } from '../../lib/api.ts';
import type { PushMirror } from '../../lib/push-mirrors.ts';
import { FormError } from '../../ui/FormError.tsx';
import { useForm } from '../../ui/forms.ts';
import { BranchRule, ruleOf } from './BranchRule.tsx';
import { type Remote, RemoteFields, useRemote } from './RemoteFields.tsx';

/** The address with name and password in it, as the API takes it. */
function withProof({ url: address, username, password }: Remote): string {
  const url = URL.parse(address);
  if (!url) return address;
  if (username) url.username = encodeURIComponent(username);
  if (password) url.password = encodeURIComponent(password);
  return url.href;
}

export function MirrorForm({ path, mirror, saved }: { path: string; mirror: PushMirror | null; saved(): unknown }) {
  const entering = useRemote();
  const [rule, setRule] = useState(ruleOf(mirror?.only_protected_branches, mirror?.mirror_branch_regex));
  const [keep, setKeep] = useState(mirror?.keep_divergent_refs ?? false);
  const sending = useForm(async () => {
    const { remote } = entering;
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
          body: remote.ssh
            ? // Switched on when the server has the key.
              { ...values, url: remote.url, host_keys: [...remote.hostKeys] }
            : { ...values, url: withProof(remote), enabled: true },
        }),
      );
    entering.clear();
    await saved();
  });
  return (
    <form {...sending.form} aria-label={mirror ? 'Edit push mirror' : 'Add a push mirror'}>
      <FormError error={sending.error} />
      <Stack gap="sm" maw={520}>
        {mirror ? null : (
          <RemoteFields
            of={entering}
            kept={false}
            keyStep="copy its public key to the server afterwards."
            reason={sending.reason}
          />
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
