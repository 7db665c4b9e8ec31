/** Conflicts of a merge request with their texts, and the merge of the target branch that resolves them. */
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { MergeRequest } from '../../../kernel/db/rows.ts';
import { conflict, HttpError, invalidParameters, unauthorized, unprocessable } from '../../../kernel/http/errors.ts';
import { type ConflictText, stackBase } from '../../repository/index.ts';
import * as requests from '../merge-requests/merge-requests.queries.ts';
import type { MergeRequestDependencies, MergeRequestService } from '../merge-requests/merge-requests.service.ts';
import { ofFork, type RequestSources } from '../merge-requests/sources.ts';

/** Larger files are resolved in a clone. */
export const largestText = 1024 ** 2;
/** Both sides have a text. */
const textKinds: ReadonlySet<string> = new Set(['content', 'add/add']);
const markers = /^(<{7}|>{7}) /m;

export interface Resolution {
  readonly path: string;
  readonly content?: string | undefined;
  readonly side?: 'source' | 'target' | undefined;
  readonly delete?: boolean | undefined;
}

interface ResolveWishes {
  /** The commits that were resolved: others are not. */
  readonly source: string;
  readonly target: string;
  readonly message: string | undefined;
  readonly files: readonly Resolution[];
}

const isResolvable = (found: ConflictText): boolean =>
  found.kind === 'modify/delete'
    ? found.ours !== null || found.theirs !== null
    : textKinds.has(found.kind) && found.content !== null;

const defaultMessage = (row: MergeRequest, found: readonly ConflictText[]): string =>
  [
    `Merge branch '${row.target_branch}' into '${row.source_branch}'`,
    '',
    '# Conflicts:',
    ...found.map(({ path }) => `#   ${path}`),
  ].join('\n');

/** The text of a file after its resolution; null where it is removed. */
function textOf(found: ConflictText, wished: Resolution): string | null {
  const given = [wished.content !== undefined, wished.side !== undefined, wished.delete === true].filter(Boolean);
  if (given.length !== 1) throw invalidParameters([`${found.path}: exactly one of content, side, delete is required`]);
  if (wished.delete) return null;
  if (wished.side !== undefined) return wished.side === 'source' ? found.ours : found.theirs;
  const text = wished.content ?? '';
  if (markers.test(text)) throw unprocessable(`${found.path} still contains conflict markers`);
  return text;
}

export function conflictResolving(
  deps: Pick<MergeRequestDependencies, 'db' | 'repository'>,
  service: Pick<MergeRequestService, 'catchUp' | 'follow'>,
  sources: Pick<RequestSources, 'liveHead' | 'writableSource'>,
) {
  const { db, repository } = deps;

  /** The request and both its branches; 409 where nothing collides. */
  async function load({ project }: ProjectSubject, iid: number) {
    const stored = await requests.requireByIid(db, project.id, iid);
    if (stored.state !== 'opened') throw conflict('The merge request is not open');
    const row = await service.catchUp(stored);
    const target = await repository.branch(project, row.target_branch);
    const head = await sources.liveHead(row);
    if (target === null || head === null || row.head_sha !== head) throw conflict('A branch is missing');
    const below = await stackBase(repository, project, row, { target, head });
    const found = await repository.conflictTexts(project, head, target, largestText, below);
    if (found.length === 0) throw conflict('The merge request has no conflicts');
    return { row, head, target, below, found };
  }

  return {
    async conflictsOf(subject: ProjectSubject, caller: Caller, iid: number) {
      const { row, head, target, found } = await load(subject, iid);
      return {
        source_branch: row.source_branch,
        target_branch: row.target_branch,
        source_sha: head,
        target_sha: target,
        commit_message: defaultMessage(row, found),
        can_resolve: caller.user !== null && (await sources.writableSource(caller, row)) !== null,
        files: found.map((each) => ({
          path: each.path,
          kind: each.kind,
          message: each.message,
          resolvable: isResolvable(each),
          content: each.content,
          source_content: each.ours,
          target_content: each.theirs,
        })),
      };
    },

    async resolve(subject: ProjectSubject, caller: Caller, iid: number, wishes: ResolveWishes): Promise<MergeRequest> {
      const { user } = caller;
      if (!user) throw unauthorized();
      const { row, head, target, below, found } = await load(subject, iid);
      const source = await sources.writableSource(caller, row);
      if (!source) throw new HttpError(403, { message: 'You cannot push to the source branch' });
      if (head !== wishes.source || target !== wishes.target)
        throw conflict('A branch has changed since. Load the conflicts again.');
      const clone = found.find((each) => !isResolvable(each));
      if (clone) throw unprocessable(`${clone.path} has to be resolved in a clone`);
      const unknown = wishes.files.find(({ path }) => !found.some((each) => each.path === path));
      if (unknown) throw unprocessable(`${unknown.path} has no conflict`);
      const files = new Map<string, string | null>();
      for (const each of found) {
        const [wished, ...more] = wishes.files.filter(({ path }) => path === each.path);
        if (!wished || more.length > 0) throw unprocessable(`${each.path} is not resolved`);
        files.set(each.path, textOf(each, wished));
      }
      if (ofFork(row)) await repository.carry(source.project, subject.project, target);
      const person = { name: user.name, email: user.commit_email ?? user.email };
      let made = '';
      await repository.write({
        subject: source,
        caller,
        kind: 'api',
        async build(bench) {
          // Nobody pushes any more while this runs.
          if ((await repository.branch(source.project, row.source_branch)) !== head)
            throw conflict('A branch has changed since. Load the conflicts again.');
          const { tree } = await bench.resolve(head, target, files, below);
          if (tree === null) throw conflict('A branch has changed since. Load the conflicts again.');
          const message = wishes.message ?? defaultMessage(row, found);
          made = await bench.commit({ tree, parents: [head, target], message, author: person, committer: person });
          return [{ ref: `refs/heads/${row.source_branch}`, before: head, after: made }];
        },
      });
      await service.follow(source.project.id, row.source_branch, made, user.id);
      return await service.catchUp((await requests.byId(db, row.id)) ?? row);
    },
  };
}
