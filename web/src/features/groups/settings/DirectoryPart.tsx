/** Groups of SAML and LDAP directories whose members get a role here when they sign in. */
import { Button, NativeSelect, Stack, Text } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type DirectorySource, ldapLinks, samlLinks } from '../../../lib/directory-links.ts';
import { ActionSection } from '../../../ui/ActionSection.tsx';
import { ConfirmButton } from '../../../ui/ConfirmButton.tsx';
import { DataList, DataRow } from '../../../ui/DataList.tsx';
import { FormError } from '../../../ui/FormError.tsx';
import { useForm } from '../../../ui/forms.ts';
import { TextField, useFields } from '../../../ui/TextField.tsx';
import account from '../../account/account.module.css';
import { levelName, levelsOf } from '../../members/levels.ts';
import { useGroup } from '../useGroupForm.ts';

type Kind = 'SAML' | 'LDAP';

const words = {
  SAML: {
    help: 'The group name as sent by the identity provider.',
    provider: 'Provider',
    none: 'No SAML group is linked.',
  },
  LDAP: { help: 'A common name or a filter.', provider: 'Server', none: 'No LDAP group is linked.' },
} as const;

function AddLink({ kind, source }: { kind: Kind; source: DirectorySource }) {
  const { group } = useGroup();
  const cache = useQueryClient();
  const empty = { by: 'cn', name: '', provider: '', level: '30' };
  const fields = useFields(empty);
  const { by, name, provider, level } = fields.values;
  const sending = useForm(async () => {
    const filter = by === 'filter';
    await source.add({ name: name.trim(), level: Number(level), provider: provider.trim() || null, filter });
    fields.replace(empty);
    await cache.invalidateQueries({ queryKey: source.key });
  });
  return (
    <form {...sending.form} aria-label={`Link an ${kind} group`}>
      <FormError error={sending.error} />
      <div className={account.pair}>
        {kind === 'LDAP' ? (
          <NativeSelect
            label="By"
            data={[
              { value: 'cn', label: 'Common name' },
              { value: 'filter', label: 'Filter' },
            ]}
            value={by}
            onChange={(event) => fields.set('by', event.currentTarget.value)}
          />
        ) : null}
        <TextField
          of={fields}
          reason={() => undefined}
          name="name"
          label={by === 'filter' ? 'Filter' : `${kind} group`}
          required
          autoComplete="off"
        />
        <TextField
          of={fields}
          reason={() => undefined}
          name="provider"
          label={words[kind].provider}
          required={kind === 'LDAP'}
          placeholder={kind === 'LDAP' ? '' : 'Any'}
          autoComplete="off"
        />
        <NativeSelect
          label="Role"
          data={levelsOf(group.parent_id === null)}
          value={level}
          onChange={(event) => fields.set('level', event.currentTarget.value)}
        />
      </div>
      <Button type="submit" variant="default" mt="md" loading={sending.pending}>
        Link {kind} group
      </Button>
    </form>
  );
}

function Links({ kind, source }: { kind: Kind; source: DirectorySource }) {
  const { data: links, error } = useQuery({ queryKey: source.key, queryFn: () => source.list() });
  const cache = useQueryClient();
  return (
    <ActionSection title={`${kind} groups`}>
      <Text c="var(--mr-dim)">{words[kind].help}</Text>
      <FormError error={error} />
      <Stack gap="md" w="100%">
        {links?.length === 0 ? <Text>{words[kind].none}</Text> : null}
        {links && links.length > 0 ? (
          <DataList label={`${kind} groups`}>
            {links.map((link) => (
              <DataRow
                key={link.key}
                title={link.filter ? <code>{link.name}</code> : link.name}
                meta={
                  <>
                    <span>{levelName(link.level)}</span>
                    <span>{link.provider ?? 'any provider'}</span>
                  </>
                }
                after={
                  <ConfirmButton
                    title={`Unlink ${kind} group`}
                    about={`Unlink ${link.name}`}
                    text={`Members of ${link.name} no longer get a role in this group when they sign in.`}
                    action="Unlink"
                    icon={<IconTrash size={16} />}
                    run={() => source.remove(link)}
                    shown={() => cache.invalidateQueries({ queryKey: source.key })}
                  />
                }
              />
            ))}
          </DataList>
        ) : null}
        <AddLink kind={kind} source={source} />
      </Stack>
    </ActionSection>
  );
}

export function DirectoryPart() {
  const { path } = useGroup();
  return (
    <>
      <Text mb="md">
        Members of a linked group get its role here when they sign in. Links are stored, and take effect once single
        sign-on is available.
      </Text>
      <Links kind="SAML" source={samlLinks(path)} />
      <Links kind="LDAP" source={ldapLinks(path)} />
    </>
  );
}
