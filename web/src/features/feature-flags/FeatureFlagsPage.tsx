/** Feature flags of a project: what is on, for whom and where; and what applications are configured with. */
import { Box, Button, Group, Switch, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient, useSuspenseInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { client, unwrap } from '../../lib/api.ts';
import { type FeatureFlag, featureFlags, flagsClient, flagsKey } from '../../lib/feature-flags.ts';
import { ActionSection } from '../../ui/ActionSection.tsx';
import { ConfirmButton } from '../../ui/ConfirmButton.tsx';
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { useConfirmed } from '../../ui/confirmed.ts';
import { DataList, DataRow } from '../../ui/DataList.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { FormError } from '../../ui/FormError.tsx';
import { Modal } from '../../ui/Modal.tsx';
import { Page } from '../../ui/Page.tsx';
import { ShowMore } from '../../ui/ShowMore.tsx';
import { level, useProject } from '../projects/useProject.ts';
import { FlagForm } from './FlagForm.tsx';
import { labelOf } from './strategies.ts';

function ClientSettings({ path, owns }: { path: string; owns: boolean }) {
  const cache = useQueryClient();
  const { data } = useQuery(flagsClient(path));
  if (data === undefined) return null;
  return (
    <ActionSection title="Configure your application">
      <Text>Give an Unleash client these values, and the name of its environment as the application name.</Text>
      {[
        ['API URL', data.url],
        ['Instance ID', data.instance_id],
      ].map(([label, value]) => (
        <Group key={label} gap="xs">
          <Text component="span" size="sm" fw={600}>
            {label}
          </Text>
          {value ? (
            <>
              <code style={{ overflowWrap: 'anywhere', minWidth: 0 }}>{value}</code>
              <CopyButton value={value} label={`Copy ${label}`} />
            </>
          ) : (
            <Text component="span" size="sm">
              Not generated yet
            </Text>
          )}
        </Group>
      ))}
      {owns ? (
        <ConfirmButton
          title="Generate instance ID"
          text="Applications with the current instance ID get no more flags until you give them the new one."
          action="Generate"
          label="Generate instance ID"
          run={() =>
            unwrap(client.POST('/projects/{id}/feature_flags_client/reset_token', { params: { path: { id: path } } }))
          }
          shown={() => cache.invalidateQueries({ queryKey: flagsClient(path).queryKey })}
        />
      ) : null}
    </ActionSection>
  );
}

export default function FeatureFlagsPage() {
  const { project, path, level: own } = useProject();
  const cache = useQueryClient();
  const { data, hasNextPage, isFetchingNextPage, fetchNextPage } = useSuspenseInfiniteQuery(featureFlags(path));
  const [open, setOpen] = useState<FeatureFlag | 'new' | null>(null);
  const found = data.pages.flatMap(({ items }) => items);
  const again = () => cache.invalidateQueries({ queryKey: flagsKey(path) });
  const saved = async () => {
    await again();
    setOpen(null);
  };
  const at = ({ name }: FeatureFlag) => ({ params: { path: { id: path, feature_flag_name: name } } });
  const turning = useMutation({
    mutationFn: (flag: FeatureFlag) =>
      unwrap(
        client.PUT('/projects/{id}/feature_flags/{feature_flag_name}', { ...at(flag), body: { active: !flag.active } }),
      ),
    onSuccess: again,
  });
  const removing = useConfirmed(
    (flag: FeatureFlag) => unwrap(client.DELETE('/projects/{id}/feature_flags/{feature_flag_name}', at(flag))),
    again,
  );
  return (
    <Page
      title={`Feature flags · ${project.name_with_namespace}`}
      heading="Feature flags"
      actions={
        <Button size="xs" onClick={() => setOpen('new')}>
          New feature flag
        </Button>
      }
    >
      <FormError error={turning.error} />
      {found.length === 0 ? (
        <EmptyState title="No feature flags yet">
          Deploy a feature switched off, then turn it on for some users or environments.
        </EmptyState>
      ) : (
        <DataList label="Feature flags">
          {found.map((flag) => (
            <DataRow
              key={flag.name}
              before={
                <Switch
                  aria-label={`${flag.name} is active`}
                  checked={flag.active}
                  onChange={() => turning.mutate(flag)}
                />
              }
              title={flag.name}
              meta={
                <>
                  {flag.description ? <span>{flag.description}</span> : null}
                  {flag.strategies.map(({ id, name, scopes }) => (
                    <span key={id}>
                      {labelOf(name)}:{' '}
                      {scopes.map(({ environment_scope }) => environment_scope).join(', ') || 'nowhere'}
                    </span>
                  ))}
                </>
              }
              after={
                <Group gap="xs">
                  <Button size="xs" variant="default" aria-label={`Edit ${flag.name}`} onClick={() => setOpen(flag)}>
                    Edit
                  </Button>
                  <Button
                    size="xs"
                    variant="subtle"
                    color="red"
                    aria-label={`Delete ${flag.name}`}
                    onClick={() => removing.ask(flag)}
                  >
                    Delete
                  </Button>
                </Group>
              }
            />
          ))}
        </DataList>
      )}
      <ShowMore more={hasNextPage} pending={isFetchingNextPage} show={fetchNextPage} />
      <Box mt="lg">
        <ClientSettings path={path} owns={own >= level.maintainer} />
      </Box>
      <Modal
        opened={open !== null}
        onClose={() => setOpen(null)}
        title={open === 'new' ? 'New feature flag' : 'Edit feature flag'}
      >
        {open === null ? null : (
          <FlagForm path={path} flag={open === 'new' ? null : open} saved={saved} cancel={() => setOpen(null)} />
        )}
      </Modal>
      <ConfirmDialog
        {...removing.dialog}
        title="Delete feature flag"
        text="Applications that ask for it no longer find it, and use their own default."
        action="Delete feature flag"
      />
    </Page>
  );
}
