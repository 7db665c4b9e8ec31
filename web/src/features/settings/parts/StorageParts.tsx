/** Artifacts and caches of a project. */
import { Stack } from '@mantine/core';
import { ArtifactStorage } from '../ArtifactStorage.tsx';
import { CacheSettings } from '../CacheSettings.tsx';

export default function StorageParts() {
  return (
    <Stack gap={40}>
      <div>
        <ArtifactStorage />
      </div>
      <div>
        <CacheSettings />
      </div>
    </Stack>
  );
}
