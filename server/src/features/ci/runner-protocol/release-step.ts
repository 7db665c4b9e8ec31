/**
 * The step that makes a job's release: a script for the job's shell, with the programs that the ecosystem has for it.
 * Values stand in double quotes, where the shell replaces variables, as it does for everybody who writes such jobs.
 */
import type { PlanRelease } from '../jobs/plan.ts';

const glabVersion = '1.58.0';

const quoted = (text: string) => `"${text}"`;
const option = (name: string, value: string | null) => (value ? [`--${name} ${quoted(value)}`] : []);

const linkOf = ({ name, url, filepath, link_type }: PlanRelease['links'][number]) => ({
  name,
  url,
  ...(link_type === null ? {} : { link_type }),
  ...(filepath === null ? {} : { filepath }),
});

function releaseCli(release: PlanRelease): string {
  return [
    'release-cli create',
    ...option('name', release.name),
    ...option('description', release.description),
    ...option('tag-name', release.tag_name),
    ...option('tag-message', release.tag_message),
    ...option('ref', release.ref),
    ...option('released-at', release.released_at),
    ...release.milestones.flatMap((milestone) => option('milestone', milestone)),
    ...release.links.map((link) => `--assets-link ${JSON.stringify(JSON.stringify(linkOf(link)))}`),
  ].join(' ');
}

function glab(release: PlanRelease): string {
  const links = release.links.map(linkOf);
  return [
    `glab release create -R $CI_PROJECT_PATH ${quoted(release.tag_name)}`,
    ...(links.length > 0 ? [`--assets-links ${JSON.stringify(JSON.stringify(links))}`] : []),
    ...option('milestone', release.milestones.join(',')),
    ...option('name', release.name),
    ...option('experimental-notes-text-or-file', release.description),
    ...option('ref', release.ref ?? '$CI_COMMIT_SHA'),
    ...option('tag-message', release.tag_message),
    ...option('released-at', release.released_at),
    '--no-update --no-close-milestone',
  ].join(' ');
}

/** The script; it says what is missing where neither program is there. */
export function releaseScript(release: PlanRelease): string {
  const version = String.raw`"$(glab --version | grep -oE '[0-9]+\.[0-9]+\.[0-9]+' | head -n 1)"`;
  const recent = String.raw`[ "$(printf '%s\n%s' ${glabVersion} ${version} | sort -V | head -n 1)" = ${glabVersion} ]`;
  return [
    `if command -v glab > /dev/null 2>&1 && ${recent}; then`,
    '  export GITLAB_HOST=$CI_SERVER_URL',
    '  glab auth login --job-token $CI_JOB_TOKEN --hostname "$CI_SERVER_FQDN" --api-protocol $CI_SERVER_PROTOCOL',
    `  ${glab(release)}`,
    'elif command -v release-cli > /dev/null 2>&1; then',
    `  ${releaseCli(release)}`,
    'else',
    `  echo "To make the release, glab (${glabVersion} or later) or release-cli must be in the PATH of the job."`,
    '  exit 127',
    'fi',
  ].join('\n');
}
