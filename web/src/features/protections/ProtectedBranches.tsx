/** Branches that only some push to and merge into, by the rules of a project or of a top-level group. */
import { ActionIcon, Badge, Button, Checkbox, Group, Stack, Text, TextInput, Title } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type ProtectedBranch, type ProtectionPlace, protectedBranches } from '../../lib/protections.ts';
import { useLive } from '../../lib/useLive.ts';
import { changesTo, choiceOf, grantOf, inWords } from '../../lib/who-may.ts';
import { ConfirmName } from '../../ui/ConfirmName.tsx';
import { useConfirmed } from '../../ui/confirmed.ts';
import { DataList, DataRow } from '../../ui/DataList.tsx';
import { FormError } from '../../ui/FormError.tsx';
import { useForm } from '../../ui/forms.ts';
import { WhoMay } from './WhoMay.tsx';

const maintainers = ['role:40'];

/** A new rule, or the rule that is changed. */
interface RuleFormProps {
  readonly place: ProtectionPlace;
  readonly rule: ProtectedBranch | null;
  saved(): unknown;
  leave?(): void;
}

function RuleForm({ place, rule, saved, leave }: RuleFormProps) {
  const { project } = place;
  const [name, setName] = useState('');
  const [push, setPush] = useState(rule?.push_access_levels.map(choiceOf) ?? maintainers);
  const [merge, setMerge] = useState(rule?.merge_access_levels.map(choiceOf) ?? maintainers);
  const [unprotect, setUnprotect] = useState(rule?.unprotect_access_levels.map(choiceOf) ?? maintainers);
  const [force, setForce] = useState(rule?.allow_force_push ?? false);
  const [owners, setOwners] = useState(rule?.code_owner_approval_required ?? false);
  const sending = useForm(async () => {
    const flags = { allow_force_push: force, code_owner_approval_required: owners };
    if (rule)
      await place.change(rule.name, {
        ...flags,
        allowed_to_push: changesTo(rule.push_access_levels, push),
        allowed_to_merge: changesTo(rule.merge_access_levels, merge),
        allowed_to_unprotect: changesTo(rule.unprotect_access_levels, unprotect),
      });
    else {
      await place.create({
        ...flags,
        name,
        // Nobody chosen is nobody, not the default.
        allowed_to_push: (push.length > 0 ? push : ['role:0']).map(grantOf),
        allowed_to_merge: (merge.length > 0 ? merge : ['role:0']).map(grantOf),
        allowed_to_unprotect: unprotect.map(grantOf),
      });
      setName('');
    }
    await saved();
  });
  const title = rule ? `Edit ${rule.name}` : 'Protect a branch';
  return (
    <section aria-label={title}>
      <Title order={3} mb="sm">
        {title}
      </Title>
      <form {...sending.form}>
        <FormError error={sending.error} />
        <Stack gap="md" maw={520}>
          {rule ? null : (
            <TextInput
              label="Branch or pattern"
              description="* stands for any text: release/*"
              required
              value={name}
              onChange={(event) => setName(event.currentTarget.value)}
              error={sending.reason('name')}
              autoComplete="off"
              spellCheck={false}
            />
          )}
          <WhoMay
            project={project}
            label="Allowed to push and merge"
            value={push}
            change={setPush}
            known={rule?.push_access_levels ?? []}
            keys
          />
          <WhoMay
            project={project}
            label="Allowed to merge"
            value={merge}
            change={setMerge}
            known={rule?.merge_access_levels ?? []}
          />
          <WhoMay
            project={project}
            label="Allowed to unprotect"
            description={'Leave empty to allow all maintainers'}
            value={unprotect}
            change={setUnprotect}
            known={rule?.unprotect_access_levels ?? []}
            withoutNobody
          />
          <Checkbox
            label="Allow force push"
            description="For users who can push"
            checked={force}
            onChange={(event) => setForce(event.currentTarget.checked)}
          />
          <Checkbox
            label="Require approval of code owners"
            description="Pushes that change their files are refused; merge requests need their approval"
            checked={owners}
            onChange={(event) => setOwners(event.currentTarget.checked)}
          />
          <Group gap="sm">
            <Button type="submit" loading={sending.pending}>
              {rule ? 'Save changes' : 'Protect'}
            </Button>
            {leave ? (
              <Button variant="default" onClick={leave}>
                Cancel
              </Button>
            ) : null}
          </Group>
        </Stack>
      </form>
    </section>
  );
}

const mark = (text: string) => (
  <Badge size="sm" variant="default">
    {text}
  </Badge>
);

interface ProtectedBranchesProps {
  readonly place: ProtectionPlace;
  /** What tells that rules changed. */
  readonly topics?: readonly string[];
}
const quiet: readonly string[] = [];

export function ProtectedBranches({ place, topics = quiet }: ProtectedBranchesProps) {
  const cache = useQueryClient();
  const { data: rules, error } = useQuery(protectedBranches(place));
  const [changing, setChanging] = useState<string | null>(null);
  const inherited = (rule: ProtectedBranch) => place.noun === 'project' && rule.inherited === true;
  const changed = rules?.find((rule) => rule.name === changing && !inherited(rule)) ?? null;
  useLive(topics, [place.key]);
  const again = async () => {
    await cache.invalidateQueries(protectedBranches(place));
    if (place.project !== null) await cache.invalidateQueries({ queryKey: ['project', place.project, 'branches'] });
    setChanging(null);
  };
  const leaving = useConfirmed((rule: ProtectedBranch) => place.remove(rule.name), again);
  return (
    <>
      <Text c="var(--mr-dim)" mb="md">
        {place.noun === 'group' ? 'These rules apply to all projects in this group and its subgroups. ' : null}
        Only the people listed can push or merge, and nobody can force-push or delete. If several rules match, the most
        permissive applies.
      </Text>
      <FormError error={error} />
      <Stack gap="lg">
        {rules?.length === 0 ? <Text>No protected branches.</Text> : null}
        {rules && rules.length > 0 ? (
          <DataList label="Protected branches">
            {rules.map((rule) => (
              <DataRow
                key={rule.id}
                title={
                  <>
                    <code>{rule.name}</code> {inherited(rule) ? mark('inherited') : null}{' '}
                    {rule.allow_force_push ? mark('force push') : null}{' '}
                    {rule.code_owner_approval_required ? mark('code owners') : null}
                  </>
                }
                meta={
                  <>
                    <span>Push: {inWords(rule.push_access_levels)}</span>
                    <span>Merge: {inWords(rule.merge_access_levels)}</span>
                  </>
                }
                after={
                  inherited(rule) ? null : (
                    <>
                      <Button
                        variant="default"
                        size="xs"
                        aria-label={`Edit ${rule.name}`}
                        onClick={() => setChanging(rule.name)}
                      >
                        Change
                      </Button>
                      <ActionIcon
                        variant="subtle"
                        color="gray"
                        size={30}
                        aria-label={`Unprotect ${rule.name}`}
                        onClick={() => leaving.ask(rule)}
                      >
                        <IconTrash size={16} />
                      </ActionIcon>
                    </>
                  )
                }
              />
            ))}
          </DataList>
        ) : null}
        {changed ? (
          <RuleForm key={changed.id} place={place} rule={changed} saved={again} leave={() => setChanging(null)} />
        ) : (
          <RuleForm place={place} rule={null} saved={again} />
        )}
      </Stack>
      <ConfirmName
        {...leaving.dialog}
        title="Unprotect branch"
        text={`Anyone who can push to ${place.noun === 'project' ? 'the project' : 'a project'} will be able to push, force-push and delete it.`}
        name={leaving.asked?.name ?? ''}
        action="Unprotect"
      />
    </>
  );
}
