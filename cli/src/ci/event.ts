/** The configuration of a checkout, compiled with the server's own engine for an event that is given as options. */
import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import {
  type CompileResult,
  compile,
  type Fetch,
  filesMatching,
  nameSlug,
  type Plan,
  type PlanJob,
  type Variable,
} from '@millrace/ci-config';
import type { WorkTree } from '@millrace/git/work-tree';
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

/** The jobs in the order of their stages, and of the configuration within them. */
export const byStage = (plan: Plan): PlanJob[] => plan.jobs.toSorted((a, b) => a.stageIndex - b.stageIndex);

/** A pipeline that a job of another one starts, from the same checkout. */
export interface ChildOptions {
  /** What it includes, as `trigger:include` has it. */
  readonly include: ReadonlyArray<Readonly<Record<string, unknown>>>;
  readonly variables: readonly Variable[];
  /** A file that a job of the other pipeline left; null when there is none. */
  artifact(job: string, path: string): Promise<string | null>;
}

export interface LocalPipeline {
  readonly result: CompileResult;
  readonly ref: string;
  readonly tag: boolean;
  readonly predefined: readonly Variable[];
  /** Those of whoever runs it, which win over those of the configuration. */
  readonly given: readonly Variable[];
}

const files = ['.millrace-ci.yml', '.gitlab-ci.yml'];
const pair = (text: string, option: string): [string, string] => {
  const at = text.indexOf('=');
  if (at < 1) throw new UsageError(`--${option} is ${text}, but must be like NAME=VALUE`);
  return [text.slice(0, at), text.slice(at + 1)];
};

/** Null when there is no such file. At once: the four turns through the thread pool that a file takes cost ten times as much. */
function textAt(path: string): string | null {
  return isFile(path) ? readFileSync(path, 'utf8') : null;
}

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

function entryOf(tree: WorkTree, wanted: string | undefined) {
  for (const path of wanted === undefined ? files : [wanted]) {
    const content = textAt(join(tree.root, path));
    if (content !== null) return { path, content };
  }
  throw new CiError(`there is no ${wanted ?? files.join(' or ')} in ${tree.root}`);
}

/** Where the remote is, as far as its address says so: the server, and the path of the project there. */
function originOf({ remote, root }: WorkTree): { readonly url: URL | null; readonly project: string } {
  const [, web, ssh, path = ''] =
    /^(https?:\/\/[^/]+)?(?:(?:ssh|git):\/\/)?([^/:]+)?(?::\d+)?[/:](.+)$/i.exec(remote ?? '') ?? [];
  const project = path.replace(/\.git$/, '').replace(/^\/+|\/+$/g, '');
  if (web !== undefined) return { url: URL.parse(web), project };
  if (ssh !== undefined) return { url: URL.parse(`https://${ssh.replace(/^.*@/, '')}`), project };
  return { url: null, project: basename(root) };
}

interface Event {
  readonly ref: string;
  readonly tag: boolean;
  readonly source: string;
  readonly defaultBranch: string;
  readonly path: string;
}

/** What rules and scripts ask of a merge request: one from this branch into the default one that nobody opened yet. */
const mergeRequestVariables = ({ ref, defaultBranch }: Event, project: string): Record<string, string> => ({
  CI_MERGE_REQUEST_ID: '1',
  CI_MERGE_REQUEST_IID: '1',
  CI_MERGE_REQUEST_EVENT_TYPE: 'detached',
  CI_MERGE_REQUEST_REF_PATH: 'refs/merge-requests/1/head',
  CI_MERGE_REQUEST_PROJECT_PATH: project,
  CI_MERGE_REQUEST_SOURCE_PROJECT_PATH: project,
  CI_MERGE_REQUEST_SOURCE_BRANCH_NAME: ref,
  CI_MERGE_REQUEST_TARGET_BRANCH_NAME: defaultBranch,
  CI_MERGE_REQUEST_DRAFT: 'false',
});

/** What is known of a pipeline on a laptop. */
function predefined(tree: WorkTree, event: Event): Variable[] {
  const { url, project } = originOf(tree);
  const { message } = tree.commit;
  const ofRequest = event.source === 'merge_request_event';
  const list: Record<string, string> = {
    CI: 'true',
    GITLAB_CI: 'true',
    MILLRACE_CI: 'true',
    CI_SERVER: 'yes',
    ...(url && {
      CI_SERVER_URL: url.origin,
      CI_SERVER_HOST: url.hostname,
      CI_SERVER_PROTOCOL: url.protocol.replace(':', ''),
      CI_SERVER_FQDN: url.host,
      CI_API_V4_URL: `${url.origin}/api/v4`,
      CI_PROJECT_URL: `${url.origin}/${project}`,
    }),
    CI_PIPELINE_ID: '1',
    CI_PIPELINE_IID: '1',
    CI_PIPELINE_SOURCE: event.source,
    CI_COMMIT_SHA: tree.sha,
    CI_COMMIT_SHORT_SHA: tree.sha.slice(0, 8),
    CI_COMMIT_BEFORE_SHA: '0'.repeat(40),
    CI_COMMIT_REF_NAME: event.ref,
    CI_COMMIT_REF_SLUG: nameSlug(event.ref),
    CI_COMMIT_TITLE: tree.commit.title,
    CI_COMMIT_MESSAGE: message,
    CI_COMMIT_DESCRIPTION: message.slice(tree.commit.title.length).replace(/^\n+/, ''),
    CI_COMMIT_AUTHOR: tree.commit.author,
    CI_COMMIT_TIMESTAMP: tree.commit.date,
    CI_DEFAULT_BRANCH: event.defaultBranch,
    CI_DEFAULT_BRANCH_SLUG: nameSlug(event.defaultBranch),
    CI_CONFIG_PATH: event.path,
    CI_PROJECT_ID: '1',
    CI_PROJECT_PATH: project,
    CI_PROJECT_PATH_SLUG: nameSlug(project),
    CI_PROJECT_NAME: project.split('/').at(-1) ?? project,
    CI_PROJECT_TITLE: project.split('/').at(-1) ?? project,
    CI_PROJECT_NAMESPACE: project.split('/').slice(0, -1).join('/'),
    CI_PROJECT_NAMESPACE_SLUG: nameSlug(project.split('/').slice(0, -1).join('/')),
    CI_PROJECT_ROOT_NAMESPACE: project.includes('/') ? (project.split('/')[0] ?? '') : '',
    ...(event.tag ? { CI_COMMIT_TAG: event.ref } : {}),
    ...(event.tag || ofRequest ? {} : { CI_COMMIT_BRANCH: event.ref }),
    ...(ofRequest ? mergeRequestVariables(event, project) : {}),
  };
  return Object.entries(list).map(([key, value]) => ({ key, value, raw: true }));
}

/** The pipeline of the checkout, or one that a job of it starts. */
export async function compileLocally(
  tree: WorkTree,
  options: EventOptions,
  child?: ChildOptions,
): Promise<LocalPipeline> {
  const { path, content } = child
    ? { path: 'trigger:include', content: JSON.stringify({ include: child.include }) }
    : entryOf(tree, options.file);
  const tag = options.tag !== undefined;
  const ref = options.tag ?? options.ref ?? tree.branch ?? 'HEAD';
  const source = child ? 'parent_pipeline' : (options.source ?? 'push');
  const defaultBranch = tree.defaultBranch ?? 'main';
  const base = predefined(tree, { ref, tag, source, defaultBranch, path });
  const given =
    child?.variables ??
    options.variables.map((text): Variable => {
      const [key, value] = pair(text, 'variable');
      return { key, value };
    });
  let listed: Promise<string[]> | undefined;
  const listPaths = () => (listed ??= tree.paths());
  const fetch: Fetch = async (local, from) => {
    const here = 'only files of the checkout are included here';
    if (from?.kind === 'artifact' && child) {
      const text = await child.artifact(from.job, local);
      return text === null ? { failure: `job ${from.job} left no file ${local}` } : [{ path: local, content: text }];
    }
    if (from) return { failure: from.kind === 'project' ? `is elsewhere: ${here}!` : here };
    const paths = local.includes('*') ? filesMatching(local, await listPaths()) : [local];
    return paths.flatMap((each) => {
      const text = textAt(join(tree.root, each));
      return text === null ? [] : { path: each, content: text };
    });
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
        const text = textAt(join(tree.root, file));
        return text === null ? null : createHash('sha1').update(text).digest('hex');
      },
    },
  });
  return { result, ref, tag, predefined: base, given };
}
