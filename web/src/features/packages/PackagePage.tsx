/** One version of a package: its files with their checksums, who published it, other versions, and its end. */
import { Box, Text } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { client, unwrap } from '../../lib/api.ts';
import { onePackage, packageFiles, packagesKey } from '../../lib/packages.ts';
import { ConfirmButton } from '../../ui/ConfirmButton.tsx';
import { DataList, DataRow } from '../../ui/DataList.tsx';
import { Page } from '../../ui/Page.tsx';
import { TimeAgo } from '../../ui/TimeAgo.tsx';
import { level, useProject } from '../projects/useProject.ts';

const units = ['bytes', 'KB', 'MB', 'GB'] as const;
function sizeText(bytes: number): string {
  const step = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(bytes, 1)) / 3)));
  return `${Number((bytes / 1000 ** step).toPrecision(3))} ${units[step]}`;
}

export default function PackagePage() {
  const { id } = useParams({ from: '/p/$path/packages/$id' });
  const { project, path, segment, level: own } = useProject();
  const navigate = useNavigate();
  const cache = useQueryClient();
  const { data: found } = useSuspenseQuery(onePackage(path, Number(id)));
  const { data: files } = useSuspenseQuery(packageFiles(path, Number(id)));
  const mayDelete = own >= level.maintainer;
  const address = (file: string) =>
    `/api/v4/projects/${project.id}/packages/generic/${found.name}/${found.version}/${file}`;
  const leave = async () => {
    // The list is asked for anew on the way.
    cache.removeQueries({ queryKey: [...packagesKey(path), 'list'] });
    await navigate({ to: '/p/$path/packages', params: { path: segment } });
  };
  return (
    <Page
      title={`${found.name} ${found.version} · ${project.name_with_namespace}`}
      heading={`${found.name} ${found.version}`}
      actions={
        mayDelete ? (
          <ConfirmButton
            title="Delete package"
            text={`All files of version ${found.version} are deleted.`}
            action="Delete package"
            label="Delete package"
            run={() =>
              unwrap(
                client.DELETE('/projects/{id}/packages/{package_id}', {
                  params: { path: { id: path, package_id: found.id } },
                }),
              )
            }
            shown={leave}
          />
        ) : undefined
      }
    >
      <Text c="var(--mr-dim)" mb="md">
        Published <TimeAgo at={found.created_at} />
        {found.pipeline ? (
          <>
            {' by '}
            <Link to="/p/$path/pipelines/$id" params={{ path: segment, id: String(found.pipeline.id) }}>
              pipeline #{found.pipeline.id}
            </Link>
          </>
        ) : null}
      </Text>
      <DataList label="Files">
        {files.map((file) => (
          <DataRow
            key={file.id}
            title={<a href={address(file.file_name)}>{decodeURIComponent(file.file_name)}</a>}
            meta={
              <>
                <span>{sizeText(file.size)}</span>
                <span>
                  SHA-256 <code>{file.file_sha256}</code>
                </span>
                <TimeAgo at={file.created_at} />
              </>
            }
            after={
              mayDelete ? (
                <ConfirmButton
                  title="Delete file"
                  about={`Delete ${decodeURIComponent(file.file_name)}`}
                  text="It can no longer be downloaded."
                  action="Delete file"
                  icon={<IconTrash size={16} />}
                  run={() =>
                    unwrap(
                      client.DELETE('/projects/{id}/packages/{package_id}/package_files/{package_file_id}', {
                        params: { path: { id: path, package_id: found.id, package_file_id: file.id } },
                      }),
                    )
                  }
                  shown={() => cache.invalidateQueries({ queryKey: packagesKey(path) })}
                />
              ) : undefined
            }
          />
        ))}
      </DataList>
      {found.versions && found.versions.length > 0 ? (
        <Box mt="lg">
          <h2>Other versions</h2>
          <DataList label="Other versions">
            {found.versions.map((other) => (
              <DataRow
                key={other.id}
                title={
                  <Link to="/p/$path/packages/$id" params={{ path: segment, id: String(other.id) }}>
                    {other.version}
                  </Link>
                }
                meta={<TimeAgo at={other.created_at} />}
              />
            ))}
          </DataList>
        </Box>
      ) : null}
    </Page>
  );
}
