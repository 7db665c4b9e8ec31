/** Identity: users, access tokens, sessions, and who is behind a request. */
import type { Db } from '../../kernel/db/index.ts';
import type { Feature } from '../../kernel/feature.ts';
import type { Secrets } from '../../kernel/secrets/index.ts';
import type { ChangeFeed, Settings } from '../../kernel/settings/index.ts';
import { identityChannel } from './changes/index.ts';
import {
  type AuthenticateBasic,
  type Credentials,
  createBasic,
  createCallerCache,
  createResolver,
  createUsageRecorder,
  type JobTokenResolver,
  touchUsers,
} from './credentials/index.ts';
import { instanceRoutes, type Release } from './instance/instance.routes.ts';
import { createPasswords } from './passwords/index.ts';
import {
  createSessions,
  deleteSessionsOf,
  extendSessions,
  mountSessions,
  sessionCron,
  sessionLifetimes,
  sessionRoutes,
  sessionTasks,
} from './sessions/index.ts';
import { type SeedRoot, seedRoot } from './setup/seed.ts';
import { createTokens, type Tokens, tokenRoutes, touchTokens } from './tokens/index.ts';
import { createTwoFactor, twoFactorRoutes } from './two-factor/index.ts';
import { createUsers, type UserCreatedHook, type Users, userRoutes } from './users/index.ts';

export { scopesAllowGit } from './credentials/index.ts';
export type { Release } from './instance/instance.routes.ts';
export { allScopes, userScopes } from './tokens/index.ts';
export {
  findReferences,
  findUser,
  findUserByUsername,
  type ReferenceRow,
  UserProfile,
  UserReference,
  userProfile,
  userReference,
} from './users/index.ts';

export interface IdentityDependencies {
  readonly db: Db;
  readonly settings: Settings;
  /** Changes that other processes made; caches of callers are bypassed while they do not arrive. */
  readonly changes: ChangeFeed;
  readonly log: { error(details: object, message: string): void };
  /** Without a trailing slash. */
  readonly externalUrl: string;
  readonly release: Release;
  readonly secrets: Pick<Secrets, 'sign' | 'verify' | 'seal' | 'open'>;
  readonly userCreated: UserCreatedHook;
  readonly resolveJobToken: JobTokenResolver;
  readonly groupsAskForTwoFactor: GroupsAskHook;
  /** Counts an attempt to sign in to an account; why it is refused, null when it is not. */
  readonly signInRefusal: (login: string) => Promise<Error | null>;
}

/** Hours of grace of the groups that ask a person for a second factor; provided by namespaces through app.ts. */
export type GroupsAskHook = (userId: number) => Promise<readonly number[]>;

export interface Identity extends Feature {
  /** For the edge: who is behind the credentials of a request. */
  readonly resolver: Credentials;
  /** For git and other transports with Basic authentication. */
  readonly authenticateBasic: AuthenticateBasic;
  readonly users: Users;
  readonly tokens: Tokens;
  /** Forgets cached callers after a change of rights made by another slice. */
  forgetCallers(): void;
  /** The first administrator; false when there is one. */
  seedRoot(root: SeedRoot): Promise<boolean>;
  /** Writes what is pending. */
  close(): Promise<void>;
}

/** One per process, made by app.ts. */
export function identityFeature(deps: IdentityDependencies): Identity {
  const { db, settings, changes, externalUrl, userCreated } = deps;
  const passwords = createPasswords();
  const cache = createCallerCache(() => changes.connected);
  changes.on(identityChannel, cache.clear);
  changes.onLost(cache.clear);
  const usage = createUsageRecorder({
    write: async ({ tokens, sessions, users }) => {
      if (tokens.length > 0) await touchTokens(db, tokens);
      if (sessions.length > 0) {
        const { usual, remembered } = await sessionLifetimes(settings);
        await extendSessions(db, sessions, usual, remembered);
      }
      await touchUsers(db, users);
    },
    failed: (error) => deps.log.error({ err: error }, 'the last use of credentials could not be written'),
  });
  const twoFactor = createTwoFactor({
    db,
    settings,
    secrets: deps.secrets,
    externalUrl,
    groupsAsk: deps.groupsAskForTwoFactor,
  });
  const resolver = createResolver({
    db,
    cache,
    usage,
    secrets: deps.secrets,
    resolveJobToken: deps.resolveJobToken,
    settings,
    twoFactorRequiredUntil: twoFactor.requiredUntil,
    refusesTokensInUrls: async () => (await settings.read()).refuse_tokens_in_urls,
  });
  const users = createUsers({ db, settings, passwords, userCreated, endSessions: deleteSessionsOf });
  const tokens = createTokens({ db, settings, forget: cache.clear });
  const sessions = createSessions({ db, settings, passwords, forget: cache.clear });
  return {
    routes: [
      ...instanceRoutes(deps.release),
      ...userRoutes({ db, users, externalUrl }),
      ...tokenRoutes({ db, tokens }),
      ...sessionRoutes({ db, forget: cache.clear }),
      ...twoFactorRoutes({ db, twoFactor, passwordIsRight: sessions.passwordIsRight }),
    ],
    tasks: sessionTasks(db),
    cron: sessionCron,
    mount: (server) =>
      mountSessions(server, {
        sessions,
        twoFactor,
        credentials: resolver,
        settings,
        externalUrl,
        signInRefusal: deps.signInRefusal,
      }),
    resolver,
    authenticateBasic: createBasic({ resolver, checkPassword: sessions.checkOnlyPassword, settings }),
    users,
    tokens,
    forgetCallers: cache.clear,
    seedRoot: (root) => seedRoot(db, passwords, userCreated, root),
    close: usage.close,
  };
}
