/** Projects from repositories that other servers have: asked for by address, fetched in the background, checked like a push. */
import { randomUUID } from 'node:crypto';
import { type Bundle, isGitError } from '@millrace/git';
import type { Caller, ProjectSubject, Subject } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import type { Project } from '../../../kernel/db/rows.ts';
import { HttpError, invalidRecord, plainError, unauthorized } from '../../../kernel/http/errors.ts';
import { BrokenOff } from '../../../kernel/outbound/index.ts';
import { addJob } from '../../../kernel/queue/index.ts';
import type { CreateProject, ProjectService } from '../../namespaces/index.ts';
import { findProjectSubject } from '../../namespaces/index.ts';
import { keepsRequest } from '../../repository/index.ts';
import type { PortabilityDependencies } from '../index.ts';
import { branchOf, offerOf, packOf, RefusedRemote, remoteOf } from './http-fetch.ts';
import { type ImportResult, importAttempts, importTask } from './import-task.ts';
import { type LargeFile, lfsSource, type Remote } from './lfs-source.ts';
import { count, largeFiles, type Outcome, tell } from './taking.ts';
import { findImport, insertImport, setDefaultBranch } from './transfers.queries.ts';

const urlImport = { name: 'namespaces.import_repository', maxAttempts: importAttempts };
const purpose = 'project import';
const mebibyte = 1024 ** 2;
const hour = 3_600_000;
/** Objects of Git LFS of one repository: they are kept in memory until all are there. */
const mostLarge = 250_000;

const idsOf = (refs: Bundle['refs']) => refs.map(({ id }) => id);

export function urlImportService(deps: PortabilityDependencies, projects: ProjectService) {
  const { db, outbound, secrets } = deps;
  const lfs = lfsSource(deps);

  const most = async () => {
    const { max_import_remote_file_size: megabytes } = await deps.settings.read();
    return megabytes === 0 ? Number.MAX_SAFE_INTEGER : megabytes * mebibyte;
  };

  /** Makes the project; its content follows in the background. `also` is done in the same transaction. */
  async function start(
    caller: Caller,
    params: CreateProject,
    address: string,
    also?: (tx: Db, projectId: number) => Promise<void>,
  ): Promise<ProjectSubject> {
    if (!caller.user) throw unauthorized();
    const { import_sources: sources } = await deps.settings.read();
    if (!sources.includes('git')) throw plainError(403, '403 Forbidden');
    const remote = remoteOf(address);
    const refusal = remote === null ? 'is not a valid HTTP address' : await outbound.refusal(remote.url, 'import');
    if (remote === null || refusal !== null) throw invalidRecord({ import_url: [refusal ?? 'is not valid'] });
    // A wrong address is told at once, and not by a project that stays empty.
    const { offer } = await offerOf(outbound, { remote, kind: 'import' }).catch((error: unknown) => {
      if (!(error instanceof RefusedRemote || error instanceof BrokenOff)) throw error;
      throw new HttpError(422, { message: `${remote.url} is not a valid HTTP Git repository: ${error.message}` });
    });
    const userId = caller.user.id;
    return await projects.create(caller, params, {
      source: null,
      columns: {
        default_branch: params.default_branch ?? branchOf(offer),
        import_status: 'scheduled',
        import_type: 'git',
        import_url: remote.url,
      },
      within: async (tx, id) => {
        const row = { projectId: id, userId, trusted: false, url: secrets.seal(address, purpose) };
        await insertImport(tx, row, randomUUID().replaceAll('-', ''));
        await addJob(tx, urlImport, { project_id: id });
        await also?.(tx, id);
      },
    });
  }

  /** Gives `take` the branches of the repository at an address; null where the server has nothing there. */
  async function branches<T>(
    address: string,
    signal: AbortSignal,
    take: (bundle: Bundle, options: { maxBytes: number; signal: AbortSignal; branch: string | null }) => Promise<T>,
  ): Promise<T | null> {
    const asked = remoteOf(address);
    if (asked === null) throw new RefusedRemote('The address is not one of http or https');
    const found = await offerOf(outbound, { remote: asked, kind: 'import' }, signal).catch((error: unknown) => {
      if (error instanceof RefusedRemote && error.missing) return null;
      throw error;
    });
    const refs = found?.offer.refs.filter(({ ref }) => ref.startsWith('refs/heads/')) ?? [];
    if (!found || refs.length === 0) return null;
    const options = { maxBytes: await most(), signal, branch: branchOf(found.offer) };
    return await packOf(outbound, { ...found, kind: 'import' }, { wanted: idsOf(refs) }, signal, (pack) =>
      take({ refs, pack }, options),
    );
  }

  /** Fills the wiki of a place from the repository at an address; false where the server has nothing there. */
  async function wiki(subject: Subject, address: string, signal: AbortSignal): Promise<boolean> {
    await deps.repository.wikiEmptied(subject);
    const filled = await branches(address, signal, async (bundle, options) => {
      await deps.repository.wikiFilled(subject, bundle, options);
      return true;
    });
    return filled ?? false;
  }

  /** Branches and tags, and what else is wanted under names of ours, or as the `same` product names it. */
  async function fetched(
    project: Project,
    address: string,
    signal: AbortSignal,
    also: { readonly refs: readonly { readonly there: string; readonly here: string }[]; readonly same: boolean },
  ): Promise<ImportResult> {
    const asked = remoteOf(address);
    if (asked === null) throw new RefusedRemote('The address is not one of http or https');
    const { offer, remote } = await offerOf(outbound, { remote: asked, kind: 'import' }, signal);
    const named = Map.groupBy(also.refs, ({ there }) => there);
    const refs = offer.refs.flatMap(({ ref, id }) =>
      /^refs\/(heads|tags)\//.test(ref) || (also.same && keepsRequest(ref, id))
        ? [{ ref, id }]
        : (named.get(ref) ?? []).map(({ here }) => ({ ref: here, id })),
    );
    await deps.repository.emptied(project);
    if (refs.length === 0) return { stats: {}, failures: [] };
    const wished = project.default_branch;
    const known = wished !== null && refs.some(({ ref }) => ref === `refs/heads/${wished}`);
    const branch = known ? wished : branchOf(offer);
    if (branch !== null && branch !== wished) await setDefaultBranch(db, project.id, branch);
    const large = new Map<string, LargeFile>();
    let unread = 0;
    const target = { ...project, default_branch: branch };
    const pointed = ({ oid, size }: LargeFile) => {
      if (large.size < mostLarge) large.set(oid, { oid, size });
      else if (!large.has(oid)) unread += 1;
    };
    const maxBytes = await most();
    await packOf(outbound, { offer, remote, kind: 'import' }, { wanted: idsOf(refs) }, signal, (pack) =>
      deps.repository.filled(target, { refs, pack }, { maxBytes, signal, pointed }),
    );
    return await fetchLarge(project, remote, { wanted: [...large.values()], unread }, signal);
  }

  /** Fetches the objects of Git LFS that the repository points at; those that do not come are told. */
  async function fetchLarge(
    project: Project,
    remote: Remote,
    { wanted, unread }: { readonly wanted: readonly LargeFile[]; readonly unread: number },
    signal: AbortSignal,
  ): Promise<ImportResult> {
    const outcome: Outcome = { failures: [], fetched: {}, imported: {} };
    const subject = wanted.length === 0 ? null : await findProjectSubject(db, String(project.id), null);
    if (!subject?.project.lfs_enabled) return { stats: {}, failures: [] };
    const each = ({ oid }: LargeFile, reason: string | null): void =>
      count(outcome, largeFiles, reason === null ? null : `${oid}: ${reason}`);
    if (unread > 0) {
      const reason = `The repository points at more than ${mostLarge} objects; ${unread} files were not looked at`;
      tell(outcome, { relation: largeFiles, line: mostLarge + 1, reason });
    }
    const largest = await most();
    const missing: LargeFile[] = [];
    for (let at = 0; at < wanted.length; at += 1000) {
      const some = wanted.slice(at, at + 1000);
      const here = await deps.repository.hasLarge(
        subject,
        some.map(({ oid }) => oid),
      );
      for (const object of some)
        if (here.has(object.oid)) each(object, null);
        else if (object.size <= largest) missing.push(object);
        else each(object, `is larger than ${largest} bytes (max_import_remote_file_size)`);
    }
    const take = (object: LargeFile, bytes: AsyncIterable<Buffer>, until: AbortSignal) =>
      deps.repository.takeLarge(subject, object, bytes, until);
    await lfs.fetch(remote, missing, take, each, signal);
    const { failures, ...stats } = outcome;
    return { stats, failures };
  }

  const task = importTask(db, {
    name: urlImport.name,
    timeout: 4 * hour,
    fill: async (project, signal) => {
      const row = await findImport(db, project.id);
      if (!row?.url_sealed) throw new RefusedRemote('The address is gone');
      return await fetched(project, secrets.open(row.url_sealed, purpose), signal, { refs: [], same: false });
    },
    reasonOf(error) {
      if (error instanceof RefusedRemote) return error.message;
      const refused = isGitError(error) && ['corrupt', 'limit', 'invalid'].includes(error.code);
      return refused ? `The repository was refused: ${error.message}` : null;
    },
    givenUp: 'The repository could not be fetched',
    arrived: (tx, project) => deps.repository.arrived(tx, project),
  });

  return { start, fetched, branches, wiki, fetchLarge, tasks: [task] };
}
export type UrlImports = ReturnType<typeof urlImportService>;
