/** The API of branches and tags. */

import type { Static } from 'typebox';
import Type from 'typebox';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import { ListOf } from '../../../kernel/http/entity.ts';
import { badRequest, invalidParameters, notFound } from '../../../kernel/http/errors.ts';
import { mapPageAsync, type Page, type Paged } from '../../../kernel/http/pagination.ts';
import { IdOrPath, OneOf, Optional, Str } from '../../../kernel/http/params/schema.ts';
import { Empty, type Route, route } from '../../../kernel/http/route.ts';
import { commitJson, projectPath } from '../commits/commits.json.ts';
import { byDate, byName, type ListOrder, pageOfList } from '../reading/positions.ts';
import type { RefData, RepositoryReader } from '../reading/reader.ts';
import { linearPattern } from '../reading/search.ts';
import type { RefService } from '../refs/refs.service.ts';
import { matchesPattern, mayPush, type Protection, protectionsOf } from '../writes/protection.ts';
import { protections } from '../writes/writes.queries.ts';
import { Branch, Tag } from './branches.entity.ts';

export interface BranchRoutesDependencies {
  readonly db: Db;
  readonly externalUrl: string;
  readonly reader: RepositoryReader;
  readonly refs: RefService;
}

const id = IdOrPath('Id or path of the project');
const credentials = ['token', 'session'] as const;
const readCode = { on: 'project', ability: 'read_code' } as const;
const pushCode = { on: 'project', ability: 'push_code' } as const;

const developerMay = (rules: readonly Protection[], kind: 'push' | 'merge') =>
  rules.length > 0 &&
  rules.some((rule) => rule[kind].some((grant) => grant.level !== null && grant.level > 0 && grant.level <= 30));

/** `text`, `^text` and `text$` as the ecosystem's search understands them. */
function nameMatcher(search: string | undefined, regex: string | undefined): (name: string) => boolean {
  if (regex !== undefined) {
    const pattern = linearPattern(regex);
    if (!pattern) throw invalidParameters(['regex is invalid']);
    return (name) => pattern(name);
  }
  if (!search) return () => true;
  const wanted = search.toLowerCase();
  if (wanted.startsWith('^') && wanted.endsWith('$') && wanted.length > 1)
    return (name) => name.toLowerCase() === wanted.slice(1, -1);
  if (wanted.startsWith('^')) return (name) => name.toLowerCase().startsWith(wanted.slice(1));
  if (wanted.endsWith('$')) return (name) => name.toLowerCase().endsWith(wanted.slice(0, -1));
  if (wanted.includes('*')) return (name) => matchesPattern(wanted, name.toLowerCase());
  return (name) => name.toLowerCase().includes(wanted);
}

const plain = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

/** When a ref was tagged, or the commit it points at was committed. */
const refTime = async (reader: RepositoryReader, subject: ProjectSubject, ref: RefData): Promise<Date> =>
  ref.taggedAt ?? new Date((await reader.commit(subject.project, ref.commit)).committer.date);

/** The times of refs by name. */
async function commitTimes(
  reader: RepositoryReader,
  subject: ProjectSubject,
  refs: readonly RefData[],
): Promise<Map<string, number>> {
  const timed = refs.map(async (ref) => [ref.name, (await refTime(reader, subject, ref)).getTime()] as const);
  return new Map(await Promise.all(timed));
}

/** A page of refs in an order. */
const orderedPage = <P>(page: Page, refs: readonly RefData[], order: ListOrder<RefData, P>): Paged<RefData> =>
  pageOfList(
    page,
    [...refs].sort((a, b) => order.compare(order.positionOf(a), order.positionOf(b))),
    order,
  );

export function branchRoutes(deps: BranchRoutesDependencies): Route[] {
  const { reader, db } = deps;

  async function branchJson(
    subject: ProjectSubject,
    caller: Caller,
    ref: RefData,
    all: readonly Protection[],
    defaultTip: string | null,
  ): Promise<Static<typeof Branch>> {
    const project = subject.project;
    const base = `${deps.externalUrl}/${projectPath(subject)}`;
    const rules = protectionsOf(all, ref.name);
    const isDefault = ref.name === project.default_branch;
    return {
      name: ref.name,
      commit: commitJson(await reader.commit(project, ref.commit), base),
      merged: !isDefault && defaultTip !== null && (await reader.isAncestor(project, ref.commit, defaultTip)),
      protected: rules.length > 0,
      developers_can_push: developerMay(rules, 'push'),
      developers_can_merge: developerMay(rules, 'merge'),
      can_push: mayPush(all, ref.name, caller, subject),
      default: isDefault,
      web_url: `${base}/-/tree/${encodeURIComponent(ref.name).replaceAll('%2F', '/')}`,
    };
  }

  async function defaultTip(subject: ProjectSubject): Promise<string | null> {
    const name = subject.project.default_branch;
    return name === null
      ? null
      : ((await reader.branches(subject.project)).find((ref) => ref.name === name)?.commit ?? null);
  }

  async function shown(subject: ProjectSubject, caller: Caller, paged: Paged<RefData>) {
    const [all, tip] = await Promise.all([protections(db, subject.project.id), defaultTip(subject)]);
    return mapPageAsync(paged, (ref) => branchJson(subject, caller, ref, all, tip));
  }

  async function find(subject: ProjectSubject, name: string): Promise<RefData> {
    const found = (await reader.branches(subject.project)).find((ref) => ref.name === name);
    if (!found) throw notFound('Branch');
    return found;
  }

  async function one(subject: ProjectSubject, caller: Caller, ref: RefData) {
    const [all, tip] = await Promise.all([protections(db, subject.project.id), defaultTip(subject)]);
    return branchJson(subject, caller, ref, all, tip);
  }

  /** Newest first, or by name; the order of dates needs each tip's commit, which is cached by id. */
  async function paged(subject: ProjectSubject, page: Page, refs: readonly RefData[], sort: string | undefined) {
    if (sort === undefined || sort === 'name_asc') return orderedPage(page, refs, byName(1, plain));
    const times = await commitTimes(reader, subject, refs);
    return orderedPage(page, refs, byDate(times, { date: sort === 'updated_asc' ? 1 : -1, name: 1 }));
  }

  const branches = [
    route({
      method: 'GET',
      path: '/projects/:id/repository/branches',
      summary: 'List branches',
      tag: 'Branches',
      credentials,
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
      }),
      responses: { 200: ListOf(Branch) },
      handler: async ({ params, subject, caller, page }) => {
        const matches = nameMatcher(params.search, params.regex);
        const refs = (await reader.branches(subject.project)).filter((ref) => matches(ref.name));
        return shown(subject, caller, await paged(subject, page, refs, params.sort));
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
  ];
  return [...branches, ...tagRoutes(deps)];
}

function tagRoutes(deps: BranchRoutesDependencies): Route[] {
  const { reader } = deps;
  async function tagJson(subject: ProjectSubject, ref: RefData): Promise<Static<typeof Tag>> {
    const commit = await reader.commit(subject.project, ref.commit);
    return {
      name: ref.name,
      message: ref.message,
      target: ref.target,
      commit: commitJson(commit, `${deps.externalUrl}/${projectPath(subject)}`),
      release: null,
      protected: false,
      created_at: ref.taggedAt,
    };
  }
  return [
    route({
      method: 'GET',
      path: '/projects/:id/repository/tags',
      summary: 'List tags',
      tag: 'Tags',
      credentials,
      access: readCode,
      pagination: 'token',
      params: Type.Object({
        id,
        search: Optional(
          Str({ maxLength: 1024, description: 'Only those whose name or description contains this text' }),
        ),
        order_by: Optional(
          OneOf(['name', 'updated', 'version'], { default: 'updated', description: 'What the list is ordered by' }),
        ),
        sort: Optional(OneOf(['asc', 'desc'], { default: 'desc', description: 'Direction of the order' })),
      }),
      responses: { 200: ListOf(Tag) },
      handler: async ({ params, subject, page }) => {
        const matches = nameMatcher(params.search, undefined);
        const refs = (await reader.tags(subject.project)).filter((ref) => matches(ref.name));
        const direction = params.sort === 'asc' ? 1 : -1;
        const order = params.order_by ?? 'updated';
        const names = new Intl.Collator('en', { numeric: order === 'version' });
        const found =
          order === 'updated'
            ? orderedPage(
                page,
                refs,
                byDate(await commitTimes(reader, subject, refs), { date: direction, name: direction }),
              )
            : orderedPage(page, refs, byName(direction, names.compare));
        return mapPageAsync(found, (ref) => tagJson(subject, ref));
      },
    }),
    route({
      method: 'GET',
      path: '/projects/:id/repository/tags/:tag_name',
      summary: 'Get a tag',
      tag: 'Tags',
      credentials,
      access: readCode,
      params: Type.Object({ id, tag_name: Str({ description: 'Name of the tag' }) }),
      responses: { 200: Tag },
      handler: async ({ params, subject }) => {
        const found = (await reader.tags(subject.project)).find((ref) => ref.name === params.tag_name);
        if (!found) throw notFound('Tag');
        return tagJson(subject, found);
      },
    }),
    route({
      method: 'POST',
      path: '/projects/:id/repository/tags',
      summary: 'Create a tag; annotated when a message is given',
      tag: 'Tags',
      credentials,
      access: pushCode,
      params: Type.Object({
        id,
        tag_name: Str({ minLength: 1, maxLength: 1024, description: 'Name of the tag' }),
        ref: Str({ minLength: 1, maxLength: 1024, description: 'Commit, branch or tag' }),
        message: Optional(
          Str({ maxLength: 1_048_576, description: 'Message of an annotated tag; a lightweight tag without it' }),
        ),
      }),
      responses: { 201: Tag },
      errors: [409],
      handler: async ({ params, subject, caller }) =>
        tagJson(subject, await deps.refs.createTag(subject, caller, params.tag_name, params.ref, params.message)),
    }),
    route({
      method: 'DELETE',
      path: '/projects/:id/repository/tags/:tag_name',
      summary: 'Delete a tag',
      tag: 'Tags',
      credentials,
      access: pushCode,
      params: Type.Object({ id, tag_name: Str({ description: 'Name of the tag' }) }),
      responses: { 204: Empty },
      errors: [409],
      conditional: true,
      handler: async ({ params, subject, caller, unmodifiedSince }) => {
        const found = (await reader.tags(subject.project)).find((ref) => ref.name === params.tag_name);
        if (!found) throw notFound('Tag');
        unmodifiedSince(await refTime(reader, subject, found));
        await deps.refs.deleteTag(subject, caller, found);
      },
    }),
  ];
}
