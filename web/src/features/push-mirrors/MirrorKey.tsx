/** How a mirror over SSH and its server know each other: the mirror's public key, and fingerprints of the server's keys. */
import { Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { client, unwrap } from '../../lib/api.ts';
import type { PushMirror } from '../../lib/push-mirrors.ts';
import { CopyButton } from '../../ui/CopyButton.tsx';

export function MirrorKey({ path, mirror }: { path: string; mirror: PushMirror }) {
  const { data } = useQuery({
    queryKey: ['project', path, 'push-mirror-key', mirror.id],
    queryFn: () =>
      unwrap(
        client.GET('/projects/{id}/remote_mirrors/{mirror_id}/public_key', {
          params: { path: { id: path, mirror_id: mirror.id } },
        }),
      ),
  });
  return (
    <>
      {data ? (
        <Group gap={4} component="span">
          Public key
          <CopyButton value={data.public_key} label={`Copy the public key of ${mirror.url}`} />
        </Group>
      ) : null}
      {mirror.host_keys.map(({ fingerprint_sha256: fingerprint }) => (
        <span key={fingerprint}>
          Host key <code>{fingerprint}</code>
        </span>
      ))}
    </>
  );
}
