/** Issue trackers and wikis elsewhere: which words of a text name an issue there, and where it is. */
import type { Project } from '../../../kernel/db/rows.ts';
import type { ExternalTracker } from '../../namespaces/index.ts';
import { definitionOf } from './definitions.ts';
import type { EffectiveIntegration } from './integrations.queries.ts';
import { keysIn } from './services/jira.ts';
import type { IntegrationValues } from './settings.ts';

/** Id of the issue that a word names; null where it names none. `short`: whether `#12` is one. */
type Naming = (word: string, short: boolean, values: IntegrationValues) => string | null;

const long = /^[A-Z][A-Z0-9_]*-(\d+)$/;
const short = /^#(\d+)$/;
const whole =
  (pattern: RegExp): Naming =>
  (word) =>
    pattern.exec(word)?.slice(1).find(Boolean) ?? null;
/** The number, with the key of any project before it. */
const numbered: Naming = (word, withShort) =>
  long.exec(word)?.[1] ?? (withShort ? (short.exec(word)?.[1] ?? null) : null);

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

const namings: Readonly<Record<string, Naming>> = {
  'custom-issue-tracker': numbered,
  bugzilla: numbered,
  redmine: numbered,
  ewm: whole(/^(?:bug|task|work item|workitem|rtcwi|defect)\s+(\d+)$/i),
  youtrack: whole(/^([A-Za-z][A-Za-z0-9_]*-\d+)$/),
  clickup: whole(/^(?:(?:#|CU-)([a-z0-9]+)|([A-Z0-9_]{2,10}-\d+))$/),
  phorge: whole(/^T(\d+)$/),
  linear: whole(/^([A-Z][A-Z0-9_]*-\d+)$/),
  jira: (word, _short, values) => {
    const [key] = keysIn(values, word);
    return key !== undefined && `${text(values.jira_issue_prefix)}${key}` === word ? key : null;
  },
};

export const isTracker = (slug: string): boolean => namings[slug] !== undefined;

/** The address again where a browser may follow it: rows outlive the checks that they were made with. */
function webAddress(address: string): string | null {
  const parsed = URL.parse(address);
  return parsed && /^https?:$/.test(parsed.protocol) ? address : null;
}

/** Where the pages of a tracker are; `:id` stands for the issue. */
function addressesOf(slug: string, values: IntegrationValues) {
  if (slug === 'linear') {
    const workspace = text(values.workspace_url).replace(/\/+$/, '');
    return { project: workspace, issue: `${workspace}/issue/:id`, creation: '' };
  }
  if (slug !== 'jira')
    return { project: text(values.project_url), issue: text(values.issues_url), creation: text(values.new_issue_url) };
  const base = text(values.url).replace(/\/+$/, '');
  return { project: base, issue: `${base}/browse/:id`, creation: `${base}/secure/CreateIssue!default.jspa` };
}

/** How far down an integration is set: its own project before groups, the nearest group before the instance. */
const rank = ({ row }: EffectiveIntegration, groupIds: readonly number[]): number =>
  row.project_id !== null
    ? groupIds.length + 1
    : row.namespace_id === null
      ? 0
      : groupIds.indexOf(row.namespace_id) + 1;

export function trackerIn(
  all: readonly EffectiveIntegration[],
  groupIds: readonly number[],
  project: Pick<Project, 'issues_access_level'>,
): ExternalTracker | null {
  const [found] = all
    .filter(({ row }) => row.active && isTracker(row.slug))
    .toSorted((one, other) => rank(other, groupIds) - rank(one, groupIds));
  if (!found) return null;
  const { slug } = found.row;
  const values = found.row.properties as IntegrationValues;
  const { project: home, issue, creation } = addressesOf(slug, values);
  const named = namings[slug];
  const projectUrl = webAddress(home);
  if (!named || projectUrl === null) return null;
  const withShort = project.issues_access_level === 'disabled';
  return {
    title: definitionOf(slug)?.title ?? slug,
    projectUrl,
    newIssueUrl: webAddress(creation),
    closesIssues: slug === 'jira',
    issueNamed(word) {
      const id = named(word, withShort, values);
      const url = id === null ? null : webAddress(issue.replaceAll(':id', encodeURIComponent(id)));
      return id === null || url === null ? null : { id, url };
    },
  };
}

export function wikiIn(all: readonly EffectiveIntegration[]): string | null {
  const found = all.find(({ row }) => row.active && row.slug === 'external-wiki');
  return found ? webAddress(text((found.row.properties as IntegrationValues).external_wiki_url)) : null;
}
