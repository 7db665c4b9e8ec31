/** `cache`: files kept from one run of a job to the next. */
import type { Node } from '../yaml/tree.ts';
import type { Keyword } from './keyword.ts';
import { booleanOf, field, textOf, textsOf } from './read.ts';
import {
  atMost,
  boolean,
  either,
  flatItems,
  hash,
  isHash,
  isList,
  isText,
  listOf,
  oneOf,
  partOf,
  type Schema,
  subjectOf,
  text,
  texts,
} from './schema.ts';

/** The text as it is, or a digest of files' versions behind a prefix. */
type CacheKey =
  | { readonly kind: 'text'; readonly text: string }
  | {
      readonly kind: 'files';
      /** What a file's version is: what is in it, or the commit that changed it last. */
      readonly version: FileVersion;
      readonly files: readonly string[];
      readonly prefix: string | null;
    };
export type FileVersion = 'content' | 'commit';
export type Cache = {
  readonly key: CacheKey;
  readonly paths: readonly string[];
  readonly untracked: boolean;
  /** May hold a variable, which the runner expands. */
  readonly policy: string;
  readonly when: string;
  readonly fallbackKeys: readonly string[];
  /** Shared between protected and unprotected refs. */
  readonly unprotect: boolean;
};

const MOST_CACHES = 4;
const MOST_FILES = 2;
const MOST_FALLBACKS = 5;

const someFiles = atMost(MOST_FILES, texts);
const files: Schema = (node, at, problems) => {
  const here = partOf(at);
  if (!someFiles(node, here, problems)) return false;
  if (flatItems(node)?.length !== 0) return true;
  problems.error(node.mark, `${subjectOf(here)} requires at least 1 item`);
  return false;
};
const filesHash = hash({ keys: { files, files_commits: files, prefix: text } });
const keyOfFiles: Schema = (node, at, problems) => {
  if (!filesHash(node, at, problems)) return false;
  const given = ['files', 'files_commits'].filter((each) => field(node, each));
  if (given.length === 1) return true;
  const wrong =
    given.length === 0
      ? 'missing required keys: files or files_commits'
      : `these keys cannot be used together: ${given.join(', ')}`;
  problems.error(node.mark, `${subjectOf(partOf(at))} ${wrong}`);
  return false;
};
const key: Schema = (node, at, problems) => {
  if (isHash(node)) return keyOfFiles(node, at, problems);
  if (!isText(node)) {
    problems.error(node.mark, `${partOf(at).path} should be a hash, a string or a symbol`);
    return false;
  }
  const wrong = /\/|%2f/i.test(node.text)
    ? 'cannot contain the "/" character'
    : /^(?:\.|%2e)+$/i.test(node.text)
      ? 'cannot consist of "." only'
      : null;
  if (wrong) problems.error(node.mark, `${subjectOf(partOf(at))} ${wrong}`);
  return wrong === null;
};
const POLICIES = ['pull-push', 'push', 'pull'];
const onePolicy = oneOf(POLICIES, `should be a variable or one of: ${POLICIES.join(', ')}`);
const policy: Schema = (node, at, problems) =>
  textOf(node)?.includes('$') ? text(node, at, problems) : onePolicy(node, at, problems);

const one = hash({
  keys: {
    key,
    paths: texts,
    untracked: boolean,
    policy,
    when: oneOf(['on_success', 'on_failure', 'always']),
    fallback_keys: atMost(MOST_FALLBACKS, texts, `has too many entries (maximum ${MOST_FALLBACKS})`),
    unprotect: boolean,
  },
});

export const cache: Keyword<Cache[]> = {
  name: 'cache',
  inheritable: true,
  schema: either(
    [
      [isHash, one],
      [
        isList,
        atMost(
          MOST_CACHES,
          listOf(one, 'should be an array of hashes'),
          `no more than ${MOST_CACHES} caches can be created`,
        ),
      ],
    ],
    'should be a hash or an array of hashes',
  ),
  // `cache: {}` is the ecosystem's way to switch a default off.
  normalise: (node) =>
    (flatItems(node) ?? [node]).flatMap((item) => (isHash(item) && item.entries.size > 0 ? [cacheOf(item)] : [])),
};

function cacheOf(node: Node): Cache {
  return {
    key: keyOf(field(node, 'key')),
    paths: textsOf(field(node, 'paths')),
    untracked: booleanOf(field(node, 'untracked')) ?? false,
    policy: textOf(field(node, 'policy')) ?? 'pull-push',
    when: textOf(field(node, 'when')) ?? 'on_success',
    fallbackKeys: textsOf(field(node, 'fallback_keys')),
    unprotect: booleanOf(field(node, 'unprotect')) ?? false,
  };
}

function keyOf(node: Node | undefined): CacheKey {
  if (!isHashNode(node)) return { kind: 'text', text: textOf(node) ?? 'default' };
  const byCommit = field(node, 'files_commits');
  return {
    kind: 'files',
    version: byCommit ? 'commit' : 'content',
    files: [...new Set(textsOf(byCommit ?? field(node, 'files')))],
    prefix: textOf(field(node, 'prefix')),
  };
}

function isHashNode(node: Node | undefined): node is Node {
  return node !== undefined && isHash(node);
}
