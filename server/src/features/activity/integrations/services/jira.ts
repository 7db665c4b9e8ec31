/** Jira: comments and links on issues that commits and merge requests mention, transitions of those that commits close. */
import { RE2JS } from 're2js';
import type { IntegrationValues } from '../settings.ts';

interface JiraRequest {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Answers the parsed body of a success. Throws the reason otherwise. */
type JiraSend = (request: JiraRequest) => Promise<unknown>;

type Json = Readonly<Record<string, unknown>>;

const text = (value: unknown): string => (typeof value === 'string' || typeof value === 'number' ? String(value) : '');
const object = (value: unknown): Json => (typeof value === 'object' && value !== null ? (value as Json) : {});
const list = (value: unknown): readonly Json[] => (Array.isArray(value) ? (value as Json[]) : []);

const usualKey = '\\b[A-Z][A-Z_0-9]+-\\d+\\b';
const closing = /\b(?:clos(?:e[sd]?|ing)|fix(?:e[sd]|ing)?|resolv(?:e[sd]?|ing)|implement(?:s|ed|ing)?):?\s/i;
/** Issues of one event. */
const mostIssues = 20;

/** Keys of issues in a text, each once. */
export function keysIn(values: IntegrationValues, given: string): string[] {
  const prefix = text(values.jira_issue_prefix);
  const pattern = text(values.jira_issue_regex) || usualKey;
  let found: string[] = [];
  try {
    const matcher = RE2JS.compile(`${RE2JS.quote(prefix)}(${pattern})`).matcher(given);
    while (found.length < mostIssues && matcher.find()) found.push(matcher.group(1) ?? '');
  } catch {
    // A pattern that cannot be read finds nothing.
    found = [];
  }
  const projects = Array.isArray(values.project_keys) ? values.project_keys : [];
  return [...new Set(found)].filter(
    (key) => key !== '' && !/[/?#%\s]/.test(key) && (projects.length === 0 || projects.includes(key.split('-')[0])),
  );
}

function headersOf(values: IntegrationValues): Record<string, string> {
  const secret = text(values.password);
  const bearer = text(values.jira_auth_type) === '1';
  const basic = Buffer.from(`${text(values.username)}:${secret}`).toString('base64');
  return {
    'Content-Type': 'application/json',
    Accept: 'application/json',
    Authorization: bearer ? `Bearer ${secret}` : `Basic ${basic}`,
  };
}

interface Mention {
  readonly key: string;
  readonly by: string;
  readonly what: string;
  readonly title: string;
  readonly url: string;
  readonly closes: boolean;
}

const closesIn = (lines: string, key: string): boolean =>
  lines.split('\n').some((line) => closing.test(line) && line.includes(key));

function ofPush(values: IntegrationValues, payload: Json): Mention[] {
  const onDefault = payload.ref === `refs/heads/${text(object(payload.project).default_branch)}`;
  return list(payload.commits).flatMap((commit) => {
    const message = text(commit.message);
    return keysIn(values, message).map((key) => ({
      key,
      by: text(object(commit.author).name),
      what: 'a commit',
      title: message.split('\n')[0] ?? '',
      url: text(commit.url),
      closes: onDefault && closesIn(message, key),
    }));
  });
}

/** Merge requests count when they are opened, when their texts change, and when they are merged: into the default branch they close. */
function ofMergeRequest(values: IntegrationValues, payload: Json): Mention[] {
  const request = object(payload.object_attributes);
  const changes = object(payload.changes);
  const told =
    ['open', 'reopen', 'merge'].includes(text(request.action)) ||
    (request.action === 'update' && (changes.title !== undefined || changes.description !== undefined));
  if (!told) return [];
  const merged = request.action === 'merge' && request.target_branch === object(payload.project).default_branch;
  const description = text(request.description);
  return keysIn(values, `${text(request.title)}\n${description}`).map((key) => ({
    key,
    by: text(object(payload.user).name),
    what: 'a merge request',
    title: text(request.title),
    url: text(request.url),
    closes: merged && closesIn(description, key),
  }));
}

/** What of an event names issues. */
function mentionsOf(values: IntegrationValues, payload: Json): Mention[] {
  if (payload.object_kind === 'push') return ofPush(values, payload);
  return payload.object_kind === 'merge_request' ? ofMergeRequest(values, payload) : [];
}

const baseOf = (values: IntegrationValues) => (text(values.api_url) || text(values.url)).replace(/\/+$/, '');

/** Whether the address is a Jira that takes the credentials, in a sentence. */
export async function askJira(values: IntegrationValues, send: JiraSend): Promise<string> {
  const ask = (what: string) =>
    send({ method: 'GET', url: `${baseOf(values)}/rest/api/2/${what}`, headers: headersOf(values) });
  const { version } = object(await ask('serverInfo'));
  if (text(version) === '') throw new Error('No Jira answered at this address');
  await ask('myself');
  return `Jira ${text(version)} answered`;
}

/** Answers how many issues were mentioned. */
export async function mentionInJira(values: IntegrationValues, payload: Json, send: JiraSend): Promise<number> {
  const base = baseOf(values);
  const headers = headersOf(values);
  const issue = (key: string) => `${base}/rest/api/2/issue/${encodeURIComponent(key)}`;
  const get = (url: string) => send({ method: 'GET', url, headers });
  const post = (url: string, body: object) => send({ method: 'POST', url, headers, body: JSON.stringify(body) });
  const project = text(object(payload.project).path_with_namespace);
  const mentions = mentionsOf(values, payload).slice(0, mostIssues);

  /** The link to a commit or merge request that an issue has: with one, that was mentioned before, for instance by a push to another branch. */
  const linked = async (key: string, url: string): Promise<boolean> =>
    list(await get(`${issue(key)}/remotelink`)).some((link) => text(object(link.object).url) === url);

  async function transition(key: string): Promise<void> {
    // What somebody resolved meanwhile stays as it is.
    const { fields } = object(await get(`${issue(key)}?fields=resolution`));
    if (object(fields).resolution) return;
    const ids = text(values.jira_issue_transition_id)
      .split(/[,;]/)
      .map((id) => id.trim())
      .filter((id) => /^\d+$/.test(id));
    if (values.jira_issue_transition_automatic === true) {
      const { transitions } = object(await get(`${issue(key)}/transitions`));
      const end = list(transitions).find((each) => text(object(object(each.to).statusCategory).key) === 'done');
      if (end) await post(`${issue(key)}/transitions`, { transition: { id: text(end.id) } });
      return;
    }
    for (const id of ids) await post(`${issue(key)}/transitions`, { transition: { id } });
  }

  for (const { key, by, what, title, url, closes } of mentions) {
    const known = await linked(key, url);
    if (!known && values.comment_on_event_enabled !== false)
      await post(`${issue(key)}/comment`, {
        body: `${by} mentioned this issue in [${what} of ${project}|${url}]:\n{quote}${title}{quote}`,
      });
    if (!known || closes)
      await post(`${issue(key)}/remotelink`, {
        globalId: url,
        object: { url, title: `${project}: ${title}`.slice(0, 255), status: { resolved: closes } },
      });
    if (closes) await transition(key);
  }
  return mentions.length;
}
