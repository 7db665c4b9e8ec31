/** What a slice of the product hands to the composition root. */
import type { FastifyInstance } from 'fastify';
import type { FactConsumer } from './events/index.ts';
import type { Route } from './http/route.ts';
import type { CronItem, Task } from './queue/index.ts';

export interface Feature {
  /** Routes below `/api/v4`. */
  readonly routes: readonly Route[];
  /** Background work. */
  readonly tasks?: readonly Task[];
  /** Who wants to hear which facts. */
  readonly consumers?: readonly FactConsumer[];
  /** Repeated work. */
  readonly cron?: readonly CronItem[];
  /** Paths outside `/api/v4`. */
  mount?(server: FastifyInstance): void;
}
