/** The configuration of a checkout, compiled with the server's own engine for an event that is given as options. */
import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type CompileResult, compile, type Fetch, filesMatching, type Variable } from '@millrace/ci-config';
import type { WorkTree } from '@millrace/git';
import { UsageError } from '../arguments.ts';

/** The checkout, or what is wrong with the call. */
export class CiError extends Error {
  override readonly name = 'CiError';
}

export interface EventOptions {
  readonly file?: string | undefined;
  readonly source?: string | undefined;
  readonly ref?: string | undefined;
  readonly tag?: string | undefined;
  /** What `rules:changes` compares with. */
  readonly base?: string | undefined;
  readonly variables: readonly string[];
  readonly inputs: readonly string[];
}

export interface LocalPipeline {
  readonly result: CompileResult;
  readonly ref: string;
  readonly tag: boolean;
  readonly variables: readonly Variable[];
}

const files = ['.millrace-ci.yml', '.gitlab-ci.yml'];
const pair = (text: string, option: string): [string, string] => {
  const at = text.indexOf('=');
  if (at < 1) throw new UsageError(`--${option} is ${text}, but must be like NAME=VALUE`);
  return [text.slice(0, at), text.slice(at + 1)];
};

async function textAt(path: string): Promise<string | null> {
  const found = await stat(path).catch(() => null);
  return found?.isFile() ? await readFile(path, 'utf8') : null;
}

async function entryOf(tree: WorkTree, wanted: string | undefined) {
  for (const path of wanted === undefined ? files : [wanted]) {
    const content = await textAt(join(tree.root, path));
    if (content !== null) return { path, content };
  }
  throw new CiError(`there is no ${wanted ?? files.join(' or ')} in ${tree.root}`);
}

const slug = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '-')
    .slice(0, 63)
    .replace(/^-+|-+$/g, '');

/** What is known of a pipeline on a laptop. */
function predefined(
  tree: WorkTree,
  event: { ref: string; tag: boolean; source: string; defaultBranch: string; path: string },
): Variable[] {
  const project =
    tree.remote?.replace(/\.git$/, '').replace(/^(?:[a-z+]+:\/\/[^/]+\/|[^/:]+:)/i, '') ?? basename(tree.root);
  const list: Record<string, string> = {
    CI: 'true',
    GITLAB_CI: 'true',
    MILLRACE_CI: 'true',
    CI_PIPELINE_SOURCE: event.source,
    CI_COMMIT_SHA: tree.sha,
    CI_COMMIT_SHORT_SHA: tree.sha.slice(0, 8),
    CI_COMMIT_REF_NAME: event.ref,
    CI_COMMIT_REF_SLUG: slug(event.ref),
    CI_COMMIT_TITLE: tree.commit.title,
    CI_COMMIT_MESSAGE: tree.commit.message,
    CI_COMMIT_AUTHOR: tree.commit.author,
    CI_COMMIT_TIMESTAMP: tree.commit.date,
    CI_DEFAULT_BRANCH: event.defaultBranch,
    CI_CONFIG_PATH: event.path,
    CI_PROJECT_PATH: project,
    CI_PROJECT_PATH_SLUG: slug(project),
    CI_PROJECT_NAME: project.split('/').at(-1) ?? project,
    CI_PROJECT_NAMESPACE: project.split('/').slice(0, -1).join('/'),
    ...(event.tag ? { CI_COMMIT_TAG: event.ref } : {}),
    ...(event.tag || event.source === 'merge_request_event' ? {} : { CI_COMMIT_BRANCH: event.ref }),
  };
  return Object.entries(list).map(([key, value]) => ({ key, value, raw: true }));
}

export async function compileLocally(tree: WorkTree, options: EventOptions): Promise<LocalPipeline> {
  const { path, content } = await entryOf(tree, options.file);
  const tag = options.tag !== undefined;
  const ref = options.tag ?? options.ref ?? tree.branch ?? 'HEAD';
  const source = options.source ?? 'push';
  const defaultBranch = tree.defaultBranch ?? 'main';
  const base = predefined(tree, { ref, tag, source, defaultBranch, path });
  const given = options.variables.map((text): Variable => {
    const [key, value] = pair(text, 'variable');
    return { key, value };
  });
  let listed: Promise<string[]> | undefined;
  const listPaths = () => (listed ??= tree.paths());
  const fetch: Fetch = async (local, from) => {
    const here = 'only files of the checkout are included here';
    if (from) return { failure: from.kind === 'project' ? `is elsewhere: ${here}!` : here };
    const paths = local.includes('*') ? filesMatching(local, await listPaths()) : [local];
    const found = await Promise.all(
      paths.map(async (each) => ({ path: each, content: await textAt(join(tree.root, each)) })),
    );
    return found.flatMap(({ path: each, content: text }) => (text === null ? [] : { path: each, content: text }));
  };
  const result = await compile({
    path,
    content,
    inputs: Object.fromEntries(options.inputs.map((text) => pair(text, 'input'))),
    fetch,
    context: {
      ref,
      sha: tree.sha,
      tag,
      source,
      defaultBranch,
      variables: { base, override: given },
      listPaths,
      changedPaths: async (compareTo) => {
        if (compareTo !== undefined) {
          const against = (await tree.changedSince(compareTo)) ?? (await tree.changedSince(`origin/${compareTo}`));
          return against ?? 'unknown ref';
        }
        const revision = options.base ?? (ref === defaultBranch ? 'HEAD~1' : `origin/${defaultBranch}`);
        return await tree.changedSince(revision);
      },
      versionOf: async (file, of) => {
        if (of === 'commit') return await tree.lastCommitOf(file);
        const text = await textAt(join(tree.root, file));
        return text === null ? null : createHash('sha1').update(text).digest('hex');
      },
    },
  });
  return { result, ref, tag, variables: [...base, ...given] };
}
