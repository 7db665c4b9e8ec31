/** Application settings: those that act in one form, the others to read. */
import { Button, Text } from '@mantine/core';
import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { client, unwrap } from '../../lib/api.ts';
import * as data from '../../lib/data.ts';
import { DataList, DataRow } from '../../ui/DataList.tsx';
import { FilterBar } from '../../ui/FilterBar.tsx';
import { FormError } from '../../ui/FormError.tsx';
import { useForm } from '../../ui/forms.ts';
import { AdminFrame } from './AdminFrame.tsx';
import classes from './admin.module.css';
import { SettingInput } from './SettingInput.tsx';
import { type SettingField, settingFields, settingOwners } from './settings-fields.gen.ts';
import { changesOf, type Draft, draftOf, grouped, matches, shownValue, type Values } from './settings-form.ts';

// The rules of default branches are set by their level.
const editable = settingFields.filter((field) => field.acts && field.kind !== 'map');
const stored = settingFields.filter((field) => !field.acts);

/** Drafts of what was touched, and sending those that differ. */
function useSettingsForm(current: Values) {
  const [drafts, setDrafts] = useState<Readonly<Record<string, Draft>>>({});
  const cache = useQueryClient();
  const changes = changesOf(editable, drafts, current);
  const sending = useForm(async () => {
    const answer = await unwrap(client.PUT('/application/settings', { body: changes }));
    cache.setQueryData(data.applicationSettings().queryKey, answer);
    setDrafts({});
  });
  return {
    sending,
    count: Object.keys(changes).length,
    isChanged: (field: SettingField) => field.name in changes,
    draft: (field: SettingField) => drafts[field.name] ?? draftOf(field, current[field.name]),
    change: (field: SettingField, draft: Draft) => setDrafts((before) => ({ ...before, [field.name]: draft })),
    discard: () => setDrafts({}),
  };
}

function StoredSettings({ current, search }: { current: Values; search: string }) {
  const groups = grouped(
    stored.filter((field) => matches(field, search)),
    settingOwners,
  );
  if (groups.length === 0) return null;
  return (
    <details className={classes.stored} open={search !== ''}>
      <summary>Stored for later: settings whose part of Millrace is not there yet</summary>
      <Text c="var(--mr-dim)" mt="xs">
        They can be set over the API, and begin to act with their part.
      </Text>
      {groups.map((group) => (
        <section key={group.owner} aria-label={group.title}>
          <h3>{group.title}</h3>
          <DataList label={group.title}>
            {group.fields.map((field) => (
              <DataRow
                key={field.name}
                title={field.meaning}
                meta={<code>{field.name}</code>}
                after={<span className={classes.value}>{shownValue(current[field.name])}</span>}
              />
            ))}
          </DataList>
        </section>
      ))}
    </details>
  );
}

export default function ApplicationSettingsPage() {
  const { data: settings } = useSuspenseQuery(data.applicationSettings());
  const current = settings as Values;
  const { search = '' } = useSearch({ from: '/admin/application_settings/general' });
  const navigate = useNavigate({ from: '/admin/application_settings/general' });
  const { sending, count, isChanged, draft, change, discard } = useSettingsForm(current);
  // What was changed stays in sight, whatever is looked for.
  const groups = grouped(
    editable.filter((field) => matches(field, search) || isChanged(field)),
    settingOwners,
  );
  return (
    <AdminFrame title="Settings">
      <FilterBar
        label="Search settings"
        value={search}
        change={(text) => void navigate({ search: text === '' ? {} : { search: text }, replace: true })}
      />
      <form {...sending.form} aria-label="Application settings">
        {groups.length === 0 ? <Text mt="md">No setting that acts matches.</Text> : null}
        {groups.map((group) => (
          <fieldset key={group.owner} className={classes.group}>
            <legend>{group.title}</legend>
            <div className={classes.inputs}>
              {group.fields.map((field) => (
                <SettingInput
                  key={field.name}
                  field={field}
                  draft={draft(field)}
                  change={(next) => change(field, next)}
                  error={sending.reason(field.name)}
                />
              ))}
            </div>
          </fieldset>
        ))}
        <div className={classes.save}>
          <FormError error={sending.error} />
          <Button type="submit" loading={sending.pending} disabled={count === 0}>
            Save changes
          </Button>
          {count > 0 ? (
            <Button variant="default" onClick={discard}>
              Discard
            </Button>
          ) : null}
          <output>{count > 0 ? `${count} ${count === 1 ? 'change' : 'changes'}` : sending.done ? 'Saved.' : ''}</output>
        </div>
      </form>
      <StoredSettings current={current} search={search} />
    </AdminFrame>
  );
}
