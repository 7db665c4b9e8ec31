/** Projects from other products: asked for with a token, fetched in the background, continued after a crash. */
import { randomUUID } from 'node:crypto';
import { isGitError } from '@millrace/git';
import { Level } from '../../../kernel/authz/levels.ts';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { type Db, transaction } from '../../../kernel/db/index.ts';
import type { Project } from '../../../kernel/db/rows.ts';
import { forbidden, HttpError, plainError, unauthorized } from '../../../kernel/http/errors.ts';
import { addJob } from '../../../kernel/queue/index.ts';
import {
  findNamespaceSubject,
  findProjectSubject,
  type ImportTarget,
  openness,
  type ProjectService,
  type Relation,
} from '../../namespaces/index.ts';
import type { PortabilityDependencies } from '../index.ts';
import { RefusedRemote } from '../project-archives/http-fetch.ts';
import { type ImportResult, importAttempts, importTask } from '../project-archives/import-task.ts';
import type { ImportService } from '../project-archives/imports.ts';
import type { Row } from '../project-archives/json.ts';
import { broughtBefore } from '../project-archives/progress.queries.ts';
import { codeStage, progressOf } from '../project-archives/progress.ts';
import { count, settle, takeBatch, tell } from '../project-archives/taking.ts';
import { findImport, insertImport } from '../project-archives/transfers.queries.ts';
import { archivedFiles } from '../project-archives/uploads.ts';
import type { UrlImports } from '../project-archives/url-imports.ts';
import { attachmentPart } from './attachments.ts';
import { ProviderError } from './client.ts';
import { giteaClient, giteaRepository, giteaSource } from './gitea.ts';
import { hostedClient, hostedRepository, hostedSource } from './hosted.ts';
import type { Brought, Part, ProviderConfig, ProviderRepository, Source } from './provider.ts';
import { importTypes, refusalOf } from './refusals.ts';
import { requirementPart } from './requirement-part.ts';
import { serverClient, serverRepository, serverSource } from './server.ts';
import { metricImagePart, snippetPart } from './transfer-belongings.ts';
import { transferClient, transferLimits, transferRepository, transferSource } from './transfer-source.ts';
import { wikiAt, wikiPart } from './wiki-part.ts';

const providerImport = { name: 'portability.import_from_provider', maxAttempts: importAttempts };
const purpose = 'provider import';
const hour = 3_600_000;

export interface ProviderImportOptions {
  readonly config: ProviderConfig;
  /** Path of a group or person; the caller's own place without it. */
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  /** Last part of the address; made of the name without it. */
  readonly path?: string;
  /** In the transaction that makes the project. */
  readonly made?: (tx: Db, projectId: number) => Promise<void>;
}

export function providerImportService(
  deps: PortabilityDependencies,
  projects: ProjectService,
  relations: readonly Relation[],
  { imports, urlImports }: { readonly imports: Pick<ImportService, 'targetOf'>; readonly urlImports: UrlImports },
) {
  const { db, outbound, secrets, settings } = deps;
  const byName = new Map(relations.map((relation) => [relation.name, relation]));

  async function repositoryOf(config: ProviderConfig, signal?: AbortSignal): Promise<ProviderRepository> {
    const options = { outbound, waits: false, ...(signal ? { signal } : {}) };
    if (config.provider === 'hosted') return await hostedRepository(hostedClient(options, config), config.repositoryId);
    if (config.provider === 'gitea') return await giteaRepository(giteaClient(options, config), config);
    if (config.provider === 'transfer') return await transferRepository(transferClient(options, config), config);
    return await serverRepository(serverClient(options, config), config);
  }
  async function sourceOf(config: ProviderConfig, signal: AbortSignal): Promise<Source> {
    const options = { outbound, waits: true, signal };
    if (config.provider === 'hosted') {
      const texts = relations.flatMap((relation) => relation.texts ?? []);
      return await hostedSource(hostedClient(options, config), config, (place, to) =>
        attachmentPart({ ...place, outbound, signal }, to, { db, secrets, texts }),
      );
    }
    if (config.provider === 'gitea') return await giteaSource(giteaClient(options, config), config);
    if (config.provider === 'transfer') {
      const names = relations.map(({ name }) => name);
      return await transferSource({ outbound, signal }, config, names, await transferLimits(settings));
    }
    return await serverSource(serverClient(options, config), config);
  }

  /** Where the project goes: a place that is there, of somebody, where the caller may make projects. */
  async function placeOf(caller: Caller, userId: number, path: string | undefined) {
    if (path === undefined) return null;
    const found = await findNamespaceSubject(db, path.replace(/^\/+|\/+$/g, ''), userId);
    const visible = found && (found.level > Level.none || found.group.visibility !== 'private' || caller.admin);
    if (!found || !visible) throw plainError(422, 'Namespace or group to import repository into does not exist.');
    const own = found.group.kind === 'user' && found.group.owner_id === userId;
    const allowed = found.group.kind === 'user' ? own || caller.admin : found.level >= Level.maintainer || caller.admin;
    if (!allowed) throw plainError(422, 'You are not allowed to import projects in this namespace.');
    return found.group;
  }

  /** Makes the project; its content follows in the background. */
  async function start(caller: Caller, options: ProviderImportOptions, signal: AbortSignal): Promise<ProjectSubject> {
    const { user } = caller;
    if (!user) throw unauthorized();
    const { config, namespace, name } = options;
    const type = importTypes[config.provider];
    const values = await settings.read();
    const allowed =
      config.provider === 'transfer' ? values.bulk_import_enabled : values.import_sources.some((each) => each === type);
    if (!allowed) throw forbidden();
    const refusal = await outbound.refusal(config.base, 'import');
    if (refusal !== null) throw plainError(400, `Invalid URL: ${refusal}`);
    const bot = user.user_type === 'project_bot' || user.user_type === 'group_bot';
    if (namespace === undefined && bot)
      throw plainError(422, 'You are not allowed to import projects in this namespace.');
    const place = await placeOf(caller, user.id, namespace);
    const repository = await repositoryOf(config, signal).catch((error: unknown) => {
      throw error instanceof ProviderError ? refusalOf(error, config.provider) : error;
    });
    const most = place && place.kind === 'group' ? place.visibility : 'public';
    // A bot has no habits of its own: what is public there is public here.
    const usual = bot ? 'public' : values.default_project_visibility;
    const told = repository.visibility ?? (repository.private ? 'private' : usual);
    const wanted = values.restricted_visibility_levels.includes(told) && !caller.admin ? 'private' : told;
    const called = name ?? repository.name;
    try {
      return await projects.create(
        caller,
        {
          name: called,
          path: options.path ?? called.replaceAll(/[^A-Za-z0-9_.-]+/g, '-').replace(/^[-.]+|[-.]+$/g, ''),
          visibility: openness(wanted) > openness(most) ? most : wanted,
          ...(repository.description === null ? {} : { description: repository.description.slice(0, 2000) }),
          ...(place ? { namespace_id: place.id } : {}),
        },
        {
          source: null,
          columns: { default_branch: repository.defaultBranch, import_status: 'scheduled', import_type: type },
          within: async (tx, id) => {
            const url = secrets.seal(JSON.stringify(config), purpose);
            const { source, link } = repository;
            const row = { projectId: id, userId: user.id, trusted: caller.admin, url, source, link };
            await insertImport(tx, row, randomUUID().replaceAll('-', ''));
            await addJob(tx, providerImport, { project_id: id });
            await options.made?.(tx, id);
          },
        },
      );
    } catch (error) {
      if (!(error instanceof HttpError) || error.status !== 400) throw error;
      const { message } = error.body as { message?: unknown };
      const reasons =
        typeof message === 'object' && message !== null
          ? Object.entries(message).flatMap(([field, list]) => [list].flat().map((each) => `${field} ${String(each)}`))
          : [error.message];
      throw plainError(422, reasons.join(', '));
    }
  }

  async function emptied(projectId: number): Promise<void> {
    await transaction(db, async (tx) => {
      for (const relation of relations) await relation.remove(tx, projectId);
    });
  }

  /** Diffs are those since the branches parted; other servers tell where the target branch is. */
  async function base(project: Project, row: Row): Promise<void> {
    const { head_sha: head, base_sha: target } = row;
    if (typeof head !== 'string' || typeof target !== 'string') return;
    const [one, other] = [
      await deps.repository.hasCommit(project, head),
      await deps.repository.hasCommit(project, target),
    ];
    const shared = one && other ? await deps.repository.mergeBase(project, target, head) : null;
    if (shared === null) return;
    const ids = { base_sha: shared, start_sha: target, head_sha: head };
    Object.assign(row, ids, { versions: [{ ...ids, created_at: row.created_at }] });
  }

  async function fetchCode(
    project: Project,
    source: Source,
    config: ProviderConfig,
    signal: AbortSignal,
  ): Promise<ImportResult> {
    const refs = await source.refs();
    const address = provenAddress(source, config, source.repository.cloneUrl);
    return await urlImports.fetched(project, address, signal, { refs, same: source.sameRefs === true });
  }

  /** An address of git there, with what proves us. */
  function provenAddress(source: Source, config: ProviderConfig, cloneUrl: string): string {
    const address = new URL(cloneUrl);
    const { hostname } = new URL(config.base);
    // What proves us to one server is not for another.
    if (![hostname, hostname.replace(/^api\./, '')].includes(address.hostname))
      throw new ProviderError('refused', 'The repository is on another server');
    address.username = encodeURIComponent(source.git.username);
    address.password = encodeURIComponent(source.git.password);
    return address.href;
  }

  /** What comes after the rows. */
  async function partsOf(
    subject: ProjectSubject,
    target: ImportTarget,
    source: Source,
    config: ProviderConfig,
    signal: AbortSignal,
  ): Promise<Part<Brought>[]> {
    const parts: Part<Brought>[] = [];
    if (source.requirements) parts.push(requirementPart(db, subject, source.requirements));
    if (source.wiki) {
      const address = provenAddress(source, config, wikiAt(source.repository.cloneUrl));
      parts.push(wikiPart(urlImports, subject, address, signal));
    }
    const values = await settings.read();
    if (source.rowsOf && config.provider === 'transfer') {
      const transfer = { db, subject, target, signal, rowsOf: source.rowsOf };
      const addressOf = (id: number) =>
        provenAddress(source, config, `${source.repository.cloneUrl.replace(/\.git$/, '')}/snippets/${id}.git`);
      const { repository, objects } = deps;
      const snippets = { repository, urlImports, addressOf, largest: values.snippet_size_limit };
      parts.push(
        snippetPart({ ...transfer, ...snippets }),
        metricImagePart({ ...transfer, outbound, objects, source: config }),
      );
    }
    const owner = { kind: 'project', id: subject.project.id } as const;
    const largest = values.max_attachment_size * 1024 ** 2;
    parts.push(...(source.parts?.({ files: archivedFiles(deps), owner, target, largest }) ?? []));
    return parts;
  }

  /** Goes on behind the last stage that an attempt before this one has finished. */
  async function fill(project: Project, signal: AbortSignal): Promise<ImportResult> {
    const kept = await findImport(db, project.id);
    if (!kept?.url_sealed || kept.user_id === null) throw new ProviderError('missing', 'The token is gone');
    const config = JSON.parse(secrets.open(kept.url_sealed, purpose)) as ProviderConfig;
    const optimistic = config.timeoutStrategy === 'optimistic';
    const source = await sourceOf(config, signal);
    const subject = await findProjectSubject(db, String(project.id), null);
    if (!subject) throw new ProviderError('missing', 'The project is gone');
    const target = imports.targetOf(project, kept.user_id, kept.trusted);
    const parts = await partsOf(subject, target, source, config, signal);
    const progress = progressOf(kept, [codeStage, ...[...source.stages, ...parts].map(({ name }) => name)]);
    const { outcome } = progress;
    if (!progress.has(codeStage)) {
      await emptied(project.id);
      const code = await fetchCode(project, source, config, signal);
      for (const failure of code.failures) tell(outcome, failure);
      await progress.end(db, project.id, codeStage);
    } else if (source.stages.some(({ name }) => progress.has(name))) source.known(await broughtBefore(db, project.id));
    /** What does not come fails the import, or is told where it goes on without. */
    const withoutSome = (name: string, line: number, error: unknown): void => {
      const lasting = !(error instanceof ProviderError) || error.kind === 'unauthorized' || error.kind === 'refused';
      if (lasting || !optimistic) throw error;
      tell(outcome, { relation: name, line, reason: error.message });
    };
    for (const stage of source.stages) {
      if (progress.has(stage.name)) continue;
      await transaction(db, async (tx) => {
        // An attempt that was interrupted may have left some of it.
        await byName.get(stage.name)?.remove(tx, project.id);
        await progress.begin(tx, project.id, stage.name);
      });
      let line = 0;
      try {
        for await (const rows of stage.rows()) {
          signal.throwIfAborted();
          await transaction(db, async (tx) => {
            for (const [name, some] of Map.groupBy(rows, (each) => each.relation)) {
              const relation = byName.get(name);
              if (!relation) throw new Error(`there is no relation ${name}`);
              const lines = some.map(({ row }) => row);
              // Those of this API say themselves where their branches parted.
              if (name === 'merge_requests' && config.provider !== 'transfer')
                for (const row of lines) await base(project, row);
              for (const reason of await takeBatch(tx, relation, lines, target, line + 1)) {
                line += 1;
                outcome.fetched[name] = (outcome.fetched[name] ?? 0) + 1;
                outcome.imported[name] = (outcome.imported[name] ?? 0) + (reason === null ? 1 : 0);
                if (reason !== null) tell(outcome, { relation: name, line, reason });
              }
            }
            await progress.keep(tx, project.id);
          });
        }
      } catch (error) {
        withoutSome(stage.name, line, error);
      }
      await progress.end(db, project.id, stage.name);
    }
    for (const { name, along = [], take } of parts) {
      if (progress.has(name)) continue;
      for (const each of [name, ...along]) await progress.begin(db, project.id, each);
      try {
        for await (const each of take()) {
          signal.throwIfAborted();
          const brought = typeof each === 'object' && each !== null ? each : { name, reason: each };
          count(outcome, brought.name, brought.reason);
          await progress.keep(db, project.id);
        }
      } catch (error) {
        withoutSome(name, outcome.fetched[name] ?? 0, error);
      }
      await progress.end(db, project.id, name);
    }
    const { failures, ...stats } = outcome;
    return { stats, failures };
  }

  const task = importTask(db, {
    name: providerImport.name,
    timeout: 12 * hour,
    fill,
    reasonOf(error) {
      if (error instanceof ProviderError || error instanceof RefusedRemote) return error.message;
      const refused = isGitError(error) && ['corrupt', 'limit', 'invalid'].includes(error.code);
      return refused ? `The repository was refused: ${error.message}` : null;
    },
    givenUp: 'The repository could not be imported',
    arrived: async (tx, project) => {
      await settle(tx, relations, project.id);
      await deps.repository.arrived(tx, project);
    },
  });

  return { start, tasks: [task] };
}
export type ProviderImports = ReturnType<typeof providerImportService>;
