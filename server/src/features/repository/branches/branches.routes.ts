/** The API of branches. */

import type { Static } from 'typebox';
import Type from 'typebox';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import { ListOf } from '../../../kernel/http/entity.ts';
import { badRequest, notFound } from '../../../kernel/http/errors.ts';
import { mapPageAsync, type Page, type Paged } from '../../../kernel/http/pagination.ts';
import { Bool, IdOrPath, OneOf, Optional, Str } from '../../../kernel/http/params/schema.ts';
import { Empty, type Route, route } from '../../../kernel/http/route.ts';
import { commitJson, projectPath } from '../commits/commits.json.ts';
import type { ProtectionService } from '../protections/protections.service.ts';
import { byDate, byName } from '../reading/positions.ts';
import type { RefData, RepositoryReader } from '../reading/reader.ts';
import type { RefService } from '../refs/refs.service.ts';
import { type BranchRule, mayPush, rulesOf } from '../writes/protection.ts';
import { branchRules } from '../writes/protections.queries.ts';
import { Branch } from './branches.entity.ts';
import { byCode, commitTimes, nameMatcher, orderedPage, refTime } from './listing.ts';
import { branchStatuses } from './status.ts';

export interface BranchRoutesDependencies {
  readonly db: Db;
  readonly externalUrl: string;
  readonly reader: RepositoryReader;
  readonly refs: RefService;
}

const id = IdOrPath('Id or path of the project');
const credentials = ['token', 'session'] as const;
const readCode = { on: 'project', ability: 'read_code' } as const;
const adminRefs = { on: 'project', ability: 'admin_protected_ref' } as const;
const pushCode = { on: 'project', ability: 'push_code' } as const;

const developerMay = (rules: readonly BranchRule[], kind: 'push' | 'merge') =>
  rules.length > 0 &&
  rules.some((rule) => rule[kind].some((grant) => grant.level !== null && grant.level > 0 && grant.level <= 30));

/** Roles in two words, from before protections had rules of their own. */
const levelOf = (developers: boolean | undefined) => (developers === undefined ? undefined : developers ? 30 : 40);

export function branchRoutes(
  deps: BranchRoutesDependencies & { readonly protections: Pick<ProtectionService, 'protect' | 'unprotect'> },
): Route[] {
  const { reader, db } = deps;

  async function branchJson(
    subject: ProjectSubject,
    caller: Caller,
    ref: RefData,
    all: readonly BranchRule[],
    merged: ReadonlySet<string>,
  ): Promise<Static<typeof Branch>> {
    const project = subject.project;
    const base = `${deps.externalUrl}/${projectPath(subject)}`;
    const rules = rulesOf(all, ref.name);
    const isDefault = ref.name === project.default_branch;
    return {
      name: ref.name,
      commit: commitJson(await reader.commit(project, ref.commit), base),
      merged: !isDefault && merged.has(ref.commit),
      protected: rules.length > 0,
      developers_can_push: developerMay(rules, 'push'),
      developers_can_merge: developerMay(rules, 'merge'),
      can_push: mayPush(all, ref.name, caller, subject),
      default: isDefault,
      web_url: `${base}/-/tree/${encodeURIComponent(ref.name).replaceAll('%2F', '/')}`,
    };
  }

  /** Tips contained in the default branch. A branch at the same commit as the default branch has no commits of its own. */
  async function mergedAmong({ project }: ProjectSubject, refs: readonly RefData[]): Promise<ReadonlySet<string>> {
    const tip = project.default_branch === null ? null : await reader.branch(project, project.default_branch);
    const tips = refs.map(({ commit }) => commit).filter((commit) => commit !== tip?.commit);
    return tip === null || tips.length === 0 ? new Set() : await reader.ancestorsAmong(project, tips, tip.commit);
  }

  async function shown(subject: ProjectSubject, caller: Caller, paged: Paged<RefData>, withStatus: boolean) {
    const [all, merged, statuses] = await Promise.all([
      branchRules(db, subject.project.id, caller),
      mergedAmong(subject, paged.items),
      withStatus ? branchStatuses(deps, subject, caller, paged.items) : null,
    ]);
    return mapPageAsync(paged, async (ref) => {
      const status = statuses?.get(ref.name);
      return { ...(await branchJson(subject, caller, ref, all, merged)), ...(status ? { status } : {}) };
    });
  }

  async function find(subject: ProjectSubject, name: string): Promise<RefData> {
    const found = await reader.branch(subject.project, name);
    if (!found) throw notFound('Branch');
    return found;
  }

  async function one(subject: ProjectSubject, caller: Caller, ref: RefData) {
    const rules = branchRules(db, subject.project.id, caller);
    const [all, merged] = await Promise.all([rules, mergedAmong(subject, [ref])]);
    return branchJson(subject, caller, ref, all, merged);
  }

  /** Newest first, or by name; the order of dates needs each tip's commit, which is cached by id. */
  async function paged(subject: ProjectSubject, page: Page, refs: readonly RefData[], sort: string | undefined) {
    if (sort === undefined || sort === 'name_asc') return orderedPage(page, refs, byName(1, byCode));
    const times = await commitTimes(reader, subject, refs);
    return orderedPage(page, refs, byDate(times, { date: sort === 'updated_asc' ? 1 : -1, name: 1 }));
  }

  return [
    route({
      method: 'GET',
      path: '/projects/:id/repository/branches',
      summary: 'List branches',
      tag: 'Branches',
      credentials: ['token', 'session', 'job'],
      access: readCode,
      pagination: 'token',
      params: Type.Object({
        id,
        search: Optional(
          Str({ maxLength: 1024, description: 'Only those whose name or description contains this text' }),
        ),
        regex: Optional(
          Str({ maxLength: 1024, description: 'Only branches whose name matches this regular expression' }),
        ),
        sort: Optional(OneOf(['name_asc', 'updated_asc', 'updated_desc'], { description: 'Direction of the order' })),
        with_status: Optional(
          Bool({
            default: false,
            description: 'Also commits ahead of and behind the default branch, newest pipeline and open merge request',
          }),
        ),
      }),
      responses: { 200: ListOf(Branch) },
      handler: async ({ params, subject, caller, page }) => {
        const matches = nameMatcher(params.search, params.regex);
        const refs = (await reader.branches(subject.project)).filter((ref) => matches(ref.name));
        return shown(subject, caller, await paged(subject, page, refs, params.sort), params.with_status ?? false);
      },
    }),
    route({
      method: 'POST',
      path: '/projects/:id/repository/branches',
      summary: 'Create a branch',
      tag: 'Branches',
      credentials,
      access: pushCode,
      params: Type.Object({
        id,
        branch: Str({ minLength: 1, maxLength: 1024, description: 'Name of the branch' }),
        ref: Str({ minLength: 1, maxLength: 1024, description: 'Commit, branch or tag' }),
      }),
      responses: { 201: Branch },
      errors: [409],
      handler: async ({ params, subject, caller }) => {
        await deps.refs.createBranch(subject, caller, params.branch, params.ref);
        const tip = await reader.resolve(subject.project, `refs/heads/${params.branch}`);
        if (tip === null) throw badRequest('the branch was changed at the same time');
        return one(subject, caller, { name: params.branch, commit: tip, target: tip, message: null, taggedAt: null });
      },
    }),
    route({
      method: 'GET',
      path: '/projects/:id/repository/branches/:branch',
      summary: 'Get a branch',
      tag: 'Branches',
      credentials,
      access: readCode,
      params: Type.Object({ id, branch: Str({ description: 'Name of the branch' }) }),
      responses: { 200: Branch },
      handler: async ({ params, subject, caller }) => one(subject, caller, await find(subject, params.branch)),
    }),
    route({
      method: 'DELETE',
      path: '/projects/:id/repository/branches/:branch',
      summary: 'Delete a branch',
      tag: 'Branches',
      credentials,
      access: pushCode,
      params: Type.Object({ id, branch: Str({ description: 'Name of the branch' }) }),
      responses: { 204: Empty },
      errors: [409],
      conditional: true,
      handler: async ({ params, subject, caller, unmodifiedSince }) => {
        const ref = await find(subject, params.branch);
        unmodifiedSince(await refTime(reader, subject, ref));
        await deps.refs.deleteBranch(subject, caller, ref);
      },
    }),
    route({
      method: 'PUT',
      path: '/projects/:id/repository/branches/:branch/protect',
      summary: 'Protect a branch (older form of the route)',
      tag: 'Branches',
      credentials,
      access: adminRefs,
      params: Type.Object({
        id,
        branch: Str({ minLength: 1, maxLength: 1024, description: 'Name of the branch' }),
        developers_can_push: Optional(Bool({ description: 'Whether developers may push; maintainers always do' })),
        developers_can_merge: Optional(Bool({ description: 'Whether developers may merge; maintainers always do' })),
      }),
      responses: { 200: Branch },
      errors: [409, 422],
      handler: async (context) => {
        const { params, subject, caller } = context;
        const ref = await find(subject, params.branch);
        const [push, merge] = [levelOf(params.developers_can_push), levelOf(params.developers_can_merge)];
        await deps.protections.protect(context, ref.name, {
          ...(push === undefined ? {} : { push }),
          ...(merge === undefined ? {} : { merge }),
        });
        return one(subject, caller, ref);
      },
    }),
    route({
      method: 'PUT',
      path: '/projects/:id/repository/branches/:branch/unprotect',
      summary: 'Unprotect a branch',
      tag: 'Branches',
      credentials,
      access: adminRefs,
      params: Type.Object({ id, branch: Str({ minLength: 1, maxLength: 1024, description: 'Name of the branch' }) }),
      responses: { 200: Branch },
      handler: async (context) => {
        const ref = await find(context.subject, context.params.branch);
        await deps.protections.unprotect(context, ref.name);
        return one(context.subject, context.caller, ref);
      },
    }),
  ];
}
