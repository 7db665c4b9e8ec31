/** A repository of a project or wiki as one file for exports, and the way back: bounded, checked like a push, without its rules and facts. */
import type { Readable } from 'node:stream';
import * as git from '@millrace/git';
import type { Outgoing } from '../../namespaces/index.ts';
import type { RepositoryRow } from '../face.ts';
import { type LfsPointer, longestPointer, readPointer } from '../lfs/pointers.ts';
import type { OpenRepository } from '../reading/git-reader.ts';
import type { WritePath } from '../writes/write-path.ts';

export { mirroredRefs } from './mirrored.ts';

/** Heads, older versions and context commits of merge requests: they may be in no branch any more. */
const requestGlobs = ['head', 'versions/*', 'context/*'].map((name) => `refs/merge-requests/*/${name}`);
const requestRef = /^refs\/merge-requests\/[1-9]\d{0,8}\/(?:head|(?:versions|context)\/([0-9a-f]{40}))$/;

/** Whether a ref keeps commits of a merge request; those of versions and context commits are named by their commit. */
export function keepsRequest(ref: string, id: string): boolean {
  const found = requestRef.exec(ref);
  return found !== null && (found[1] ?? id) === id;
}

const wanted = (ref: string, id: string) =>
  ref.startsWith('refs/heads/') || ref.startsWith('refs/tags/') || keepsRequest(ref, id);

export interface UnbundleOptions {
  /** Bytes of the pack. */
  readonly maxBytes: number;
  readonly signal: AbortSignal;
  /** Told of every object of Git LFS that the pack points at, some more than once. */
  readonly pointed?: (object: LfsPointer) => void;
}

/** The first of the wished branches that a bundle has, else the one that its HEAD stands for; null where it has none. */
export function branchOf({ refs }: git.Bundle, wished: ReadonlyArray<string | null>): string | null {
  const branches = new Map(
    refs.flatMap(({ ref, id }) =>
      ref.startsWith('refs/heads/') && git.isCreatableRef(ref) ? [[ref.slice('refs/heads/'.length), id] as const] : [],
    ),
  );
  const usual = ['main', 'master'];
  const head = refs.find(({ ref }) => ref === 'HEAD')?.id;
  const atHead = [...branches].flatMap(([name, id]) => (id === head ? [name] : []));
  const inOrder = [...wished, ...usual.filter((name) => atHead.includes(name)), ...atHead, ...usual];
  return inOrder.find((name) => name !== null && branches.has(name)) ?? branches.keys().next().value ?? null;
}

export function repositoryBundles(deps: {
  readonly open: OpenRepository;
  readonly shared: git.Git;
  readonly exclusively: WritePath['exclusively'];
  /** Its refs are others now. */
  readonly moved: (id: number) => Promise<void>;
}) {
  const { open } = deps;

  /** References of others and the pack that goes with them, checked like a push; none but branches, tags and commits of requests. */
  async function filled(project: RepositoryRow, { refs, pack }: git.Bundle, options: UnbundleOptions): Promise<void> {
    const repo = git.withSignal(open(project), options.signal);
    const updates = refs.flatMap(({ ref, id }) => {
      const kept = keepsRequest(ref, id) ? (ref as git.RefName) : null;
      const known = kept ?? (git.isCreatableRef(ref) && wanted(ref, id) ? ref : null);
      return known === null ? [] : [{ ref: known, new: id }];
    });
    const quarantine = await git.createQuarantine(repo);
    let used = false;
    try {
      const ingested = await git.ingestPack(quarantine, pack, { maxBytes: options.maxBytes });
      await git.checkConnectivity(
        quarantine,
        updates.map((update) => update.new),
        ingested,
      );
      if (options.pointed)
        for await (const { data } of git.quarantinedBlobs(quarantine, longestPointer)) {
          const pointer = readPointer(data);
          if (pointer) options.pointed(pointer);
        }
      await deps.exclusively(project, async () => {
        used = true;
        await git.migrateQuarantine(quarantine);
        if (updates.length > 0) await git.updateRefs(repo, updates);
        if (project.default_branch !== null) await git.setDefaultBranch(repo, project.default_branch);
        await deps.moved(project.id);
      });
    } finally {
      if (!used) await git.discardQuarantine(quarantine);
    }
  }

  return {
    /** Null for a repository without branches and tags. */
    async bundle(project: RepositoryRow, signal: AbortSignal): Promise<Readable | null> {
      const repo = git.withSignal(open(project), signal);
      const { refs } = await git.refsSnapshot(repo, project.refs_generation);
      return refs.some(({ ref, id }) => wanted(ref, id)) ? await git.createBundle(repo, requestGlobs) : null;
    },
    async outgoing(project: RepositoryRow, signal: AbortSignal): Promise<Outgoing> {
      const repo = git.withSignal(open(project), signal);
      const { refs } = await git.refsSnapshot(repo, project.refs_generation);
      return {
        refs: refs.filter(({ ref }) => ref.startsWith('refs/heads/') || ref.startsWith('refs/tags/')),
        known: (ids) => git.existingObjects(repo, ids.filter(git.isSha)),
        isAncestor: async (ancestor, descendant) =>
          git.isSha(ancestor) && git.isSha(descendant) && (await git.isAncestor(repo, ancestor, descendant)),
        pack: (ids, known) => git.createPack(repo, ids.filter(git.isSha), known.filter(git.isSha)),
      };
    },
    /** The files of a bare repository with everything that is in it. Close it in the end. */
    snapshot: (project: RepositoryRow): Promise<git.Snapshot> =>
      deps.exclusively(project, async () => {
        const repo = open(project);
        return await git.snapshotRepository(repo, await git.refsSnapshot(repo, project.refs_generation));
      }),
    /** An empty repository in the project's place; what an interrupted import left goes. */
    async emptied(project: RepositoryRow): Promise<void> {
      const { path } = open(project);
      await git.removeRepository(deps.shared, path);
      await git.initRepository(path, { defaultBranch: project.default_branch ?? 'main' });
    },
    /** Fills an empty repository. Throws a GitError for what is no bundle, too large, or not whole. */
    async unbundled(
      project: RepositoryRow,
      source: AsyncIterable<Buffer>,
      { anyBranch = false, ...options }: UnbundleOptions & { readonly anyBranch?: boolean },
    ): Promise<string | null> {
      const bundle = await git.readBundle(source);
      const branch = anyBranch ? branchOf(bundle, [project.default_branch]) : project.default_branch;
      await filled({ ...project, default_branch: branch }, bundle, options);
      return branch;
    },
    /** Fills an empty repository with what another server offers and sends. */
    filled,
    /** Whether the id is a commit of the repository. */
    async hasCommit(project: RepositoryRow, id: string): Promise<boolean> {
      return git.isSha(id) && (await git.readHeader(open(project), id))?.type === 'commit';
    },
  };
}
