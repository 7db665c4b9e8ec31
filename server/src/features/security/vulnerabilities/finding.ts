/** One vulnerability as a caller sees it, and what is left behind when something happens to it. */
import { entityOfPlace, originOf, recordAudit } from '../../../kernel/audit/index.ts';
import type { ProjectAbility } from '../../../kernel/authz/abilities.ts';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import { recordFact, vulnerabilityFacts } from '../../../kernel/events/index.ts';
import { notFound } from '../../../kernel/http/errors.ts';
import { type ParentLoader, requireOnProject } from '../../../kernel/http/parents.ts';
import { vulnerabilityJson } from './vulnerabilities.entity.ts';
import { findingsOf, findVulnerability, type VulnerabilityRow } from './vulnerabilities.queries.ts';

export interface FoundVulnerability {
  readonly row: VulnerabilityRow;
  readonly subject: ProjectSubject;
}

/** Where its project is not visible it is not there. */
export async function requireVulnerability(
  db: Db,
  parents: Pick<ParentLoader, 'project'>,
  id: number,
  caller: Caller,
  ability: ProjectAbility,
): Promise<FoundVulnerability> {
  const row = await findVulnerability(db, id);
  const subject = row ? await parents.project(String(row.project_id), caller) : null;
  if (!row || !subject) throw notFound();
  requireOnProject(caller, ability, subject);
  return { row, subject };
}

export async function presentVulnerability(db: Db, { row, subject }: FoundVulnerability) {
  return vulnerabilityJson(row, (await findingsOf(db, [row.id])).get(row.id), subject);
}

type Context = Parameters<typeof originOf>[0];

/** Part of the transaction that changes something. */
export async function auditVulnerability(
  tx: Db,
  { row, subject }: FoundVulnerability,
  event: string,
  context: Context,
  details: Readonly<Record<string, number | string>> = {},
): Promise<void> {
  await recordAudit(tx, {
    ...originOf(context),
    entity: entityOfPlace(subject),
    event,
    details,
    target: { type: 'Vulnerability', id: row.id, details: row.title },
  });
}

/** For webhooks. */
export async function tellVulnerability(
  tx: Db,
  kind: 'created' | 'updated',
  { row, subject }: FoundVulnerability,
  caller: Caller,
): Promise<void> {
  const { id: project_id, namespace_id } = subject.project;
  const place = { project_id, namespace_id, actor_id: caller.user?.id ?? null };
  await recordFact(tx, vulnerabilityFacts[kind], { vulnerability_id: row.id }, place);
}
