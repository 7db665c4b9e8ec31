/** What an event says in a chat: one sentence with links, a color, and details. From the payload of a webhook. */
import { ZERO_SHA } from '@millrace/git';

interface Link {
  readonly text: string;
  readonly url: string;
}
type Part = string | Link;

export interface ChatMessage {
  readonly parts: readonly Part[];
  readonly details: readonly (readonly Part[])[];
  /** `#rrggbb`. */
  readonly color: string;
}

type Json = Readonly<Record<string, unknown>>;

const colors = { good: '#2da160', bad: '#dd2b0e', neutral: '#345e9e' } as const;
const mostCommits = 5;
const longest = 300;

const text = (value: unknown): string => (typeof value === 'string' || typeof value === 'number' ? String(value) : '');
const object = (value: unknown): Json => (typeof value === 'object' && value !== null ? (value as Json) : {});
const list = (value: unknown): readonly Json[] => (Array.isArray(value) ? (value as Json[]) : []);
const firstLine = (value: unknown) => (text(value).trim().split('\n')[0] ?? '').slice(0, longest);

const projectOf = (payload: Json): Link => {
  const project = object(payload.project);
  return { text: text(project.path_with_namespace) || text(project.name), url: text(project.web_url) };
};
const personOf = (payload: Json): string => {
  const user = object(payload.user);
  return text(user.name) || text(payload.user_name) || text(user.username) || 'Somebody';
};

function pushMessage(payload: Json): ChatMessage {
  const project = projectOf(payload);
  const ref = text(payload.ref);
  const tag = ref.startsWith('refs/tags/');
  const name = ref.replace(/^refs\/(heads|tags)\//, '');
  const noun = tag ? 'tag' : 'branch';
  const removed = text(payload.after) === ZERO_SHA;
  const made = text(payload.before) === ZERO_SHA;
  const verb = removed ? `removed ${noun}` : made ? `pushed new ${noun}` : `pushed to ${noun}`;
  const at: Part = removed ? name : { text: name, url: `${project.url}/-/${tag ? 'tags' : 'tree'}/${encodeURI(name)}` };
  const commits = tag ? [] : list(payload.commits);
  const more = Number(payload.total_commits_count ?? commits.length) - Math.min(commits.length, mostCommits);
  return {
    parts: [`${personOf(payload)} ${verb} `, at, ' of ', project],
    details: [
      ...commits
        .slice(-mostCommits)
        .map((commit): readonly Part[] => [
          { text: text(commit.id).slice(0, 8), url: text(commit.url) },
          `: ${firstLine(commit.message)} (${text(object(commit.author).name)})`,
        ]),
      ...(more > 0 && commits.length > 0 ? [[`and ${more} more`]] : []),
    ],
    color: colors.neutral,
  };
}

const done: Readonly<Record<string, string>> = {
  open: 'opened',
  create: 'created',
  close: 'closed',
  reopen: 'reopened',
  update: 'edited',
  merge: 'merged',
  approved: 'approved',
  approval: 'approved',
  unapproved: 'revoked the approval of',
  unapproval: 'revoked the approval of',
  delete: 'deleted',
};

const detailsOf = (value: unknown) => (firstLine(value) === '' ? [] : [[firstLine(value)]]);

function itemMessage(payload: Json, noun: string, sign: string): ChatMessage | null {
  const item = object(payload.object_attributes);
  const action = text(item.action);
  // Changes of titles and labels are too many to be news; of a wiki page its text changed.
  const verb = action === 'update' && payload.object_kind !== 'wiki_page' ? undefined : done[action];
  if (!verb) return null;
  return {
    parts: [
      `${personOf(payload)} ${verb} ${noun} `,
      { text: `${sign}${text(item.iid)} ${firstLine(item.title)}`.trim(), url: text(item.url) },
      ' in ',
      projectOf(payload),
    ],
    details: detailsOf(payload.object_kind === 'wiki_page' ? item.message : action === 'open' && item.description),
    color: action === 'merge' || action === 'close' ? colors.good : colors.neutral,
  };
}

const noteables: Readonly<Record<string, string>> = {
  Commit: 'a commit',
  MergeRequest: 'a merge request',
  Issue: 'an issue',
  Snippet: 'a snippet',
};

function noteMessage(payload: Json): ChatMessage {
  const note = object(payload.object_attributes);
  const on = noteables[text(note.noteable_type)] ?? 'something';
  return {
    parts: [`${personOf(payload)} `, { text: `commented on ${on}`, url: text(note.url) }, ' in ', projectOf(payload)],
    details: [[firstLine(note.note)]],
    color: colors.neutral,
  };
}

const ends: Readonly<Record<string, string>> = { success: 'passed', failed: 'failed', canceled: 'was canceled' };

function pipelineMessage(payload: Json): ChatMessage | null {
  const pipeline = object(payload.object_attributes);
  const status = text(pipeline.status);
  const end = ends[status];
  if (!end) return null;
  const project = projectOf(payload);
  const failed = list(payload.builds).filter((build) => build.status === 'failed' && build.allow_failure !== true);
  return {
    parts: [
      'Pipeline ',
      { text: `#${text(pipeline.id)}`, url: text(pipeline.url) || `${project.url}/-/pipelines/${text(pipeline.id)}` },
      ` of ${pipeline.tag === true ? 'tag' : 'branch'} ${text(pipeline.ref)} of `,
      project,
      ` by ${personOf(payload)} ${end}`,
    ],
    details:
      failed.length > 0
        ? [
            [
              `Failed jobs: ${failed
                .slice(0, 10)
                .map((build) => text(build.name))
                .join(', ')}`,
            ],
          ]
        : [],
    color: status === 'success' ? colors.good : status === 'failed' ? colors.bad : colors.neutral,
  };
}

const deploymentWords: Readonly<Record<string, string>> = {
  running: 'started',
  success: 'succeeded',
  failed: 'failed',
  canceled: 'was canceled',
};

function deploymentMessage(payload: Json): ChatMessage | null {
  const status = text(payload.status);
  const word = deploymentWords[status];
  if (word === undefined) return null;
  return {
    parts: [
      { text: `Deployment of ${text(payload.short_sha) || text(payload.ref)}`, url: text(payload.deployable_url) },
      ` to ${text(payload.environment)} in `,
      projectOf(payload),
      ` ${word}`,
    ],
    details: [],
    color: status === 'success' ? colors.good : status === 'failed' ? colors.bad : colors.neutral,
  };
}

function vulnerabilityMessage(payload: Json): ChatMessage {
  const item = object(payload.object_attributes);
  const identifiers = list(item.identifiers).map(({ name }) => text(name));
  const issues = list(item.issues).map(({ title, url }) => ({ text: firstLine(title), url: text(url) }));
  return {
    parts: [
      'Vulnerability ',
      { text: firstLine(item.title), url: text(item.url) },
      ` (${text(item.severity)}) is ${text(item.state)}`,
    ],
    details: [
      ...(identifiers.length > 0 ? [[identifiers.slice(0, 10).join(', ')]] : []),
      ...issues.slice(0, 10).map((issue) => ['Issue ', issue]),
    ],
    color: ['resolved', 'dismissed'].includes(text(item.state)) ? colors.good : colors.bad,
  };
}

/** Null for what is no news in a chat: running pipelines, changed titles. */
export function chatMessage(payload: Json): ChatMessage | null {
  switch (payload.object_kind) {
    case 'push':
    case 'tag_push':
      return pushMessage(payload);
    case 'merge_request':
      return itemMessage(payload, 'merge request', '!');
    case 'issue':
      return itemMessage(payload, 'issue', '#');
    case 'note':
      return noteMessage(payload);
    case 'pipeline':
      return pipelineMessage(payload);
    case 'vulnerability':
      return vulnerabilityMessage(payload);
    case 'deployment':
      return deploymentMessage(payload);
    case 'wiki_page':
      return itemMessage(payload, 'wiki page', '');
    default:
      return null;
  }
}

type Writer = (part: Part) => string;
const written = (parts: readonly Part[], write: Writer) => parts.map(write).join('');

const plainPart: Writer = (part) => (typeof part === 'string' ? part : part.text);
const markdownText = (value: string) => value.replaceAll(/[\\`*_[\]<>~|@]/g, '\\$&');
const markdownPart: Writer = (part) =>
  typeof part === 'string'
    ? markdownText(part)
    : part.url === ''
      ? markdownText(part.text)
      : `[${markdownText(part.text)}](${part.url.replaceAll(')', '%29').replaceAll(' ', '%20')})`;
const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const htmlText = (value: string) => value.replaceAll(/[&<>"]/g, (sign) => entities[sign] ?? sign);
const htmlPart: Writer = (part) =>
  typeof part === 'string'
    ? htmlText(part)
    : part.url === ''
      ? htmlText(part.text)
      : `<a href="${htmlText(part.url)}">${htmlText(part.text)}</a>`;
const slackText = (value: string) => value.replaceAll(/[&<>]/g, (sign) => entities[sign] ?? sign);
const slackPart: Writer = (part) =>
  typeof part === 'string'
    ? slackText(part)
    : part.url === ''
      ? slackText(part.text)
      : `<${slackText(part.url.replaceAll('|', '%7C'))}|${slackText(part.text.replaceAll('|', ' '))}>`;

const writers = { plain: plainPart, markdown: markdownPart, html: htmlPart, slack: slackPart } as const;

/** The sentence and the details in the notation of a service. Texts of people cannot become links or mentions in it. */
export function rendered(message: ChatMessage, notation: keyof typeof writers): { sentence: string; details: string } {
  const write = writers[notation];
  return {
    sentence: written(message.parts, write),
    details: message.details.map((line) => written(line, write)).join('\n'),
  };
}
