/** How a mirror over SSH and its server know each other: the mirror's public key, and fingerprints of the server's keys. */
import { Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { PublicKey, PushMirror } from '../../lib/push-mirrors.ts';
import { CopyButton } from '../../ui/CopyButton.tsx';

interface Keyed {
  readonly url: string;
  readonly host_keys: PushMirror['host_keys'];
}

export function MirrorKey({ mirror, publicKey }: { mirror: Keyed; publicKey: PublicKey }) {
  const { data } = useQuery(publicKey);
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
