/** The push rule of a project, a group or the instance: what commits, branches and files must look like. */
import { Checkbox, NumberInput, Stack, Text, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { isOwnRule, type PushRule, type PushRulePlace, pushRuleOf } from '../../lib/push-rules.ts';
import { ConfirmButton } from '../../ui/ConfirmButton.tsx';
import { FormError } from '../../ui/FormError.tsx';
import { useForm } from '../../ui/forms.ts';
import { Save } from '../settings/Save.tsx';

const patterns = {
  commit_message_regex: 'Commit messages must match',
  commit_message_negative_regex: 'Commit messages must not match',
  branch_name_regex: 'Branch names must match',
  author_email_regex: 'Author and committer email addresses must match',
  file_name_regex: 'File names must not match',
} as const;
const flags = {
  prevent_secrets: 'Reject files that may contain secrets',
  deny_delete_tag: 'Reject deletion of tags by git push',
  member_check: 'Authors and committers must be users of this instance',
  commit_committer_check: 'Committers must be the user who pushes, with a verified email address',
  commit_committer_name_check: 'Committer names must match the user who pushes',
  reject_unsigned_commits: 'Reject unsigned commits',
  reject_non_dco_commits: 'Reject commits without sign-off (DCO)',
} as const;
type PatternName = keyof typeof patterns;
type FlagName = keyof typeof flags;
const patternNames = Object.keys(patterns) as PatternName[];
const flagNames = Object.keys(flags) as FlagName[];

const reach = {
  project: 'Applies to all pushes, API commits and merges in this project.',
  group: 'Applies to all projects in this group and its subgroups without their own push rule.',
  instance: 'Applies to all projects that do not have or inherit a push rule.',
} as const;

const afterwards = {
  project: 'The push rule of the nearest parent group or of the instance applies instead, if there is one.',
  group: 'The push rule of the nearest parent group or of the instance applies instead, if there is one.',
  instance: 'Projects and groups without a push rule of their own accept any push.',
} as const;

function RuleForm({ rule, place, own }: { rule: PushRule | null; place: PushRulePlace; own: boolean }) {
  const [texts, setTexts] = useState(
    () => Object.fromEntries(patternNames.map((name) => [name, rule?.[name] ?? ''])) as Record<PatternName, string>,
  );
  const [checks, setChecks] = useState(
    () => Object.fromEntries(flagNames.map((name) => [name, rule?.[name] ?? false])) as Record<FlagName, boolean>,
  );
  const [size, setSize] = useState<number | string>(rule?.max_file_size ?? 0);
  const cache = useQueryClient();
  const saved = () => cache.invalidateQueries({ queryKey: place.key });
  const sending = useForm(async () => {
    const values = { ...texts, ...checks, max_file_size: Number(size) || 0 };
    await (rule ? place.change(values) : place.create(values));
    await saved();
  });
  return (
    <form {...sending.form} aria-label="Push rule">
      <FormError error={sending.error} />
      <Stack gap="md">
        <Text size="xs" c="var(--mr-dim)">
          Patterns are regular expressions (RE2). Leave empty to allow everything.
        </Text>
        {patternNames.map((name) => (
          <TextInput
            key={name}
            label={patterns[name]}
            value={texts[name]}
            onChange={(event) => setTexts({ ...texts, [name]: event.currentTarget.value })}
            error={sending.reason(name)}
            autoComplete="off"
            spellCheck={false}
          />
        ))}
        <NumberInput
          label="Maximum file size (MB)"
          description="0 for no limit"
          min={0}
          allowDecimal={false}
          value={size}
          onChange={setSize}
          error={sending.reason('max_file_size')}
          maw={240}
        />
        <Stack gap={10}>
          {flagNames.map((name) => (
            <Checkbox
              key={name}
              label={flags[name]}
              checked={checks[name]}
              onChange={(event) => setChecks({ ...checks, [name]: event.currentTarget.checked })}
            />
          ))}
        </Stack>
        <Save pending={sending.pending} done={sending.done} label="Save push rule">
          {rule && own ? (
            <ConfirmButton
              title="Delete push rule"
              text={`All settings of this push rule will be deleted. ${afterwards[place.noun]}`}
              action="Delete push rule"
              size="sm"
              run={() => place.remove()}
              shown={saved}
            />
          ) : null}
        </Save>
      </Stack>
    </form>
  );
}

/** `id` is that of the group, where the place is one. */
export function PushRules({ place, id }: { place: PushRulePlace; id?: number }) {
  const { data: rule, error } = useQuery(pushRuleOf(place));
  const own = rule ? isOwnRule(place, rule, id) : false;
  return (
    <>
      <FormError error={error} />
      <Text c="var(--mr-dim)" mb="md">
        {rule && !own
          ? `This rule is inherited. Saving creates a push rule for this ${place.noun}.`
          : reach[place.noun]}
      </Text>
      {rule === undefined ? null : <RuleForm key={rule ? `${rule.id}` : 'none'} rule={rule} place={place} own={own} />}
    </>
  );
}
