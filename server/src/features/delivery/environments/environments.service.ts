/** Creating, changing and deleting environments. */
import { environmentSlug } from '@millrace/ci-config';
import type { ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { type Db, transaction } from '../../../kernel/db/index.ts';
import type { Environment } from '../../../kernel/db/rows.ts';
import { forbidden, invalidRecord, plainError, recordNotFound } from '../../../kernel/http/errors.ts';
import { guessTier, isExternalUrl, nameProblem, type Tier } from '../environment-names.ts';
import { protectionIn } from '../protected-environments/index.ts';
import * as queries from './environments.queries.ts';
import { forgetRefs, refsOfEnvironments } from './refs.ts';
import { shown } from './shown.ts';

export interface EnvironmentValues {
  readonly external_url?: string | null | undefined;
  readonly description?: string | null | undefined;
  readonly tier?: Tier | undefined;
  readonly kubernetes_namespace?: string | null | undefined;
  readonly flux_resource_path?: string | null | undefined;
  readonly auto_stop_setting?: Environment['auto_stop_setting'] | undefined;
}

/** Days until review apps that were chosen for deletion are deleted. */
const deletionDays = 7;
const reviewAppDays = 30;
const day = 24 * 60 * 60 * 1000;

/** The columns that were given; an empty address is none. */
function columns({ external_url, description, tier, auto_stop_setting, ...cluster }: EnvironmentValues) {
  const url = external_url === '' ? null : external_url;
  if (url && !isExternalUrl(url))
    throw invalidRecord({ external_url: ['is blocked: Only allowed schemes are http, https'] });
  return {
    ...(url === undefined ? {} : { external_url: url }),
    ...(description === undefined ? {} : { description }),
    ...(tier === undefined ? {} : { tier }),
    ...(cluster.kubernetes_namespace === undefined
      ? {}
      : { kubernetes_namespace: cluster.kubernetes_namespace || null }),
    ...(cluster.flux_resource_path === undefined ? {} : { flux_resource_path: cluster.flux_resource_path || null }),
    ...(auto_stop_setting === undefined ? {} : { auto_stop_setting }),
  };
}

export type EnvironmentService = ReturnType<typeof environmentService>;

export function environmentService(db: Db) {
  return {
    async create(subject: ProjectSubject, name: string, values: EnvironmentValues): Promise<Environment> {
      const problem = nameProblem(name);
      if (problem) throw invalidRecord({ name: [problem] });
      const { tier = guessTier(name), ...rest } = columns(values);
      const row = { project_id: subject.project.id, name, slug: environmentSlug(name), tier, ...rest };
      const made = await shown(db, row.project_id, (tx) => queries.insertEnvironment(tx, row));
      if (made) return made;
      const taken = await queries.findEnvironmentByName(db, subject.project.id, name);
      throw invalidRecord({ [taken ? 'name' : 'slug']: ['has already been taken'] });
    },

    async update(environment: Environment, values: EnvironmentValues): Promise<Environment> {
      const { id, project_id: project } = environment;
      const changed = await shown(db, project, (tx) => queries.updateEnvironment(tx, id, columns(values)));
      if (!changed) throw recordNotFound();
      return changed;
    },

    /** The environment without the time at which it would stop; undefined where it has none or no longer runs. */
    async cancelAutoStop({ id, project_id: project, auto_stop_at }: Environment): Promise<Environment | undefined> {
      if (auto_stop_at === null) return undefined;
      return await shown(db, project, (tx) => queries.moveEnvironment(tx, id, ['available'], { auto_stop_at: null }));
    },

    async remove(environment: Environment): Promise<void> {
      if (environment.state !== 'stopped') throw forbidden();
      await shown(db, environment.project_id, async (tx) => {
        const refs = await refsOfEnvironments(tx, [environment.id]);
        if (!(await queries.deleteEnvironment(tx, environment.id))) throw recordNotFound();
        await forgetRefs(tx, refs);
      });
    },

    /** Lets the clock stop what was not changed or deployed to since then; not what is protected. */
    async stopStale(subject: ProjectSubject, before: Date): Promise<void> {
      const age = Date.now() - before.getTime();
      if (age < 7 * day || age > 3653 * day) throw plainError(400, '400 Bad request - Invalid Date');
      await transaction(db, async (tx) => {
        const stale = await queries.staleEnvironments(tx, subject.project.id, before);
        const isProtected = await protectionIn(tx, subject.project.id);
        await queries.stopSoon(
          tx,
          stale.filter((each) => !isProtected(each)).map(({ id }) => id),
        );
      });
    },

    /** Review apps that are deleted in a week, or would be. */
    async removeReviewApps(
      subject: ProjectSubject,
      { before, limit = 100, dryRun }: { before?: Date | undefined; limit?: number | undefined; dryRun: boolean },
    ): Promise<Environment[]> {
      return await transaction(db, async (tx) => {
        const until = before ?? new Date(Date.now() - reviewAppDays * day);
        const found = await queries.stoppedReviewApps(tx, subject.project.id, until, limit);
        const ids = found.map(({ id }) => id);
        if (!dryRun) await queries.deleteLater(tx, ids, deletionDays);
        return found;
      });
    },
  };
}
