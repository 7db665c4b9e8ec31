/** Packages that only some publish or delete, by their names. */
import { Badge, Button, Group, Stack, Text, Title } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { client, unwrap } from '../../lib/api.ts';
import { type PackageRule, packageRules } from '../../lib/package-rules.ts';
import { Select } from '../../ui/Choices.tsx';
import { ConfirmName } from '../../ui/ConfirmName.tsx';
import { useConfirmed } from '../../ui/confirmed.ts';
import { DataList, DataRow } from '../../ui/DataList.tsx';
import { FormError } from '../../ui/FormError.tsx';
import { useForm } from '../../ui/forms.ts';
import { TextField, useFields } from '../../ui/TextField.tsx';
import { useProject } from '../projects/useProject.ts';

type Kind = PackageRule['package_type'];
const kinds: readonly { value: Kind; label: string }[] = [
  ...[{ value: 'generic', label: 'Generic' } as const, { value: 'npm', label: 'npm' } as const],
  ...[{ value: 'maven', label: 'Maven' } as const, { value: 'pypi', label: 'PyPI' } as const],
  ...[{ value: 'nuget', label: 'NuGet' } as const, { value: 'helm', label: 'Helm' } as const],
  { value: 'conan', label: 'Conan' },
];
const everyone = '';
type Pushing = NonNullable<PackageRule['minimum_access_level_for_push']> | typeof everyone;
type Deleting = NonNullable<PackageRule['minimum_access_level_for_delete']> | typeof everyone;
const roles = {
  push: [
    { value: everyone, label: 'Everyone who can publish packages' },
    { value: 'maintainer', label: 'Maintainers and above' },
    { value: 'owner', label: 'Owners and administrators' },
    { value: 'admin', label: 'Administrators' },
  ],
  delete: [
    { value: everyone, label: 'Everyone who can delete packages' },
    { value: 'owner', label: 'Owners and administrators' },
    { value: 'admin', label: 'Administrators' },
  ],
} as const;
const inWords = (of: keyof typeof roles, role: string | null) =>
  roles[of].find(({ value }) => value === (role ?? everyone))?.label ?? role;
const kindOf = (kind: Kind) => kinds.find(({ value }) => value === kind)?.label ?? kind;

interface RuleFormProps {
  readonly rule: PackageRule | null;
  saved(): Promise<unknown>;
  leave(): void;
}

function RuleForm({ rule, saved, leave }: RuleFormProps) {
  const { path } = useProject();
  const fields = useFields({
    package_name_pattern: rule?.package_name_pattern ?? '',
    package_type: rule?.package_type ?? ('generic' as Kind),
    push: (rule ? (rule.minimum_access_level_for_push ?? everyone) : 'maintainer') as Pushing,
    delete: (rule?.minimum_access_level_for_delete ?? everyone) as Deleting,
  });
  const { values, set } = fields;
  const sending = useForm(async () => {
    const { push, delete: remove, ...rest } = values;
    const body = {
      ...rest,
      minimum_access_level_for_push: push === everyone ? null : push,
      minimum_access_level_for_delete: remove === everyone ? null : remove,
    };
    await unwrap(
      rule
        ? client.PATCH('/projects/{id}/packages/protection/rules/{package_protection_rule_id}', {
            params: { path: { id: path, package_protection_rule_id: rule.id } },
            body,
          })
        : client.POST('/projects/{id}/packages/protection/rules', { params: { path: { id: path } }, body }),
    );
    if (!rule) set('package_name_pattern', '');
    await saved();
  });
  const title = rule ? `Edit ${rule.package_name_pattern}` : 'Protect packages';
  return (
    <section aria-label={title}>
      <Title order={3} mb="sm">
        {title}
      </Title>
      <form {...sending.form}>
        <FormError error={sending.error} />
        <Stack gap="md" maw={520}>
          <TextField
            of={fields}
            reason={sending.reason}
            name="package_name_pattern"
            label="Package name or pattern"
            description="* stands for any text: release-*"
            required
            autoComplete="off"
          />
          <Select
            label="Type"
            allowDeselect={false}
            data={kinds}
            value={values.package_type}
            onChange={(value) => set('package_type', kinds.find((each) => each.value === value)?.value ?? 'generic')}
            error={sending.reason('package_type')}
          />
          <Select
            label="Allowed to publish"
            allowDeselect={false}
            data={roles.push}
            value={values.push}
            onChange={(value) => set('push', roles.push.find((each) => each.value === value)?.value ?? everyone)}
          />
          <Select
            label="Allowed to delete"
            allowDeselect={false}
            data={roles.delete}
            value={values.delete}
            onChange={(value) => set('delete', roles.delete.find((each) => each.value === value)?.value ?? everyone)}
          />
          <Group gap="sm">
            <Button type="submit" loading={sending.pending}>
              {rule ? 'Save changes' : 'Protect'}
            </Button>
            {rule ? (
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

export function ProtectedPackages() {
  const { path } = useProject();
  const cache = useQueryClient();
  const { data: rules, error } = useQuery(packageRules(path));
  const [changing, setChanging] = useState<number | null>(null);
  const changed = rules?.find(({ id }) => id === changing) ?? null;
  const again = async () => {
    await cache.invalidateQueries(packageRules(path));
    setChanging(null);
  };
  const leaving = useConfirmed(
    ({ id }: PackageRule) =>
      unwrap(
        client.DELETE('/projects/{id}/packages/protection/rules/{package_protection_rule_id}', {
          params: { path: { id: path, package_protection_rule_id: id } },
        }),
      ),
    again,
  );
  return (
    <>
      <h2>Protected packages</h2>
      <Text c="var(--mr-dim)" mb="md">
        Only the roles listed can publish or delete packages whose name matches. If several rules match, all of them
        apply.
      </Text>
      <FormError error={error} />
      <Stack gap="lg">
        {rules?.length === 0 ? <Text>No protected packages.</Text> : null}
        {rules && rules.length > 0 ? (
          <DataList label="Protected packages">
            {rules.map((rule) => (
              <DataRow
                key={rule.id}
                title={
                  <>
                    <code>{rule.package_name_pattern}</code>{' '}
                    <Badge size="sm" variant="default">
                      {kindOf(rule.package_type)}
                    </Badge>
                  </>
                }
                meta={
                  <>
                    <span>Publish: {inWords('push', rule.minimum_access_level_for_push)}</span>
                    <span>Delete: {inWords('delete', rule.minimum_access_level_for_delete)}</span>
                  </>
                }
                after={
                  <Group gap="xs">
                    <Button
                      variant="default"
                      size="xs"
                      aria-label={`Edit ${rule.package_name_pattern}`}
                      onClick={() => setChanging(rule.id)}
                    >
                      Edit
                    </Button>
                    <Button
                      variant="subtle"
                      color="red"
                      size="xs"
                      aria-label={`Unprotect ${rule.package_name_pattern}`}
                      onClick={() => leaving.ask(rule)}
                    >
                      Unprotect
                    </Button>
                  </Group>
                }
              />
            ))}
          </DataList>
        ) : null}
        <RuleForm key={changed?.id ?? 'new'} rule={changed} saved={again} leave={() => setChanging(null)} />
      </Stack>
      <ConfirmName
        {...leaving.dialog}
        title="Unprotect packages"
        text="Everyone who can publish or delete packages in the project will be able to do so with these."
        name={leaving.asked?.package_name_pattern ?? ''}
        action="Unprotect"
      />
    </>
  );
}
