/** The OAuth 2.0 provider. */
import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import type { Route } from '../../../kernel/http/route.ts';
import { type CronItem, defineTask, type Task } from '../../../kernel/queue/index.ts';
import { createAuthorize } from './authorize.service.ts';
import { authorizedRoutes } from './authorized.routes.ts';
import { type ConsentMountDependencies, mountConsent } from './consent.mount.ts';
import { createDevices } from './devices.service.ts';
import { createGrants } from './grants.service.ts';
import { mountTokenEndpoints, type TokenMountDependencies } from './token.mount.ts';

type Own = 'grants' | 'devices' | 'authorize';
export type OauthDependencies = Omit<TokenMountDependencies & ConsentMountDependencies, Own> & {
  readonly forget: () => void;
};

const sweepName = 'oauth.delete_ended';

export function createOauth(deps: OauthDependencies) {
  const grants = createGrants(deps);
  const devices = createDevices({ ...deps, grants });
  const authorize = createAuthorize({ ...deps, grants });
  return {
    routes: authorizedRoutes({ db: deps.db, grants }) as readonly Route[],
    tasks: [defineTask(sweepName, Type.Object({}), () => grants.sweep())] as readonly Task[],
    cron: [{ schedule: '41 3 * * *', task: sweepName }] as readonly CronItem[],
    mount: (server: FastifyInstance) => {
      mountTokenEndpoints(server, { ...deps, grants, devices });
      mountConsent(server, { ...deps, authorize, devices });
    },
  };
}
