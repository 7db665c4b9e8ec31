/** Putting projects into the catalogue of CI components, and publishing versions: what the repository holds at a release. */
import { componentInputs, formatLocated } from '@millrace/ci-config';
import { entityOfPlace, originOfCaller, recordAudit } from '../../../kernel/audit/index.ts';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { type Db, transaction } from '../../../kernel/db/index.ts';
import type { Project, Release } from '../../../kernel/db/rows.ts';
import { type FactConsumer, on, releaseFacts } from '../../../kernel/events/index.ts';
import { forbidden, plainError, recordNotFound } from '../../../kernel/http/errors.ts';
import { componentName, semanticVersion } from '../../ci/index.ts';
import { mayCreateTag, type RepositoryReader, tagRules } from '../../repository/index.ts';
import { findRelease, releaseById } from '../releases/index.ts';
import * as queries from './catalog.queries.ts';

/** Components of one version. */
const mostComponents = 30;
/** A release that is delivered again, or asked for twice. */
const alreadyPublished = 'Release has already been published';
/** Bytes of one component's file. */
const componentBytes = 524_288;

export interface CatalogServiceDependencies {
  readonly db: Db;
  readonly reader: RepositoryReader;
  readonly project: (id: number) => Promise<Project | null>;
}

interface Request {
  readonly subject: ProjectSubject;
  readonly caller: Caller;
}

interface Contents {
  readonly readme: string;
  readonly components: ReadonlyArray<{ readonly name: string; readonly path: string; readonly inputs: string }>;
}

export function catalogService({ db, reader, project: projectOf }: CatalogServiceDependencies) {
  /** What a version offers at a commit; why it cannot be published otherwise. */
  async function contentsAt(project: Project, sha: string): Promise<Contents | string> {
    if (!project.description) return 'Project must have a description';
    const root = (await reader.tree(project, sha, '', false)) ?? [];
    const readme = root.find(({ type, name }) => type === 'blob' && /^readme(\.[a-z]+)?$/i.test(name));
    if (!readme) return 'Project must have a README';
    const files = new Map<string, { readonly id: string; readonly path: string }>();
    for (const { id, type, path } of (await reader.tree(project, sha, 'templates', true)) ?? []) {
      const name = type === 'blob' ? componentName(path) : null;
      // Of two files with one name the one counts that `include` takes.
      if (name !== null && (!files.has(name) || !path.endsWith('/template.yml'))) files.set(name, { id, path });
    }
    if (files.size === 0) return 'Project must contain components in its `templates` directory';
    if (files.size > mostComponents) return `Release cannot contain more than ${mostComponents} components`;
    const components: { name: string; path: string; inputs: string }[] = [];
    for (const [name, { id, path }] of files) {
      const content = await reader.blobContent(project, id, componentBytes);
      if (content === null) return `${path} is larger than ${componentBytes} bytes`;
      const found = componentInputs(path, content.toString('utf8'));
      if (!found.ok) return found.errors.map(formatLocated).slice(0, 10).join(', ');
      components.push({ name, path, inputs: JSON.stringify(found.inputs) });
    }
    return { readme: readme.path, components };
  }

  /** Publishes a release; why it was not, otherwise. */
  async function publish(
    project: Project,
    release: Release,
    requested: boolean,
    recorded: (tx: Db) => Promise<void>,
    named: readonly string[] = [],
  ): Promise<string | null> {
    const numbers = semanticVersion(release.tag);
    if (!numbers) return `Tag ${release.tag} is not a semantic version`;
    const sha = release.sha ?? (await reader.tag(project, release.tag))?.commit;
    if (!sha) return `Tag ${release.tag} does not exist`;
    const contents = await contentsAt(project, sha);
    if (typeof contents === 'string') return contents;
    const missing = named.find((each) => !contents.components.some(({ name }) => name === each));
    if (missing !== undefined) return `Component ${missing} is not in the repository at ${release.tag}`;
    const values = {
      project_id: project.id,
      release_id: release.id,
      version: release.tag,
      ...numbers,
      sha,
      readme_path: contents.readme,
      published_by_id: release.author_id,
      requested,
    };
    return await transaction(db, async (tx) => {
      const made = await queries.insertVersion(tx, values, contents.components);
      if (!made && !(requested && (await queries.requestVersion(tx, release.id)))) return alreadyPublished;
      await queries.setProblem(tx, project.id, null);
      await recorded(tx);
      return null;
    });
  }

  async function marked(
    { subject, caller }: Request,
    change: typeof queries.insertResource,
    event: string,
  ): Promise<boolean> {
    return await transaction(db, async (tx) => {
      if (!(await change(tx, subject.project.id))) return false;
      await recordAudit(tx, { ...originOfCaller(caller), entity: entityOfPlace(subject), event, details: {} });
      return true;
    });
  }

  /** A release of a project of the catalogue is a version: what prevents that is kept for its maintainers. */
  const consumer: FactConsumer = {
    name: 'catalog.publish',
    handlers: [
      on(releaseFacts.created, async ({ project_id, payload }) => {
        if (project_id === null || !(await queries.findResource(db, project_id))) return;
        const [project, release] = await Promise.all([projectOf(project_id), releaseById(db, payload.id)]);
        if (!project || !release || !semanticVersion(release.tag)) return;
        const problem = await publish(project, release, false, () => Promise.resolve());
        if (problem !== null && problem !== alreadyPublished)
          await queries.setProblem(db, project_id, `${release.tag}: ${problem}`);
      }),
    ],
  };

  return {
    consumer,
    /** False when it is there already. */
    add: (request: Request) => marked(request, queries.insertResource, 'catalog_resource_created'),
    /** False when it is not there. */
    remove: (request: Request) => marked(request, queries.deleteResource, 'catalog_resource_deleted'),
    /** Publishes the release of a tag for a client that asks for it, and that has found the components that it names. */
    async publish({ subject, caller }: Request, tag: string, named: readonly string[]): Promise<void> {
      const { project } = subject;
      const release = await findRelease(db, project.id, tag);
      if (!release) throw recordNotFound();
      if (!mayCreateTag(await tagRules(db, project.id, caller), tag, caller, subject)) throw forbidden();
      if (!(await queries.findResource(db, project.id))) throw plainError(422, 'Project is not a catalog resource');
      if (release.author_id !== (caller.user?.id ?? null))
        throw plainError(422, 'Published by must be the same as the release author');
      const recorded = (tx: Db) =>
        recordAudit(tx, {
          ...originOfCaller(caller),
          entity: entityOfPlace(subject),
          event: 'catalog_version_published',
          details: { version: tag },
          target: { type: 'Release', id: release.id, details: tag },
        });
      const problem = await publish(project, release, true, recorded, named);
      if (problem !== null) throw plainError(422, problem);
    },
  };
}

export type CatalogService = ReturnType<typeof catalogService>;
