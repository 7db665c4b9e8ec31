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

/** What of an event names issues. */
function mentionsOf(values: IntegrationValues, payload: Json): Mention[] {
  const project = object(payload.project);
  if (payload.object_kind === 'push') {
    const onDefault = payload.ref === `refs/heads/${text(project.default_branch)}`;
    return list(payload.commits).flatMap((commit) => {
      const message = text(commit.message);
      return keysIn(values, message).map((key) => ({
        key,
        by: text(object(commit.author).name),
        what: 'a commit',
        title: message.split('\n')[0] ?? '',
        url: text(commit.url),
        closes: onDefault && message.split('\n').some((line) => closing.test(line) && line.includes(key)),
      }));
    });
  }
  if (payload.object_kind !== 'merge_request') return [];
  const request = object(payload.object_attributes);
  if (request.action !== 'open') return [];
  return keysIn(values, `${text(request.title)}\n${text(request.description)}`).map((key) => ({
    key,
    by: text(object(payload.user).name),
    what: 'a merge request',
    title: text(request.title),
    url: text(request.url),
    closes: false,
  }));
}

/** Answers how many issues were commented on. */
export async function mentionInJira(values: IntegrationValues, payload: Json, send: JiraSend): Promise<number> {
  const base = (text(values.api_url) || text(values.url)).replace(/\/+$/, '');
  const headers = headersOf(values);
  const issue = (key: string) => `${base}/rest/api/2/issue/${encodeURIComponent(key)}`;
  const post = (url: string, body: object) => send({ method: 'POST', url, headers, body: JSON.stringify(body) });
  const project = text(object(payload.project).path_with_namespace);
  const mentions = mentionsOf(values, payload).slice(0, mostIssues);

  async function transition(key: string): Promise<void> {
    const ids = text(values.jira_issue_transition_id)
      .split(/[,;]/)
      .map((id) => id.trim())
      .filter((id) => /^\d+$/.test(id));
    if (values.jira_issue_transition_automatic === true) {
      const { transitions } = object(await send({ method: 'GET', url: `${issue(key)}/transitions`, headers }));
      const end = list(transitions).find((each) => text(object(object(each.to).statusCategory).key) === 'done');
      if (end) await post(`${issue(key)}/transitions`, { transition: { id: text(end.id) } });
      return;
    }
    for (const id of ids) await post(`${issue(key)}/transitions`, { transition: { id } });
  }

  for (const { key, by, what, title, url, closes } of mentions) {
    if (values.comment_on_event_enabled !== false)
      await post(`${issue(key)}/comment`, {
        body: `${by} mentioned this issue in [${what} of ${project}|${url}]:\n{quote}${title}{quote}`,
      });
    await post(`${issue(key)}/remotelink`, {
      globalId: url,
      object: { url, title: `${project}: ${title}`.slice(0, 255), status: { resolved: closes } },
    });
    if (closes) await transition(key);
  }
  return mentions.length;
}
