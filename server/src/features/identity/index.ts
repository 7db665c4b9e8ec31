/** Identity: users, access tokens, sessions, and who is behind a request. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Appearance } from '../../kernel/appearance/index.ts';
import { systemOrigin } from '../../kernel/audit/index.ts';
import type { Caller } from '../../kernel/authz/subjects.ts';
import type { Db } from '../../kernel/db/index.ts';
import type { User } from '../../kernel/db/rows.ts';
import type { Feature } from '../../kernel/feature.ts';
import type { Mail } from '../../kernel/mail/index.ts';
import type { Markdown } from '../../kernel/markdown/index.ts';
import type { ObjectStore } from '../../kernel/objects/index.ts';
import type { Ports } from '../../kernel/ports.ts';
import type { Secrets } from '../../kernel/secrets/index.ts';
import type { ChangeFeed, Settings } from '../../kernel/settings/index.ts';
import { accountRoutes } from './account/index.ts';
import { applicationRoutes, createApplications } from './applications/index.ts';
import { auditEventRoutes } from './audit-events/index.ts';
import { createAvatars, mountAvatars } from './avatars/index.ts';
import { identityChannel } from './changes/index.ts';
import { createConfirmations } from './confirmations/index.ts';
import {
  type AuthenticateBasic,
  addressLimit,
  type Credentials,
  createBasic,
  createCallerCache,
  createLfsCredentials,
  createResolver,
  createUsageRecorder,
  type JobTokenResolver,
  type LfsCredentials,
  touchUsers,
} from './credentials/index.ts';
import { createDeployKeys, type DeployKeyDependencies, type DeployKeys, deployKeyRoutes } from './deploy-keys/index.ts';
import { createDeployTokens, deployTokenRoutes } from './deploy-tokens/index.ts';
import { createEmails, emailRoutes } from './emails/index.ts';
import { createFeedTokens, type FeedTokens, feedTokenRoutes } from './feed-tokens/index.ts';
import { createGpgKeys, gpgKeyRoutes } from './gpg-keys/index.ts';
import { createGraphql, mountGraphql } from './graphql/index.ts';
import { instanceRoutes, type Release } from './instance/instance.routes.ts';
import { createModeration, moderationRoutes } from './moderation/index.ts';
import { createOauth } from './oauth/index.ts';
import { createPasswords } from './passwords/index.ts';
import { announcements, failedPipelines } from './ports.ts';
import { ownProfileRoutes, relationRoutes, statusRoutes } from './profile/index.ts';
import { createPasswordReset, createRegistration, mountRegistration, passwordRoutes } from './registration/index.ts';
import { type Belongings, createRemoval, removalRoutes } from './removal/index.ts';
import { createServiceAccounts, type ServiceAccounts, serviceAccountRoutes } from './service-accounts/index.ts';
import {
  createSessions,
  deleteSessionsOf,
  extendSessions,
  mountHomePage,
  mountSessions,
  sessionCron,
  sessionLifetimes,
  sessionRoutes,
  sessionTasks,
} from './sessions/index.ts';
import { type SeedRoot, seedRoot } from './setup/seed.ts';
import { createSshKeys, createSshSignIn, type SshSignIn, sshKeyRoutes, touchSshKeys } from './ssh-keys/index.ts';
import {
  createTokens,
  expiringTokens,
  impersonationRoutes,
  selfRoutes,
  type Tokens,
  tokenCron,
  tokenRoutes,
  tokenTasks,
  touchTokens,
} from './tokens/index.ts';
import { createTwoFactor, type TwoFactor, twoFactorRoutes } from './two-factor/index.ts';
import {
  createEditing,
  createUsers,
  editingRoutes,
  mountUsernameExists,
  type UserCreatedHook,
  type UserRenamedHook,
  type Users,
  userReferences,
  userRoutes,
} from './users/index.ts';

export { type Avatars, avatarRules, createAvatars, maximumAvatarBytes } from './avatars/index.ts';
export { scopesAllowGit } from './credentials/index.ts';
export { type CiDeployToken, ciDeployToken } from './deploy-tokens/ci-token.ts';
export { setNotificationEmail } from './emails/index.ts';
export type { Release } from './instance/instance.routes.ts';
export { mailAddressOf } from './mails/index.ts';
export { announcements, failedPipelines } from './ports.ts';
export { activeAdministrators } from './registration/index.ts';
export {
  countServiceAccounts,
  listServiceAccounts,
  ServiceAccount,
  type ServiceAccountPlace,
  type ServiceAccounts,
  serviceAccount,
  serviceAccountChanges,
  serviceAccountOrder,
  serviceAccountParameters,
} from './service-accounts/index.ts';
export { hasSshKeys, type SshCaller, SshKeyEntity, type SshSignIn, sshKey } from './ssh-keys/index.ts';
export {
  allScopes,
  countTokens,
  type IssuedToken,
  listTokens,
  NewPersonalAccessToken,
  newTokenParameters,
  PersonalAccessToken,
  personalAccessToken,
  rotatingScopes,
  rotationParameters,
  type Tokens,
  tokenFilters,
  tokenProperties,
  userScopes,
} from './tokens/index.ts';
export {
  attributeParameters,
  CustomAttribute,
  findReferences,
  findUser,
  findUserByIdOrName,
  findUserByUsername,
  privateAddress,
  type ReferenceRow,
  UserProfile,
  UserReference,
  userAttributes,
  userProfile,
  userReference,
  usersMentioned,
} from './users/index.ts';

export interface IdentityDependencies {
  readonly db: Db;
  /** Password hashes without the work that protects them, for tests. */
  readonly quickPasswords: boolean;
  readonly markdown: Pick<Markdown, 'html'>;
  readonly appearance: Appearance;
  readonly settings: Settings;
  /** Changes that other processes made; caches of callers are bypassed while they do not arrive. */
  readonly changes: ChangeFeed;
  readonly log: { error(details: object, message: string): void; warn(details: object, message: string): void };
  readonly mail: Pick<Mail, 'configured' | 'send'>;
  readonly objects: ObjectStore;
  /** Without a trailing slash. */
  readonly externalUrl: string;
  readonly release: Release;
  readonly secrets: Pick<Secrets, 'sign' | 'verify' | 'seal' | 'open'>;
  readonly userCreated: UserCreatedHook;
  readonly userRenamed: UserRenamedHook;
  /** What other slices do with the rows of somebody who is removed. */
  readonly belongings: Belongings;
  readonly resolveJobToken: JobTokenResolver;
  readonly groupsAskForTwoFactor: GroupsAskHook;
  /** Counts an attempt to sign in to an account; why it is refused, null when it is not. */
  readonly signInRefusal: (login: string) => Promise<Error | null>;
  /** Counts a mail to an address that a stranger asks for; why it is refused, null when it is not. */
  readonly mailRefusal: (email: string) => Promise<Error | null>;
  /** Counts a check whether a username is taken; why it is refused, null when it is not. */
  readonly usernameCheckRefusal: (caller: Caller, address: string) => Promise<Error | null>;
  readonly impersonationEnabled: boolean;
  /** Whether git over SSH asks people who have a second factor for it. */
  readonly sshAsksSecondFactor: (user: User) => Promise<boolean>;
  /** Answers with the document of the pages; false where there is none or the client wants no page. */
  readonly page: (request: FastifyRequest, reply: FastifyReply) => boolean;
  /** Takes the memberships of bots away whose last token ended. */
  readonly botsRetired: (tx: Db, userIds: readonly number[]) => Promise<void>;
  /** Whether somebody may do more in a project than the caller. */
  readonly outranksOn: DeployKeyDependencies['outranksOn'];
  readonly ports: Pick<Ports, 'one'>;
}

/** Hours of grace of the groups that ask a person for a second factor; provided by namespaces through app.ts. */
export type GroupsAskHook = (userId: number) => Promise<readonly number[]>;

export interface Identity extends Feature {
  /** For the edge: who is behind the credentials of a request. */
  readonly resolver: Credentials;
  /** For git and other transports with Basic authentication. */
  readonly authenticateBasic: AuthenticateBasic;
  /** For git over SSH: who is behind a key. */
  readonly ssh: SshSignIn;
  /** Whether it is the user's own password. Attempts are counted like those to sign in. */
  readonly provesPassword: (user: User, password: string) => Promise<boolean>;
  /** What a deploy key may do in a project; null when the project does not have it. */
  readonly deployKeyIn: DeployKeys['within'];
  readonly twoFactor: Pick<TwoFactor, 'newRecoveryCodes'>;
  /** What `git-lfs` presents over HTTP after it asked over SSH. */
  readonly lfsCredentials: LfsCredentials;
  readonly users: Users;
  readonly tokens: Tokens;
  readonly serviceAccounts: ServiceAccounts;
  /** Bans an account in the name of the instance; throws where it cannot be banned. */
  readonly ban: (userId: number) => Promise<unknown>;
  /** Who a feed token stands for: for feeds alone. */
  readonly feedCaller: FeedTokens['caller'];
  /** Forgets cached callers after a change of rights made by another slice. */
  forgetCallers(): void;
  /** The first administrator; false when there is one. */
  seedRoot(root: SeedRoot): Promise<boolean>;
  /** Writes what is pending. */
  close(): Promise<void>;
}

/** One per process, made by app.ts. */
export function identityFeature(deps: IdentityDependencies): Identity {
  const { db, settings, changes, externalUrl, mail, objects, userCreated } = deps;
  const passwords = createPasswords({ quick: deps.quickPasswords });
  const cache = createCallerCache(() => changes.connected);
  changes.on(identityChannel, cache.clear);
  changes.onLost(cache.clear);
  const usage = createUsageRecorder({
    write: async ({ tokens, sessions, sshKeys, users }) => {
      if (tokens.length > 0) await touchTokens(db, tokens);
      if (sshKeys.length > 0) await touchSshKeys(db, sshKeys);
      if (sessions.length > 0) {
        const { usual, remembered } = await sessionLifetimes(settings);
        await extendSessions(db, sessions, usual, remembered);
      }
      if (users.length > 0) await touchUsers(db, users);
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
  const tokens = createTokens({
    db,
    settings,
    forget: cache.clear,
    impersonationEnabled: deps.impersonationEnabled,
    botsRetired: deps.botsRetired,
    removeBot: (userId) => removal.remove(userId, false, systemOrigin),
  });
  const expiring = expiringTokens({ db, mail, externalUrl });
  const addresses = addressLimit({ db, settings });
  const resolver = createResolver({
    db,
    admit: addresses.admit,
    cache,
    usage,
    secrets: deps.secrets,
    resolveJobToken: deps.resolveJobToken,
    settings,
    twoFactorRequiredUntil: twoFactor.requiredUntil,
    refusesTokensInUrls: async () => (await settings.read()).refuse_tokens_in_urls,
    impersonationEnabled: deps.impersonationEnabled,
    externalUrl,
    reused: (token, address) => tokens.reused(token, { author: null, address }),
  });
  const access = { db, endSessions: deleteSessionsOf, forget: cache.clear } as const;
  const confirmations = createConfirmations({ db, mail, externalUrl, forget: cache.clear });
  const userDependencies = { ...deps, ...access, passwords, confirmations };
  const users = createUsers(userDependencies);
  const editing = createEditing(userDependencies);
  const avatars = createAvatars(objects);
  const removal = createRemoval({ ...access, settings, mail, belongings: deps.belongings });
  const serviceAccounts = createServiceAccounts({ db, settings, externalUrl, confirmations, editing, removal });
  const moderation = createModeration({ ...access, settings, mail, externalUrl });
  const sessions = createSessions({
    db,
    settings,
    passwords,
    mail,
    reactivate: ({ id, name, email }, address) => moderation.reactivate(id, { author: { id, name, email }, address }),
    forget: cache.clear,
  });
  const deployKeys = createDeployKeys({ db, settings, outranksOn: deps.outranksOn });
  const ssh = createSshSignIn({
    db,
    settings,
    usage,
    externalUrl,
    twoFactorRequiredUntil: twoFactor.requiredUntil,
    asksSecondFactor: deps.sshAsksSecondFactor,
    checkCode: twoFactor.checkCode,
  });
  const feedTokens = createFeedTokens({ db, settings, secrets: deps.secrets });
  const registration = createRegistration({ db, settings, users, mail, externalUrl });
  const reset = createPasswordReset({
    ...access,
    settings,
    passwords,
    mail,
    secrets: deps.secrets,
    externalUrl,
    checkPassword: sessions.checkExpiredPassword,
  });
  const oauth = createOauth({
    db,
    settings,
    forget: cache.clear,
    credentials: resolver,
    signInRefusal: deps.signInRefusal,
    checkOnlyPassword: sessions.checkOnlyPassword,
    twoFactorRequiredUntil: twoFactor.requiredUntil,
    page: deps.page,
    externalUrl,
  });
  return {
    routes: [
      ...instanceRoutes(deps.release),
      ...userRoutes({ db, externalUrl }),
      ...editingRoutes({ db, users, editing, avatars, settings, externalUrl }),
      ...removalRoutes(db, removal),
      ...serviceAccountRoutes(db, serviceAccounts),
      ...moderationRoutes(moderation, removal),
      ...statusRoutes(db),
      ...ownProfileRoutes({
        db,
        editing,
        avatars,
        externalUrl,
        forget: cache.clear,
        failedPipelines: deps.ports.one(failedPipelines),
      }),
      ...accountRoutes({
        db,
        settings,
        editing,
        removal,
        confirmations,
        mail,
        passwordIsRight: sessions.passwordIsRight,
        externalUrl,
      }),
      ...feedTokenRoutes(feedTokens),
      ...relationRoutes(db, externalUrl),
      ...sshKeyRoutes({ db, sshKeys: createSshKeys({ db, settings, mail }), externalUrl }),
      ...gpgKeyRoutes(db, createGpgKeys({ db, mail })),
      ...emailRoutes(db, createEmails(db, confirmations)),
      ...selfRoutes({ db, tokens }),
      ...tokenRoutes({ db, tokens }),
      ...impersonationRoutes({ db, tokens }),
      ...passwordRoutes({ db, reset, passwordIsRight: sessions.passwordIsRight }),
      ...sessionRoutes({ db, forget: cache.clear }),
      ...twoFactorRoutes({ db, twoFactor, passwordIsRight: sessions.passwordIsRight }),
      ...applicationRoutes({ db, settings, applications: createApplications({ db, settings, forget: cache.clear }) }),
      ...oauth.routes,
      ...auditEventRoutes(db),
      ...deployKeyRoutes(db, deployKeys),
      ...deployTokenRoutes(db, createDeployTokens({ db, settings, secrets: deps.secrets, forget: cache.clear })),
    ],
    references: [userReferences(db)],
    tasks: [
      ...sessionTasks(db),
      ...tokenTasks(tokens),
      expiring.task,
      addresses.task,
      ...confirmations.tasks,
      ...removal.tasks,
      ...moderation.tasks,
      ...reset.tasks,
      ...oauth.tasks,
    ],
    cron: [
      ...sessionCron,
      ...tokenCron,
      expiring.cron,
      addresses.cron,
      ...confirmations.cron,
      ...removal.cron,
      ...moderation.cron,
      ...oauth.cron,
    ],
    mount: (server) => {
      mountSessions(server, {
        db,
        sessions,
        twoFactor,
        credentials: resolver,
        settings,
        externalUrl,
        signInRefusal: deps.signInRefusal,
        announcements: deps.ports.one(announcements),
        appearance: deps.appearance,
        impersonationEnabled: deps.impersonationEnabled,
      });
      mountHomePage(server, { settings, credentials: resolver, externalUrl, page: deps.page });
      mountRegistration(server, {
        db,
        settings,
        mail,
        confirmations,
        registration,
        reset,
        signInRefusal: deps.signInRefusal,
        mailRefusal: deps.mailRefusal,
        externalUrl,
        markdown: deps.markdown,
        appearance: deps.appearance,
      });
      mountUsernameExists(server, {
        db,
        settings,
        credentials: resolver,
        checkRefusal: deps.usernameCheckRefusal,
      });
      mountAvatars(server, db, objects, externalUrl);
      mountGraphql(server, { db, resolver, graphql: createGraphql({ release: deps.release, externalUrl }) });
      oauth.mount(server);
    },
    resolver,
    authenticateBasic: createBasic({ resolver, checkPassword: sessions.checkOnlyPassword, settings }),
    ssh,
    provesPassword: async (user, password) => {
      const refusal = await deps.signInRefusal(user.username);
      if (refusal) throw refusal;
      return await passwords.verify(user.password_hash, password);
    },
    deployKeyIn: deployKeys.within,
    twoFactor,
    lfsCredentials: createLfsCredentials(deps.secrets),
    users,
    tokens,
    serviceAccounts,
    ban: (userId) => moderation.run('ban', userId, systemOrigin),
    feedCaller: feedTokens.caller,
    forgetCallers: cache.clear,
    seedRoot: (root) => seedRoot(db, passwords, userCreated, root),
    close: usage.close,
  };
}
