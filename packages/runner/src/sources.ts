/** The get_sources stage: git clone or fetch as a script that runs as the job, with credentials outside of the work tree. */
import { quote } from './executors/script.ts';
import type { JobPayload } from './protocol.ts';
import { numberOf, type Variables } from './variables.ts';

export type Strategy = 'clone' | 'fetch' | 'none' | 'empty';

/** How the job wants its sources (`GIT_STRATEGY`, else what the server allows). */
export function strategyOf(job: JobPayload, get: Variables['get']): Strategy {
  const wanted = get('GIT_STRATEGY');
  if (wanted === 'clone' || wanted === 'fetch' || wanted === 'none' || wanted === 'empty') return wanted;
  return job.allow_git_fetch === false ? 'clone' : 'fetch';
}

export type Remote = { url: string; origin: string | undefined; user: string; password: string };

/** Splits the credential from the repository's URL; `cloneUrl` replaces scheme, host and port. */
export function remoteOf(repoUrl: string, cloneUrl?: string): Remote {
  if (!/^https?:/.test(repoUrl)) return { url: repoUrl, origin: undefined, user: '', password: '' };
  const url = new URL(repoUrl);
  const [user, password] = [decodeURIComponent(url.username), decodeURIComponent(url.password)];
  url.username = '';
  url.password = '';
  if (!cloneUrl) return { url: url.href, origin: url.origin, user, password };
  const base = new URL(cloneUrl);
  return { url: `${base.origin}${url.pathname}`, origin: base.origin, user, password };
}

/**
 * Environment that lets git of this stage sign in without a round trip. Not on a command line, which other users of the
 * host could read, and not in .git/config, which stays for the next job.
 */
export function gitEnvironment({ origin, user, password }: Remote): Record<string, string> {
  const environment = { GIT_TERMINAL_PROMPT: '0', GIT_LFS_SKIP_SMUDGE: '1' };
  if (!origin || !password) return environment;
  const credential = Buffer.from(`${user}:${password}`).toString('base64');
  return {
    ...environment,
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: `http.${origin}/.extraHeader`,
    GIT_CONFIG_VALUE_0: `Authorization: Basic ${credential}`,
  };
}

/** Files for the job's HOME with which `git` in its scripts can fetch too; a credential in a URL still wins over them. */
export function gitHomeFiles({ origin, user, password }: Remote, home: string): Record<string, string> {
  if (!origin || !password) return {};
  const url = new URL(origin);
  const credential = `${url.protocol}//${encodeURIComponent(user)}:${encodeURIComponent(password)}@${url.host}\n`;
  const file = `${home}/.git-credentials`;
  return {
    '.git-credentials': credential,
    '.gitconfig': `[credential "${origin}"]\n\thelper = store --file=${JSON.stringify(file)}\n`,
  };
}

/** What the log says where there is nothing to do. */
export const withoutSources = (strategy: 'none' | 'empty'): string =>
  strategy === 'empty'
    ? 'Skipping Git repository setup and creating an empty build directory'
    : 'Skipping Git repository setup';

/** The commands of the stage. They run in the workspace, which may hold an earlier job's repository. */
export function sourceCommands(job: JobPayload, remote: Remote, get: Variables['get']): string[] {
  const { depth, refspecs, refs, repo_object_format: format } = job.git_info;
  const fetchFlags = words(get('GIT_FETCH_EXTRA_FLAGS'), ['--prune', '--quiet']);
  const specs = refspecs?.length ? refspecs : ['+refs/heads/*:refs/remotes/origin/*', '+refs/tags/*:refs/tags/*'];
  const depthFlags = depth ? [`--depth=${depth}`] : [];
  const fetch = [
    // After a full clone a shallow fetch would cut history that is already here; after a shallow one all is wanted.
    depth ? '' : 'if [ -f .git/shallow ]; then git fetch --quiet --unshallow origin || true; fi',
    `git fetch ${['--no-tags', '--no-recurse-submodules', ...depthFlags, ...fetchFlags].map(quote).join(' ')} origin ${specs.map(quote).join(' ')}`,
  ].filter(Boolean);
  return [
    depth ? `echo 'Fetching changes with git depth set to ${Number(depth)}...'` : "echo 'Fetching changes...'",
    ...repository(remote.url, format === 'sha256'),
    ...(refs && Object.keys(refs).length > 0 && get('GIT_FETCH_EXTRA_FLAGS') === undefined
      ? unlessFetched(refs, depth ?? 0, fetch)
      : fetch),
    ...checkout(job, get),
  ];
}

/** Where an earlier job of the slot left with how much history it was fetched. */
const DEPTH_FILE = '.git/millrace-depth';

/**
 * Fetches unless an earlier job has fetched the same with the same depth: its refs are where they would be. They are read
 * by the shell, as plain files: what a job packed or replaced is fetched again.
 */
function unlessFetched(refs: Record<string, string>, depth: number, fetch: string[]): string[] {
  const known = Object.entries(refs).map(([ref, sha]) => quote(`.git/${ref} ${sha}`));
  return [
    `fetched=yes; for known in ${known.join(' ')} '${DEPTH_FILE} ${depth}'; do file="\${known% *}"; value=; if [ -f "$file" ]; then read -r value < "$file" || :; fi; if [ "$value" != "\${known##* }" ]; then fetched=; fi; done`,
    `if [ -z "$fetched" ]; then echo none > ${DEPTH_FILE}\n${fetch.join('\n')}\necho ${depth} > ${DEPTH_FILE}\nfi`,
  ];
}

/**
 * An empty repository, or that of an earlier job without what it may have planted or a killed git left behind. Each
 * program that is started costs as much as a short job's command: almost all is done by the shell itself.
 */
function repository(url: string, sha256: boolean): string[] {
  const config = [
    '[core]',
    `\trepositoryformatversion = ${sha256 ? 1 : 0}`,
    '\tfilemode = true',
    '\tbare = false',
    '\tlogallrefupdates = true',
    ...(process.platform === 'darwin' ? ['\tignorecase = true', '\tprecomposeunicode = true'] : []),
    ...(sha256 ? ['[extensions]', '\tobjectformat = sha256'] : []),
    '[remote "origin"]',
    `\turl = ${configValue(url)}`,
    '[gc]',
    '\tauto = 0',
    // Else each fetch starts a program that finds out that there is nothing to do.
    '[maintenance]',
    '\tauto = false',
  ];
  return [
    // Neither a link to another repository nor one that has its configuration elsewhere.
    'if [ -L .git ] || [ -f .git ] || [ -e .git/commondir ] || [ -L .git/refs ]; then rm -rf .git; fi',
    'if [ -L .git/config ] || [ -d .git/config ]; then rm -rf .git/config; fi',
    'for left in .git/hooks .git/config.worktree .git/info .git/*.lock; do if [ -e "$left" ] || [ -L "$left" ]; then rm -rf "$left"; fi; done',
    `if ! [ -d .git/refs ]; then :; elif shopt -s globstar nullglob dotglob 2>/dev/null; then ${[
      'for left in .git/refs/**/*.lock; do rm -f "$left"; done',
      'shopt -u globstar nullglob dotglob',
    ].join('; ')}; else find .git/refs -name '*.lock' -delete; fi`,
    'if ! [ -d .git/objects ] || ! [ -d .git/refs/heads ]; then mkdir -p .git/objects .git/refs/heads; fi',
    "if ! [ -f .git/HEAD ]; then printf 'ref: refs/heads/main\\n' > .git/HEAD; fi",
    `printf '%s\\n' ${config.map(quote).join(' ')} > .git/config`,
  ];
}

/** Quotes for git's configuration. */
const configValue = (text: string) => `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;

function checkout(job: JobPayload, get: Variables['get']): string[] {
  if (get('GIT_CHECKOUT')?.toLowerCase() === 'false') return ["echo 'Skipping Git checkout'"];
  const { sha, ref } = job.git_info;
  return [
    `echo ${quote(`Checking out ${sha.slice(0, 8)} as detached HEAD (ref is ${ref})...`)}`,
    `git checkout -f -q ${quote(sha)} --`,
    ...clean(get),
    ...submodules(get),
    whereLfsIs(LFS_PULL),
  ];
}

/**
 * Pulls large files where there can be any: git-lfs starts a dozen programs before it finds that there are none, which takes
 * longer than a short job.
 */
const LFS_PULL = "if git grep -q -e filter=lfs -- .gitattributes '*/.gitattributes' 2>/dev/null; then git lfs pull; fi";

/** With git-lfs, looked for where git finds it: starting git to learn that it is not there takes its time too. */
const whereLfsIs = (command: string): string =>
  `if command -v git-lfs >/dev/null || [ -x /usr/lib/git-core/git-lfs ] || [ -x /usr/libexec/git-core/git-lfs ]; then ${command}; fi`;

function clean(get: Variables['get']): string[] {
  const flags = words(get('GIT_CLEAN_FLAGS'), ['-ffdx']);
  return flags[0] === 'none' ? [] : [`git clean ${flags.map(quote).join(' ')}`];
}

function submodules(get: Variables['get']): string[] {
  const strategy = get('GIT_SUBMODULE_STRATEGY');
  if (strategy !== 'normal' && strategy !== 'recursive') return [];
  const recursive = strategy === 'recursive' ? ' --recursive' : '';
  const depth = numberOf(get('GIT_SUBMODULE_DEPTH'), 0, 0, 1_000_000);
  const flags = words(get('GIT_SUBMODULE_UPDATE_FLAGS'), []).map(quote).join(' ');
  const paths = words(get('GIT_SUBMODULE_PATHS'), []).map(quote).join(' ');
  const update = `git submodule update --init${recursive}${depth ? ` --depth ${depth}` : ''} ${flags} -- ${paths}`;
  return [
    `echo 'Updating/initializing submodules${recursive ? ' recursively' : ''}...'`,
    'git submodule init',
    `git submodule sync${recursive}`,
    `${update} || { git submodule sync${recursive}; ${update}; }`,
    `git submodule foreach${recursive} --quiet 'git clean -ffdx --quiet'`,
    whereLfsIs(`git submodule foreach${recursive} --quiet ${quote(LFS_PULL)}`),
  ];
}

function words(text: string | undefined, fallback: string[]): string[] {
  const found = text?.split(/\s+/).filter(Boolean) ?? [];
  return found.length > 0 ? found : fallback;
}
