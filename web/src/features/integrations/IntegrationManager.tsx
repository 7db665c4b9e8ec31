/** Integrations of a project, a group or the instance: which are active, and the settings of each. */
import { Anchor, Badge, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type IntegrationPlace, integrationKinds, integrationsOf } from '../../lib/integrations.ts';
import { DataList, DataRow } from '../../ui/DataList.tsx';
import { FormError } from '../../ui/FormError.tsx';
import { IntegrationForm } from './IntegrationForm.tsx';

const reach = {
  project: 'Services that receive events of this project.',
  group: 'Defaults for all projects in this group and its subgroups.',
  instance: 'Defaults for all groups and projects of this instance.',
} as const;

export function IntegrationManager({ place }: { place: IntegrationPlace }) {
  const kinds = useQuery(integrationKinds());
  const active = useQuery(integrationsOf(place));
  const [chosen, setChosen] = useState<string | null>(null);
  const kind = kinds.data?.find(({ slug }) => slug === chosen);
  if (kind) return <IntegrationForm key={kind.slug} place={place} kind={kind} close={() => setChosen(null)} />;
  const bySlug = new Map(active.data?.map((each) => [each.slug, each]));
  return (
    <>
      <Text c="var(--mr-dim)" mb="md">
        {reach[place.noun]}
      </Text>
      <FormError error={kinds.error ?? active.error} />
      <DataList label="Integrations">
        {(kinds.data ?? [])
          .toSorted(
            (a, b) => Number(bySlug.has(b.slug)) - Number(bySlug.has(a.slug)) || Number(b.acts) - Number(a.acts),
          )
          .map(({ slug, title, acts }) => (
            <DataRow
              key={slug}
              title={
                <Anchor component="button" type="button" data-entry onClick={() => setChosen(slug)}>
                  {title}
                </Anchor>
              }
              meta={acts ? null : <span>Settings are stored; nothing is sent</span>}
              after={
                bySlug.has(slug) ? (
                  <Badge variant="light">{bySlug.get(slug)?.inherited ? 'Active (inherited)' : 'Active'}</Badge>
                ) : null
              }
            />
          ))}
      </DataList>
    </>
  );
}
