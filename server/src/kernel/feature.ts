/** What a slice of the product hands to the composition root. */
import type { FastifyInstance } from 'fastify';
import type { FactConsumer } from './events/index.ts';
import type { PageFile } from './http/page-files.ts';
import type { Route } from './http/route.ts';
import type { ReferenceKind } from './markdown/index.ts';
import type { CronItem, Task } from './queue/index.ts';

export interface Feature {
  /** Routes below `/api/v4`. */
  readonly routes: readonly Route[];
  /** Background work. */
  readonly tasks?: readonly Task[];
  /** Who wants to hear which facts. */
  readonly consumers?: readonly FactConsumer[];
  /** Files at the addresses of pages. */
  readonly pageFiles?: readonly PageFile[];
  /** What texts may name, and where it is. */
  readonly references?: readonly ReferenceKind[];
  /** Repeated work. */
  readonly cron?: readonly CronItem[];
  /** Paths outside `/api/v4`. */
  mount?(server: FastifyInstance): void;
}
