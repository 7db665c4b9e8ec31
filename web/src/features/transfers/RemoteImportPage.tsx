/** Imports from another server: which one, what of it, and where it goes. */
import { Button, Checkbox, NativeSelect, PasswordInput, Stack, TextInput } from '@mantine/core';
import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { ApiError } from '../../lib/api.ts';
import { counted } from '../../lib/counted.ts';
import * as data from '../../lib/data.ts';
import {
  type Importable,
  importable,
  importRepository,
  isTransfer,
  type Source,
  type SourceName,
  sources,
  transfer,
} from '../../lib/remote-imports.ts';
import { sessionQuery } from '../../lib/session.ts';
import { FormError } from '../../ui/FormError.tsx';
import { useForm } from '../../ui/forms.ts';
import { LinkButton } from '../../ui/links.ts';
import { Page } from '../../ui/Page.tsx';
import { ChooseImports, type Chosen } from './ChooseImports.tsx';

const topLevel = ' ';

function notAllowed(error: Error | null, name: SourceName): Error | null {
  if (!(error instanceof ApiError) || (error.status !== 403 && error.status !== 404)) return error;
  return new Error(
    isTransfer(name)
      ? 'Direct transfer is disabled on this instance. An administrator can enable it in Settings.'
      : `Imports from ${sources[name]} are disabled on this instance. An administrator can enable them in Settings.`,
  );
}

export default function RemoteImportPage() {
  const { data: namespaces } = useSuspenseQuery(data.namespaces());
  const { data: session } = useSuspenseQuery(sessionQuery);
  const [source, setSource] = useState<Source>({ name: 'github', url: '', username: '', token: '' });
  const [listed, setListed] = useState<readonly Importable[] | null>(null);
  const [nextPage, setNextPage] = useState<number | null>(null);
  const [chosen, setChosen] = useState<readonly Chosen[]>([]);
  const [people, setPeople] = useState(false);
  const [namespace, setNamespace] = useState('');
  const cache = useQueryClient();
  const navigate = useNavigate();
  const groupsOnly = source.name === 'gitlab:groups';
  const places = [
    ...(groupsOnly ? [{ value: topLevel, label: 'None (top-level group)' }] : []),
    ...namespaces
      .filter(({ kind }) => !groupsOnly || kind === 'group')
      .map(({ full_path: path }) => ({ value: path, label: path })),
  ];
  const place = places.some(({ value }) => value === namespace) ? namespace : (places[0]?.value ?? '');
  const change = (to: Partial<Source>) => {
    setSource({ ...source, ...to });
    setListed(null);
    setChosen([]);
  };
  const load = async (page: number) => {
    const found = await importable(source, page);
    setListed((before) => (page === 1 ? found.items : [...(before ?? []), ...found.items]));
    setNextPage(found.next_page);
  };
  const listing = useForm(() => load(1));
  const more = useForm(() => load(nextPage ?? 1));
  const mark = (id: string, to: Partial<Chosen>) =>
    setChosen((before) => before.map((each) => (each.item.id === id ? { ...each, ...to } : each)));
  const sending = useForm(async () => {
    if (isTransfer(source.name))
      await transfer(
        source,
        chosen.map(({ item }) => item),
        place.trim(),
      );
    else {
      let failed = 0;
      for (const { item, state } of chosen) {
        if (state === 'started') continue;
        try {
          await importRepository(source, item, { namespace: place, people });
          mark(item.id, { state: 'started', reason: undefined });
        } catch (error) {
          failed += 1;
          mark(item.id, { state: 'failed', reason: error instanceof Error ? error.message : String(error) });
        }
      }
      if (failed > 0) throw new Error(`${failed} of ${chosen.length} repositories could not be imported.`);
    }
    await cache.invalidateQueries({ queryKey: [isTransfer(source.name) ? 'transfers' : 'imports'] });
    await navigate({ to: '/import/history' });
  });
  const [one, noun] = groupsOnly
    ? (['group', 'groups'] as const)
    : isTransfer(source.name)
      ? (['project', 'projects'] as const)
      : (['repository', 'repositories'] as const);
  return (
    <Page title="Import from another server" narrow actions={<LinkButton to="/import/history">Imports</LinkButton>}>
      <form {...listing.form} aria-label="Source">
        <FormError error={notAllowed(listing.error, source.name)} />
        <Stack gap="md">
          <NativeSelect
            label="Import from"
            value={source.name}
            onChange={(event) => change({ name: event.currentTarget.value as SourceName, url: '' })}
            data={Object.entries(sources).map(([value, label]) => ({ value, label }))}
          />
          <TextInput
            label="Server URL"
            description={source.name === 'github' ? 'Leave empty for github.com' : undefined}
            placeholder="https://git.example.com"
            type="url"
            required={source.name !== 'github'}
            value={source.url}
            onChange={(event) => change({ url: event.currentTarget.value })}
            error={listing.reason('url')}
          />
          {source.name === 'bitbucket_server' ? (
            <TextInput
              label="Source username"
              autoComplete="off"
              required
              value={source.username}
              onChange={(event) => change({ username: event.currentTarget.value })}
            />
          ) : null}
          <PasswordInput
            label="Personal access token"
            description="Of the source server. Stored encrypted until the import is done."
            autoComplete="new-password"
            required
            value={source.token}
            onChange={(event) => change({ token: event.currentTarget.value })}
          />
          <div>
            <Button type="submit" variant={listed ? 'default' : 'filled'} loading={listing.pending}>
              List {noun}
            </Button>
          </div>
        </Stack>
      </form>
      {listed === null ? null : (
        <form {...sending.form} aria-label="Import">
          <Stack gap="md" mt="xl">
            <ChooseImports
              noun={noun}
              items={listed}
              chosen={chosen}
              change={setChosen}
              {...(nextPage === null ? {} : { more: { pending: more.pending, load: more.form.onSubmit } })}
            />
            <FormError error={more.error} />
            <NativeSelect
              label={groupsOnly ? 'Parent group' : 'Owner'}
              value={place}
              onChange={(event) => setNamespace(event.currentTarget.value)}
              data={places}
            />
            {source.name === 'github' && session.admin ? (
              <Checkbox
                label="Import collaborators as members"
                description="Matched by username"
                checked={people}
                onChange={(event) => setPeople(event.currentTarget.checked)}
              />
            ) : null}
            <FormError error={notAllowed(sending.error, source.name)} />
            <div>
              <Button type="submit" loading={sending.pending} disabled={chosen.length === 0}>
                Import {counted(chosen.length, one, noun)}
              </Button>
            </div>
          </Stack>
        </form>
      )}
    </Page>
  );
}
