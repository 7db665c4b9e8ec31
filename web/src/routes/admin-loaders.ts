/** What pages of the administration fetch before they are shown, each with what its own page has loaded anyway. */

import { userByName } from '../lib/accounts.ts';
import type { JobStatus } from '../lib/background-jobs.ts';
import type { UsageGroup } from '../lib/fleet.ts';
import { queries } from '../lib/queries.ts';
import { readUserFilter } from '../lib/user-filter.ts';
import { ofUser, users } from '../lib/users.ts';

const load = queries.ensureQueryData.bind(queries);
const loadPages = queries.ensureInfiniteQueryData.bind(queries);
interface Found {
  readonly search?: string | undefined;
  readonly page?: number | undefined;
}

const overviewData = () => import('../lib/overview.ts');

export const loadUsers = (search: Record<string, unknown>) => loadPages(users(readUserFilter(search)));
/** The account, with what belongs to it. */
export async function loadAccount(username: string) {
  const of = ofUser((await load(userByName(username))).id);
  await Promise.all([
    ...[load(of.details()), load(of.memberships()), load(of.sshKeys()), load(of.gpgKeys()), load(of.emails())],
    load(of.counts()),
  ]);
}
export async function loadBackups() {
  const { backups, backupSchedule } = await import('../lib/backups.ts');
  await Promise.all([loadPages(backups()), load(backupSchedule())]);
}
export const loadOverview = () => Promise.all([overviewData().then(({ overview }) => load(overview())), loadBackups()]);
export const loadUsage = async () => load((await overviewData()).usage());
export const loadProjects = async (filter: Found) => load((await overviewData()).everyProject(filter));
export const loadGroups = async (filter: Found) => load((await overviewData()).everyGroup(filter));
export const loadImports = async (page: number | undefined) =>
  load((await import('../lib/imports.ts')).imports('admin', page));
export const loadDeployKeys = async (shared: boolean) =>
  loadPages((await import('../lib/deploy-keys.ts')).allDeployKeys(shared));
export async function loadPushRule() {
  const { instancePushRule, pushRuleOf } = await import('../lib/push-rules.ts');
  await load(pushRuleOf(instancePushRule));
}
export async function loadHooks() {
  const { hooksOf, systemHooks } = await import('../lib/hooks.ts');
  await load(hooksOf(systemHooks));
}
export async function loadIntegrations() {
  const { instanceIntegrations, integrationKinds, integrationsOf } = await import('../lib/integrations.ts');
  await Promise.all([load(integrationKinds()), load(integrationsOf(instanceIntegrations))]);
}
export async function loadJobs(status: JobStatus | undefined) {
  const { backgroundJobs, codeIndexes } = await import('../lib/background-jobs.ts');
  await Promise.all([loadPages(backgroundJobs(status)), load(codeIndexes())]);
}
export const loadMessages = async () => loadPages((await import('../lib/broadcast-messages.ts')).broadcastMessages());
export const loadAppearance = async () => load((await import('../lib/appearance.ts')).appearance());
export async function loadFleet(by: UsageGroup, month: string | undefined) {
  const { runnerUsage, runnerVersions, thisMonth } = await import('../lib/fleet.ts');
  await Promise.all([load(runnerVersions), loadPages(runnerUsage(by, month ?? thisMonth()))]);
}
export async function loadApplications() {
  const { applicationsOf, instanceApplications } = await import('../lib/applications.ts');
  await load(applicationsOf(instanceApplications));
}
