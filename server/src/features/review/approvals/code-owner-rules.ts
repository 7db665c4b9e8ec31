/** What code owners have to approve of a merge request: one rule for each entry that owns a changed file. */
import type { Db } from '../../../kernel/db/index.ts';
import type { MergeRequest, Project } from '../../../kernel/db/rows.ts';
import { type Ancestry, baseOf, type Owner, type RepositoryAccess } from '../../repository/index.ts';
import { membersOfGroups, membersOfProject, ownersNamed, usersOfAddresses, votersOf } from './people.queries.ts';

export interface CodeOwnerRule {
  /** The pattern of the entry. */
  readonly name: string;
  readonly section: string;
  /** 0 where the section is optional. */
  readonly approvalsRequired: number;
  readonly approvers: ReadonlySet<number>;
}

type OwnerFinder = (owner: Owner) => readonly number[];

/** Finds people by what a file calls them. */
async function ownerFinder(db: Db, projectId: number, owners: readonly Owner[]): Promise<OwnerFinder> {
  const texts = (...kinds: readonly Owner['kind'][]) =>
    owners.flatMap(({ kind, text }) => (kinds.includes(kind) ? [text] : []));
  const roles = owners.some(({ kind }) => kind === 'role');
  const [named, addresses, members] = await Promise.all([
    ownersNamed(db, texts('name', 'group')),
    usersOfAddresses(db, texts('email')),
    roles ? membersOfProject(db, projectId) : [],
  ]);
  const [ofGroups, voters] = await Promise.all([
    membersOfGroups(db, [...named.groups.values()]),
    votersOf(db, projectId, members),
  ]);
  return (owner) => {
    if (owner.kind === 'role')
      return [...voters.values()].flatMap(({ id, level }) => (level === owner.level ? [id] : []));
    const key = owner.text.toLowerCase();
    const user = owner.kind === 'email' ? addresses.get(key) : named.users.get(key);
    const group = named.groups.get(key);
    return [...(user === undefined ? [] : [user]), ...(group === undefined ? [] : (ofGroups.get(group) ?? []))];
  };
}

/** By the file of the target branch: a merge request does not choose its own owners. */
export async function codeOwnerRules(
  deps: { readonly db: Db; readonly repository: Pick<RepositoryAccess, 'changedPaths' | 'codeOwners'> & Ancestry },
  project: Project,
  row: Pick<MergeRequest, 'stack_base_sha'>,
  heads: { readonly head: string; readonly target: string },
): Promise<CodeOwnerRule[]> {
  const base = await baseOf(deps.repository, project, row, heads);
  const paths = await deps.repository.changedPaths(project, base, heads.head);
  const owned = await deps.repository.codeOwners(project, heads.target, paths);
  const entries = new Map(
    owned.flatMap(({ ownerships }) =>
      ownerships.map((ownership) => [JSON.stringify([ownership.section, ownership.pattern]), ownership] as const),
    ),
  );
  if (entries.size === 0) return [];
  const order = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
  const all = [...entries.values()].sort((a, b) => order(a.section, b.section) || order(a.pattern, b.pattern));
  const find = await ownerFinder(
    deps.db,
    project.id,
    all.flatMap(({ owners }) => owners),
  );
  return all.map(({ section, pattern, optional, approvals, owners }) => ({
    name: pattern,
    section,
    approvalsRequired: optional ? 0 : approvals,
    approvers: new Set(owners.flatMap(find)),
  }));
}

/** The people who own any of some files. */
export async function ownersOfPaths(
  deps: { readonly db: Db; readonly repository: Pick<RepositoryAccess, 'codeOwners'> },
  project: Project,
  target: string,
  paths: readonly string[],
): Promise<ReadonlySet<number>> {
  const owned = await deps.repository.codeOwners(project, target, paths);
  const owners = owned.flatMap(({ ownerships }) => ownerships.flatMap((ownership) => ownership.owners));
  if (owners.length === 0) return new Set();
  const find = await ownerFinder(deps.db, project.id, owners);
  return new Set(owners.flatMap(find));
}
