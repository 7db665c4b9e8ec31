/** `GET /projects/:id/snapshot`: the repository of a project, or its wiki, as a tar of a bare repository, for administrators' backups. */
import { Readable } from 'node:stream';
import Type from 'typebox';
import type { ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { notFound } from '../../../kernel/http/errors.ts';
import { Bool, Optional } from '../../../kernel/http/params/schema.ts';
import { Binary, type Route, route, streamed } from '../../../kernel/http/route.ts';
import { type ProjectRepositories, projectId } from '../../namespaces/index.ts';
import { snapshotEntry, tarEnd, tarPadding } from '../project-archives/tar.ts';

type Repositories = Pick<ProjectRepositories, 'snapshot' | 'wikiSnapshot' | 'hasWiki'>;
type Snapshot = Awaited<ReturnType<Repositories['snapshot']>>;

async function* tarOf({ files, close }: Snapshot): AsyncGenerator<Buffer> {
  try {
    // git takes a directory for a repository only where these two are, also without anything in them.
    for (const folder of ['refs/', 'objects/']) yield snapshotEntry(folder, 0);
    for (const file of files) {
      yield snapshotEntry(file.name, file.size);
      yield* file.open();
      yield tarPadding(file.size);
    }
    yield tarEnd;
  } finally {
    await close();
  }
}

export function snapshotRoutes(repositories: Repositories): Route[] {
  async function snapshotOf(subject: ProjectSubject, wiki: boolean): Promise<Snapshot> {
    const found = wiki ? await repositories.wikiSnapshot(subject) : await repositories.snapshot(subject.project);
    if (!found) throw notFound('Repository');
    return found;
  }

  return [
    route({
      method: 'GET',
      path: '/projects/:id/snapshot',
      summary: 'Download a snapshot of the bare repository',
      tag: 'Exports and imports',
      credentials: ['token', 'session'],
      access: { on: 'project', ability: 'read_repository_snapshot' },
      params: Type.Object({
        ...projectId,
        wiki: Optional(Bool({ default: false, description: 'The wiki in place of the code' })),
      }),
      responses: { 200: Binary },
      media: ['application/x-tar'],
      handler: async ({ params: { wiki = false }, subject }) => {
        if (wiki && !(await repositories.hasWiki(subject))) throw notFound('Repository');
        const open = async () => Readable.from(tarOf(await snapshotOf(subject, wiki)), { objectMode: false });
        const name = `${subject.project.path}${wiki ? '.wiki' : ''}.tar`;
        return streamed(open, 'application/x-tar', {
          'Content-Disposition': `attachment; filename="${name}"`,
        });
      },
    }),
  ];
}
