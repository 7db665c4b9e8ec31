/** Application settings that act: by topic, by what is looked for, or those that differ from their default. */
import { Button, Text } from '@mantine/core';
import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { client, unwrap } from '../../lib/api.ts';
import { counted } from '../../lib/counted.ts';
import * as data from '../../lib/data.ts';
import { DataList, DataRow } from '../../ui/DataList.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { FilterBar } from '../../ui/FilterBar.tsx';
import { FormError } from '../../ui/FormError.tsx';
import { useForm } from '../../ui/forms.ts';
import { AdminFrame } from './AdminFrame.tsx';
import classes from './admin.module.css';
import { SettingInput } from './SettingInput.tsx';
import { type SettingField, settingFields, settingOwners } from './settings-fields.gen.ts';
import {
  changesOf,
  type Draft,
  draftOf,
  grouped,
  isDefault,
  matches,
  type SettingsSearch,
  type Values,
} from './settings-form.ts';

// The rules of default branches are set by their level; what has no effect is left to the API.
const editable = settingFields.filter((field) => field.acts && field.kind !== 'map');
const topics = grouped(editable, settingOwners);

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

/** All topics, with how much of each was changed. */
function Topics({ current }: { current: Values }) {
  return (
    <DataList label="Topics">
      {topics.map(({ owner, title, fields }) => {
        const changed = fields.filter((field) => !isDefault(field, current[field.name])).length;
        return (
          <DataRow
            key={owner}
            title={
              <Link to="/admin/application_settings/general" search={{ topic: owner }} data-entry>
                {title}
              </Link>
            }
            after={
              <span>
                {counted(fields.length, 'setting', 'settings')}
                {changed > 0 ? `, ${changed} changed` : ''}
              </span>
            }
          />
        );
      })}
    </DataList>
  );
}

/** Whether a field is on the page of this address. */
function isAskedFor(field: SettingField, { search, topic, changed }: SettingsSearch, current: Values): boolean {
  if (search !== undefined) return matches(field, search);
  return changed ? !isDefault(field, current[field.name]) : field.owner === topic;
}

/** The views differ in their query alone. */
const exactly = { exact: true, includeSearch: true };

const nothing = {
  search: 'No settings match your search.',
  changed: 'All settings have their defaults.',
  topic: 'This topic does not exist.',
};

export default function ApplicationSettingsPage() {
  const { data: settings } = useSuspenseQuery(data.applicationSettings());
  const current = settings as Values;
  const asked = useSearch({ from: '/administration/admin/application_settings/general' });
  const navigate = useNavigate({ from: '/admin/application_settings/general' });
  const { sending, count, isChanged, draft, change, discard } = useSettingsForm(current);
  // What was typed stays in sight, whatever is looked for.
  const groups = grouped(
    editable.filter((field) => isAskedFor(field, asked, current) || isChanged(field)),
    settingOwners,
  );
  const all = asked.search === undefined && asked.topic === undefined && !asked.changed;
  const different = editable.filter((field) => !isDefault(field, current[field.name])).length;
  return (
    <AdminFrame title="Settings">
      <FilterBar
        label="Search settings"
        value={asked.search ?? ''}
        change={(text) => void navigate({ search: text === '' ? {} : { search: text }, replace: true })}
      />
      <nav aria-label="Views of the settings" className={classes.views}>
        <Link to="/admin/application_settings/general" search={{}} activeOptions={exactly}>
          All topics
        </Link>
        <Link to="/admin/application_settings/general" search={{ changed: true }} activeOptions={exactly}>
          Changed from default ({different})
        </Link>
      </nav>
      {all ? <Topics current={current} /> : null}
      {!all && groups.length === 0 ? (
        <EmptyState title={nothing[asked.search !== undefined ? 'search' : asked.changed ? 'changed' : 'topic']}>
          <Link to="/admin/application_settings/general" search={{}}>
            All topics
          </Link>
        </EmptyState>
      ) : null}
      <form {...sending.form} aria-label="Application settings">
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
        {all && groups.length === 0 ? null : (
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
            <output>
              {count > 0 ? `${count} ${count === 1 ? 'change' : 'changes'}` : sending.done ? 'Saved.' : ''}
            </output>
          </div>
        )}
      </form>
      <Text c="var(--mr-dim)" mt="lg">
        Attributes that have no effect on this instance are available only through the API.
      </Text>
    </AdminFrame>
  );
}
