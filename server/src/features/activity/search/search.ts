/** One search for each scope: in everything that the caller sees, in a group, or in a project. */
import { canOnGroup, canOnProject } from '../../../kernel/authz/can.ts';
import type { Caller, GroupSubject, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import { badRequest, unauthorized } from '../../../kernel/http/errors.ts';
import { mapPage, offsetPage, type Page, type Paged, slicePage, withItems } from '../../../kernel/http/pagination.ts';
import type { Logger } from '../../../kernel/telemetry/index.ts';
import { milestoneJson } from '../../collaboration/index.ts';
import { noteJson, withPeople } from '../../collaboration/notes/index.ts';
import { userReference } from '../../identity/index.ts';
import { type ListProjects, membersNamed } from '../../namespaces/index.ts';
import type { FindEpics, IssueLists } from '../../planning/index.ts';
import {
  commitJson,
  findWiki,
  projectPath,
  type RepositoryReader,
  type RepositoryRow,
  type SnippetLists,
} from '../../repository/index.ts';
import type { MergeRequestLists } from '../../review/index.ts';
import { findCommitsAcross, findNotesAcross } from './across-projects.queries.ts';
import { type CodeKind, type CodeScope, indexedCommit } from './code.queries.ts';
import { codeSearcher } from './code.ts';
import { fileSearcher } from './files.ts';
import { searchedCommitJson, searchedNoteJson } from './search.entity.ts';
import { findMilestones, findNotes, findPeople } from './search.queries.ts';

export interface SearchDependencies {
  readonly db: Db;
  /** Without a trailing slash. */
  readonly externalUrl: string;
  readonly reader: RepositoryReader;
  readonly projects: ListProjects;
  readonly issues: IssueLists;
  readonly epics: FindEpics;
  readonly mergeRequests: MergeRequestLists;
  readonly snippets: SnippetLists;
  readonly log: Pick<Logger, 'error'>;
}

export interface Wanted {
  readonly search: string;
  readonly sort: 'asc' | 'desc';
  readonly state?: 'all' | 'opened' | 'closed' | 'merged' | undefined;
  readonly confidential?: boolean | undefined;
  /** Branch, tag or commit whose files or history are searched. */
  readonly ref?: string | undefined;
  readonly num_context_lines?: number | undefined;
  readonly regex?: boolean | undefined;
  readonly exclude_forks?: boolean | undefined;
  readonly include_archived?: boolean | undefined;
  /** Of issues and merge requests. */
  readonly fields?: readonly string[] | undefined;
  readonly search_type?: 'basic' | 'advanced' | 'zoekt' | undefined;
}

export interface SearchContext {
  readonly caller: Caller;
  readonly page: Page;
  readonly signal: AbortSignal;
}

/** What is found in files, and whether the index or the repository was asked. */
export interface FoundFiles {
  readonly type: 'basic' | 'advanced';
  readonly found: Paged;
}

type Somewhere = ProjectSubject | GroupSubject | null;
const nothing = (page: Page): Paged => slicePage(page, []);

export function searches(deps: SearchDependencies) {
  const { db, externalUrl, reader } = deps;
  const files = fileSearcher(reader);
  const code = codeSearcher(db, deps.log);

  /** In a project `#12` and `!12` are numbers. */
  const numberIn = (place: Somewhere, sign: '#' | '!', search: string): number | null => {
    const digits = place?.kind === 'project' && search.startsWith(sign) ? search.slice(1) : '';
    return /^\d{1,9}$/.test(digits) ? Number(digits) : null;
  };
  const worded = (number: number | null, { search, fields = [] }: Wanted) =>
    number === null ? { search, ...(fields.length > 0 ? { searchIn: fields } : {}) } : { iids: [number] };

  async function projects(
    place: GroupSubject | null,
    { search, sort, include_archived }: Wanted,
    { caller, page }: SearchContext,
  ) {
    const below = place ? { namespaceId: place.group.id, descendants: true } : {};
    const options = { order: 'created_at', direction: sort, simple: true } as const;
    return await deps.projects(
      caller,
      page,
      { search, ...(include_archived ? {} : { archived: false }), ...below },
      options,
    );
  }

  async function issues(place: Somewhere, wanted: Wanted, { caller, page }: SearchContext): Promise<Paged> {
    const { search, sort, state, confidential } = wanted;
    const filter = {
      ...worded(numberIn(place, '#', search), wanted),
      confidential,
      state: state === 'opened' || state === 'closed' ? state : undefined,
    };
    const params = { order_by: 'created_at', sort } as const;
    const archived = wanted.include_archived === true;
    if (place === null) {
      const everywhere = { place: { kind: 'instance', archived }, from: { anywhere: true } } as const;
      return await deps.issues({ ...everywhere, caller, filter, params }, page);
    }
    if (place.kind === 'project') {
      const inProject = { place: { kind: 'project', subject: place }, from: { projectId: place.project.id } } as const;
      return await deps.issues({ ...inProject, caller, filter, params }, page);
    }
    const { id } = place.group;
    const inGroup = {
      place: { kind: 'group', id, descendants: true, archived },
      from: { groupId: id },
    } as const;
    return await deps.issues({ ...inGroup, caller, filter, params }, page);
  }

  async function mergeRequests(place: Somewhere, wanted: Wanted, { caller, page }: SearchContext): Promise<Paged> {
    const { search, sort, state } = wanted;
    if (place?.kind === 'project' && !canOnProject(caller, 'read_merge_request', place)) return nothing(page);
    const where =
      place === null
        ? { visibleTo: caller, ...(wanted.include_archived ? {} : { unarchived: true as const }) }
        : place.kind === 'project'
          ? { projectId: place.project.id }
          : { group: { id: place.group.id, caller, descendants: true, archived: wanted.include_archived === true } };
    const words = worded(numberIn(place, '!', search), wanted);
    return await deps.mergeRequests(
      { ...where, ...words, state: state ?? 'all', orderBy: 'created_at', sort },
      page,
      caller,
    );
  }

  async function milestones(
    place: Somewhere,
    { search, sort, include_archived: archived }: Wanted,
    { caller, page }: SearchContext,
  ) {
    const where =
      place === null ? null : place.kind === 'project' ? { projectId: place.project.id } : { groupId: place.group.id };
    const { rows, total } = await findMilestones(db, caller, where, { text: search, sort, archived }, page);
    return mapPage(offsetPage(page, rows, total), (row) => milestoneJson(row, externalUrl));
  }

  async function users(place: Somewhere, { search, sort }: Wanted, { caller, page }: SearchContext): Promise<Paged> {
    // Whoever is not signed in could go through everybody.
    if (!caller.user) throw unauthorized();
    const seen =
      place === null ||
      (place.kind === 'project'
        ? canOnProject(caller, 'read_project_member', place)
        : canOnGroup(caller, 'read_group_member', place));
    if (!seen) return nothing(page);
    const { rows, total } = place
      ? await membersNamed(db, caller, place, search, page)
      : await findPeople(db, caller, { text: search, sort }, page);
    return mapPage(offsetPage(page, rows, total), (row) => userReference(row, externalUrl));
  }

  async function notes(
    place: Somewhere,
    { search, sort, include_archived: archived }: Wanted,
    { caller, page }: SearchContext,
  ) {
    const wanted = { text: search, sort, archived };
    if (place?.kind === 'project') {
      const { rows, total } = await findNotes(db, caller, place, wanted, page);
      const loaded = await withPeople(db, rows);
      return mapPage(offsetPage(page, loaded, total), (note) =>
        searchedNoteJson(noteJson(note, externalUrl), projectPath(place)),
      );
    }
    const { rows, total } = await findNotesAcross(db, caller, place && { groupId: place.group.id }, wanted, page);
    const paths = new Map(rows.map((row) => [row.id, row.place_path]));
    const loaded = await withPeople(db, rows);
    return mapPage(offsetPage(page, loaded, total), (note) =>
      searchedNoteJson(noteJson(note, externalUrl), paths.get(note.row.id) ?? ''),
    );
  }

  /** The commit that a search in a repository is about; null where there is none. */
  async function start({ project }: ProjectSubject, ref: string | undefined) {
    const name = ref ?? project.default_branch;
    const commit = name === null || project.refs_generation === 0 ? null : await reader.resolve(project, name);
    return commit === null || name === null ? null : { commit, ref: name };
  }

  const codeOptions = ({ search, num_context_lines: around, regex }: Wanted) => ({
    search,
    around: around ?? 2,
    regex: regex === true,
  });

  /** In the index, where it is of the commit that is asked for; else in the repository itself. */
  async function inFiles(
    place: ProjectSubject,
    kind: CodeKind,
    tree: { readonly repository: RepositoryRow; readonly commit: string; readonly ref: string },
    wanted: Wanted,
    { caller, page, signal }: SearchContext,
  ): Promise<FoundFiles> {
    const indexed = wanted.search_type === 'basic' ? null : await indexedCommit(db, place.project.id, kind);
    // An expression is looked for in the index alone: where that is a push behind, it is still the default branch.
    const isDefault = indexed !== null && wanted.regex === true && tree.ref === tree.repository.default_branch;
    if (indexed === tree.commit || isDefault) {
      const scope: CodeScope = { caller, kind, place: { projectId: place.project.id }, forks: true, archived: true };
      return { type: 'advanced', found: await code.page(scope, codeOptions(wanted), page) };
    }
    if (wanted.regex) throw badRequest('regex is for the default branch, once it is indexed');
    const of = { ...tree, projectId: place.project.id, projectPath: projectPath(place) };
    return { type: 'basic', found: await files(of, wanted.search, page, signal) };
  }

  async function blobs(place: ProjectSubject, wanted: Wanted, context: SearchContext): Promise<FoundFiles> {
    const at = canOnProject(context.caller, 'read_code', place) ? await start(place, wanted.ref) : null;
    if (!at) return { type: 'basic', found: nothing(context.page) };
    return await inFiles(place, 'code', { ...at, repository: place.project }, wanted, context);
  }

  async function wikiBlobs(place: ProjectSubject, wanted: Wanted, context: SearchContext): Promise<FoundFiles> {
    const wiki = canOnProject(context.caller, 'read_wiki', place) ? await findWiki(db, place) : null;
    const ref = wiki?.default_branch ?? null;
    const commit =
      wiki && ref !== null && wiki.refs_generation > 0 ? await reader.resolve(wiki, `refs/heads/${ref}`) : null;
    if (!wiki || ref === null || commit === null) return { type: 'basic', found: nothing(context.page) };
    return await inFiles(place, 'wiki', { repository: wiki, commit, ref }, wanted, context);
  }

  /** What of the projects that are searched is usually left out. */
  const outside = ({ exclude_forks, include_archived }: Pick<Wanted, 'exclude_forks' | 'include_archived'>) => ({
    forks: exclude_forks === false,
    archived: include_archived === true,
  });

  /** In the index of everything that the caller may read, or of what of it is below a group. */
  async function manyFiles(
    group: GroupSubject | null,
    kind: CodeKind,
    wanted: Wanted,
    { caller, page }: SearchContext,
  ) {
    const place = group ? { groupId: group.group.id } : null;
    const scope: CodeScope = { caller, kind, place, ...outside(wanted) };
    return { type: 'advanced', found: await code.page(scope, codeOptions(wanted), page) } as const;
  }

  /** Facets of what `manyFiles`, or a search of a project in the index, finds. */
  async function facets(
    place: Somewhere,
    kind: CodeKind,
    wanted: Pick<Wanted, 'search' | 'regex' | 'exclude_forks' | 'include_archived'>,
    caller: Caller,
  ) {
    const where =
      place === null ? null : place.kind === 'project' ? { projectId: place.project.id } : { groupId: place.group.id };
    const scope: CodeScope = { caller, kind, place: where, ...outside(wanted) };
    return await code.facets(scope, { search: wanted.search, regex: wanted.regex === true });
  }

  async function commits(place: ProjectSubject, { search, ref }: Wanted, { caller, page }: SearchContext) {
    const at = canOnProject(caller, 'read_code', place) ? await start(place, ref) : null;
    if (!at || /[\n\0]/.test(search)) return nothing(page);
    const json = (commit: Awaited<ReturnType<RepositoryReader['commit']>>) =>
      searchedCommitJson(commitJson(commit, `${externalUrl}/${projectPath(place)}`), place.project.id);
    // The beginning of an id is nothing else.
    const id = /^[0-9a-f]{7,64}$/i.test(search) ? await reader.resolve(place.project, search.toLowerCase()) : null;
    if (id !== null) return slicePage(page, [json(await reader.commit(place.project, id))]);
    const window = { skip: page.offset, limit: page.limit };
    const found = await reader.log(place.project, { from: [at.commit], grep: search, ...window });
    return mapPage(offsetPage(page, found, null), json);
  }

  /** Commits of the default branches of many projects, in their index. */
  async function manyCommits(
    place: GroupSubject | null,
    { search, sort, ...wanted }: Wanted,
    { caller, page }: SearchContext,
  ): Promise<Paged> {
    if (search.includes('\0')) return nothing(page);
    const where = place && { groupId: place.group.id };
    const { rows, total } = await findCommitsAcross(
      db,
      caller,
      where,
      { text: search, sort, ...outside(wanted) },
      page,
    );
    // A forced push may have taken one away that is still in the index.
    const paged = offsetPage(page, rows, total);
    const found = await Promise.all(
      paged.items.map(async (row) => {
        const sha = await reader.resolve(row, row.sha);
        if (sha === null) return [];
        return [
          searchedCommitJson(commitJson(await reader.commit(row, sha), `${externalUrl}/${row.place_path}`), row.id),
        ];
      }),
    );
    return withItems(paged, found.flat());
  }

  const snippetTitles = ({ search, sort }: Wanted, { caller, page }: SearchContext) =>
    deps.snippets(caller, { search, sort }, page);

  const epics = (place: GroupSubject | null, wanted: Wanted, { caller, page }: SearchContext) => {
    const { search, sort, state, confidential } = wanted;
    const known = state === 'opened' || state === 'closed' ? state : undefined;
    return deps.epics(caller, place, { search, sort, state: known, confidential }, page);
  };

  return {
    projects,
    issues,
    mergeRequests,
    milestones,
    users,
    notes,
    blobs,
    wikiBlobs,
    manyFiles,
    facets,
    commits,
    manyCommits,
    snippetTitles,
    epics,
  };
}
export type Searches = ReturnType<typeof searches>;
