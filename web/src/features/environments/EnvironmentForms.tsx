/** Creating and editing an environment. */
import { NativeSelect, Stack } from '@mantine/core';
import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { forbidden } from '../../lib/api.ts';
import { saveEnvironment } from '../../lib/environment-actions.ts';
import { type Environment, environment, environmentsKey } from '../../lib/environments.ts';
import { FormActions } from '../../ui/FormActions.tsx';
import { FormError } from '../../ui/FormError.tsx';
import { useForm } from '../../ui/forms.ts';
import { Page } from '../../ui/Page.tsx';
import { TextField, useFields } from '../../ui/TextField.tsx';
import { level, useProject } from '../projects/useProject.ts';
import { tiers } from './tiers.ts';

const stops = [
  { value: 'always', label: 'Always' },
  { value: 'with_action', label: 'Only with a stop job' },
];
const tierChoices = Object.entries(tiers).map(([value, label]) => ({ value, label }));

function EnvironmentForm({ known }: { known?: Environment }) {
  const { path, segment } = useProject();
  const of = useFields({
    name: known?.name ?? '',
    external_url: known?.external_url ?? '',
    description: known?.description ?? '',
    tier: (known?.tier ?? '') as string,
    auto_stop_setting: (known?.auto_stop_setting ?? 'always') as string,
    kubernetes_namespace: known?.kubernetes_namespace ?? '',
    flux_resource_path: known?.flux_resource_path ?? '',
  });
  const cache = useQueryClient();
  const navigate = useNavigate();
  const sending = useForm(async () => {
    const { name, tier, auto_stop_setting, ...texts } = of.values;
    const saved = await saveEnvironment(path, known ?? { name }, {
      ...texts,
      auto_stop_setting: auto_stop_setting as Environment['auto_stop_setting'],
      ...(tier ? { tier: tier as Environment['tier'] } : {}),
    });
    await cache.invalidateQueries({ queryKey: environmentsKey(path) });
    await navigate({ to: '/p/$path/environments/$id', params: { path: segment, id: String(saved.id) } });
  });
  const field = { of, reason: sending.reason };
  return (
    <form {...sending.form}>
      <FormError error={sending.error} />
      <Stack gap="md">
        {known ? null : (
          <TextField
            {...field}
            name="name"
            label="Name"
            description="Environments such as review/x are grouped in the folder review"
            required
            autoFocus
          />
        )}
        <TextField {...field} name="external_url" label="External URL" placeholder="https://" />
        <TextField {...field} name="description" label="Description" />
        <NativeSelect
          label="Tier"
          value={of.values.tier}
          onChange={(event) => of.set('tier', event.currentTarget.value)}
          data={known ? tierChoices : [{ value: '', label: 'Detect from the name' }, ...tierChoices]}
          error={sending.reason('tier')}
        />
        <NativeSelect
          label="Auto-stop"
          value={of.values.auto_stop_setting}
          onChange={(event) => of.set('auto_stop_setting', event.currentTarget.value)}
          data={stops}
          error={sending.reason('auto_stop_setting')}
        />
        <TextField {...field} name="kubernetes_namespace" label="Kubernetes namespace" maxLength={255} />
        <TextField {...field} name="flux_resource_path" label="Flux resource" maxLength={255} />
        <FormActions
          action={known ? 'Save changes' : 'Create environment'}
          pending={sending.pending}
          cancel={() =>
            void (known
              ? navigate({ to: '/p/$path/environments/$id', params: { path: segment, id: String(known.id) } })
              : navigate({ to: '/p/$path/environments', params: { path: segment } }))
          }
        />
      </Stack>
    </form>
  );
}

export function NewEnvironmentPage() {
  const { project, level: own } = useProject();
  if (own < level.developer) throw forbidden();
  return (
    <Page title={`New environment · ${project.name_with_namespace}`} heading="New environment" narrow>
      <EnvironmentForm />
    </Page>
  );
}

export function EditEnvironmentPage() {
  const { project, path, level: own } = useProject();
  const { id = '' } = useParams({ strict: false });
  const { data } = useSuspenseQuery(environment(path, Number(id)));
  if (own < level.developer) throw forbidden();
  return (
    <Page title={`Edit ${data.name} · ${project.name_with_namespace}`} heading={`Edit ${data.name}`} narrow>
      <EnvironmentForm known={data} key={data.id} />
    </Page>
  );
}
