/** JSON of what the instance tells about itself. */
import { Entity, Fields, Flag, Nullable, Text } from '../../../kernel/http/entity.ts';

export const Metadata = Entity('Metadata', {
  version: Text({ description: 'The release of the API that this server is compatible with' }),
  revision: Text({ description: 'Commit that this release was built from' }),
  kas: Fields(
    {
      enabled: Flag(),
      externalUrl: Nullable(Text()),
      externalK8sProxyUrl: Nullable(Text()),
      version: Nullable(Text()),
    },
    { description: 'Agent server for Kubernetes: not part of Millrace' },
  ),
  enterprise: Flag({ description: 'All features are there' }),
  millrace_version: Text({ description: 'The release of this server' }),
});
