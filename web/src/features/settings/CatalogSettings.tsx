/** Whether a project is in the catalog of CI/CD components. Its owners decide. */
import { Alert, Button, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { client, unwrap } from '../../lib/api.ts';
import { catalogParams, catalogSetting } from '../../lib/catalog.ts';
import { ActionSection } from '../../ui/ActionSection.tsx';
import { ConfirmButton } from '../../ui/ConfirmButton.tsx';
import { FormError } from '../../ui/FormError.tsx';
import { LinkButton } from '../../ui/links.ts';
import { level, useProject } from '../projects/useProject.ts';

export function CatalogSettings() {
  const { path, level: own } = useProject();
  const cache = useQueryClient();
  const setting = useQuery(catalogSetting(path));
  const params = { params: { path: { id: path } } };
  const shown = async () => {
    await cache.invalidateQueries({ queryKey: catalogSetting(path).queryKey });
    cache.removeQueries({ queryKey: ['catalog'] });
  };
  const add = useMutation({
    mutationFn: () => unwrap(client.PUT('/projects/{id}/catalog', params)),
    onSuccess: shown,
  });
  if (own < level.owner || setting.data === undefined) return <FormError error={setting.error} />;
  return (
    <ActionSection title="CI/CD catalog">
      <Text>
        Releases of semantic versions publish the components in <code>templates</code> with their inputs. Whoever may
        read the code of this project finds them in the CI/CD catalog.
      </Text>
      {setting.data.problem ? (
        <Alert color="red" title="The newest release was not published" mb="sm">
          {setting.data.problem}
        </Alert>
      ) : null}
      <FormError error={add.error} />
      {setting.data.latest_version ? (
        <LinkButton to="/explore/catalog/$group/$" params={catalogParams(path)} mb="sm">
          Go to the catalog page
        </LinkButton>
      ) : null}
      {setting.data.created_at ? (
        <ConfirmButton
          title="Remove from the CI/CD catalog"
          text="All published versions are removed from the catalog. Releases and components stay."
          action="Remove"
          label="Remove from the CI/CD catalog"
          run={() => unwrap(client.DELETE('/projects/{id}/catalog', params))}
          shown={shown}
        />
      ) : (
        <Button variant="default" loading={add.isPending} onClick={() => add.mutate()}>
          Add to the CI/CD catalog
        </Button>
      )}
    </ActionSection>
  );
}
