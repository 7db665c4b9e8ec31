/** The push rule of a project: what commits, branches and files must look like. */
import { Button, Checkbox, Group, NumberInput, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError, client, type Schemas, unwrap } from '../../lib/api.ts';
import { FormError } from '../../ui/FormError.tsx';
import { useForm } from '../../ui/forms.ts';
import { useProject } from '../projects/useProject.ts';

type Rule = Schemas['PushRule'];

const patterns = {
  commit_message_regex: 'Commit messages must match',
  commit_message_negative_regex: 'Commit messages must not match',
  branch_name_regex: 'Branch names must match',
  author_email_regex: 'Addresses of authors and committers must match',
  file_name_regex: 'Names of new files must not match',
} as const;
const flags = {
  prevent_secrets: 'Refuse files that look like keys and passwords',
  deny_delete_tag: 'Refuse git push that removes a tag',
  member_check: 'Authors and committers must have an account here',
  commit_committer_check: 'Committers must be whoever pushes, by a confirmed address',
  commit_committer_name_check: 'Committers must have the name of whoever pushes',
  reject_unsigned_commits: 'Commits must be signed',
  reject_non_dco_commits: 'Messages must be signed off',
} as const;
const names = <T extends object>(of: T) => Object.keys(of) as Array<keyof T>;

interface FormProps {
  readonly rule: Rule | null;
  readonly path: string;
  readonly saved: () => Promise<unknown>;
}

function RuleForm({ rule, path, saved }: FormProps) {
  const [texts, setTexts] = useState(() =>
    Object.fromEntries(names(patterns).map((name) => [name, rule?.[name] ?? ''])),
  );
  const [checks, setChecks] = useState(() =>
    Object.fromEntries(names(flags).map((name) => [name, rule?.[name] ?? false])),
  );
  const [size, setSize] = useState<number | string>(rule?.max_file_size ?? 0);
  const params = { path: { id: path } };
  const sending = useForm(async () => {
    const body = { ...texts, ...checks, max_file_size: Number(size) || 0 };
    const send = rule ? client.PUT : client.POST;
    await unwrap(send('/projects/{id}/push_rule', { params, body }));
    await saved();
  });
  const remove = useMutation({
    mutationFn: () => unwrap(client.DELETE('/projects/{id}/push_rule', { params })),
    onSuccess: saved,
  });
  return (
    <form {...sending.form}>
      <FormError error={sending.error ?? remove.error} />
      <Stack gap="md">
        {names(patterns).map((name) => (
          <TextInput
            key={name}
            label={patterns[name]}
            description="A regular expression (RE2); anything when left empty"
            value={texts[name] ?? ''}
            onChange={(event) => setTexts({ ...texts, [name]: event.currentTarget.value })}
            error={sending.reason(name)}
          />
        ))}
        <NumberInput
          label="Largest file in megabytes"
          description="0 for any"
          min={0}
          allowDecimal={false}
          value={size}
          onChange={setSize}
          error={sending.reason('max_file_size')}
        />
        {names(flags).map((name) => (
          <Checkbox
            key={name}
            label={flags[name]}
            checked={checks[name] ?? false}
            onChange={(event) => setChecks({ ...checks, [name]: event.currentTarget.checked })}
          />
        ))}
        <Group>
          <Button type="submit" loading={sending.pending}>
            Save push rule
          </Button>
          {rule?.project_id === undefined ? null : (
            <Button variant="default" onClick={() => remove.mutate()} loading={remove.isPending}>
              Remove push rule
            </Button>
          )}
        </Group>
        {sending.done ? <Text role="status">Saved.</Text> : null}
      </Stack>
    </form>
  );
}

export function PushRuleSettings() {
  const { path } = useProject();
  const cache = useQueryClient();
  const queryKey = ['project', path, 'push-rule'];
  const { data: rule, error } = useQuery({
    queryKey,
    queryFn: async () => {
      try {
        return await unwrap(client.GET('/projects/{id}/push_rule', { params: { path: { id: path } } }));
      } catch (failure) {
        if (failure instanceof ApiError && failure.status === 404) return null;
        throw failure;
      }
    },
  });
  return (
    <>
      <FormError error={error} />
      {rule && rule.project_id === undefined ? (
        <Text c="var(--mr-dim)" mb="md">
          This rule comes from above. Saving gives the project one of its own.
        </Text>
      ) : null}
      {rule === undefined ? null : (
        <RuleForm
          key={rule ? `${rule.id}` : 'none'}
          rule={rule}
          path={path}
          saved={() => cache.invalidateQueries({ queryKey })}
        />
      )}
    </>
  );
}
