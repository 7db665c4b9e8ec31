/** What the application is composed of, and what comes out: the types of app.ts. */
import type { Spawner } from '@millrace/git';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Backups } from './features/admin/index.ts';
import type { Identity, Release } from './features/identity/index.ts';
import type { Inspection, InstanceKeys } from './features/repository/index.ts';
import type { Appearance } from './kernel/appearance/index.ts';
import type { ActingLoaders } from './kernel/authz/acting.ts';
import type { Config } from './kernel/config/config.ts';
import type { DatabaseDump } from './kernel/db/dump.ts';
import type { Db, Listener } from './kernel/db/index.ts';
import type { Delivery, Live } from './kernel/events/index.ts';
import type { Feature } from './kernel/feature.ts';
import type { Storages } from './kernel/health/storages.ts';
import type { CredentialResolver } from './kernel/http/credentials.ts';
import type { HeldBytes } from './kernel/http/held-bytes.ts';
import type { ParentLoader } from './kernel/http/parents.ts';
import type { Route } from './kernel/http/route.ts';
import type { Mail } from './kernel/mail/index.ts';
import type { Markdown } from './kernel/markdown/index.ts';
import type { ObjectStore } from './kernel/objects/index.ts';
import type { Outbound } from './kernel/outbound/index.ts';
import type { BuiltInRunner } from './kernel/process/built-in-runner.ts';
import type { CronItem, Task } from './kernel/queue/index.ts';
import type { RateLimits } from './kernel/rate-limits/index.ts';
import type { Secrets } from './kernel/secrets/index.ts';
import type { Settings } from './kernel/settings/index.ts';
import type { Switches } from './kernel/switches/index.ts';
import type { Logger } from './kernel/telemetry/index.ts';
import type { Metrics } from './kernel/telemetry/metrics.ts';
import type { Ssh } from './transport/ssh/index.ts';

/** The technology below the features: one of each per process. */
export interface Kernels {
  readonly config: Config;
  /** Without a trailing slash. */
  readonly externalUrl: string;
  readonly release: Release;
  /** What commits of the product are signed with. */
  readonly instanceKeys: InstanceKeys;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly db: Db;
  /** Over connections that only hold locks: writers wait here without keeping others from the database. */
  readonly lockDb: Db;
  /** All rows at one point, for backups. */
  readonly dump: DatabaseDump;
  readonly storages: Storages;
  readonly listener: Listener;
  readonly secrets: Secrets;
  readonly objects: ObjectStore;
  /** The keeper of the built-in runner; `token` proves it to the server. */
  readonly runner: (token: () => Promise<string>) => BuiltInRunner;
  /** Aborted when the process stops: held polls answer, streams end. */
  readonly stopping: AbortSignal;
  /** What readiness asks, by name. */
  readonly checks: Readonly<Record<string, () => Promise<void>>>;
}

export interface App {
  readonly server: FastifyInstance;
  readonly routes: readonly Route[];
  readonly tasks: readonly Task[];
  readonly cron: readonly CronItem[];
  readonly delivery: Delivery;
  readonly live: Live;
  readonly settings: Settings;
  readonly mail: Mail;
  readonly backups: Backups;
  readonly identity: Identity;
  /** Does not listen yet. */
  readonly ssh: Ssh;
  /** Whether storages and database agree. */
  readonly inspection: Inspection;
  /** Begins what needs a listening server: the built-in runner. */
  start(): Promise<void>;
  /** The built-in runner leaves; before the server stops answering it. */
  stopRunner(): Promise<void>;
  /** Writes what is pending. */
  close(): Promise<void>;
}

/** What features are made of: the technology, and what is built on it once. */
export interface FeatureKernels extends Omit<Kernels, 'metrics'> {
  readonly settings: Settings;
  readonly appearance: Appearance;
  readonly switches: Switches;
  readonly live: Live;
  readonly rates: RateLimits;
  /** Counts the request bodies that are in memory. */
  readonly held: HeldBytes;
  readonly mail: Mail;
  readonly outbound: Outbound;
  readonly markdown: Markdown;
  /** Answers with the document of the pages; false where there is none or the client wants no page. */
  readonly page: (request: FastifyRequest, reply: FastifyReply) => boolean;
  /** What git is started from, where it is not this process. */
  readonly gitSpawner?: Spawner | undefined;
  readonly quickPasswords?: boolean | undefined;
}

export interface ComposedFeatures {
  readonly features: readonly Feature[];
  readonly identity: Identity;
  readonly runner: BuiltInRunner;
  readonly ssh: Ssh;
  readonly inspection: Inspection;
  readonly backups: Backups;
  /** git over HTTP and the like: protocols that are not API v4. */
  readonly transports: readonly { mount(server: FastifyInstance): void }[];
  /** Looks for work of the built-in runner that waited while no process was there. */
  start(): Promise<void>;
  /** Answers held polls. */
  drain(): void;
  readonly resolver: CredentialResolver;
  readonly parents: ParentLoader;
  /** What deliveries of facts load. */
  readonly loaders: ActingLoaders;
  /** Writes what is pending. */
  close(): Promise<void>;
}
