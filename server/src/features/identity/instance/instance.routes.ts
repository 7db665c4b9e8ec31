/** Routes that tell which release answers. */
import Type from 'typebox';
import { type Route, route } from '../../../kernel/http/route.ts';
import { compatibleVersion } from '../../../kernel/names.ts';
import { Metadata } from './instance.entity.ts';

/** What was built: the product's own version and the commit, as far as it is known. */
export interface Release {
  readonly version: string;
  readonly revision: string;
}

const common = {
  method: 'GET',
  credentials: ['token', 'session'],
  scopes: ['api', 'read_api', 'read_user'],
  access: { on: 'instance', ability: 'signed_in' },
  tag: 'Metadata',
} as const;

export function instanceRoutes(release: Release): Route[] {
  const metadata = {
    ...common,
    params: Type.Object({}),
    responses: { 200: Metadata },
    handler: async () => ({
      version: compatibleVersion,
      revision: release.revision,
      kas: { enabled: false, externalUrl: null, externalK8sProxyUrl: null, version: null },
      enterprise: true,
      millrace_version: release.version,
    }),
  } as const;
  return [
    route({
      ...metadata,
      path: '/version',
      summary: 'Get the version and metadata of the instance (older form of the route)',
    }),
    route({ ...metadata, path: '/metadata', summary: 'Get the version and metadata of the instance' }),
  ];
}
