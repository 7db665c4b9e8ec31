/** Integrations that there are: their fields and events, and which of them act here. */
import type { HookEvent } from '../webhooks/index.ts';

/** Events that integrations may have switches for, as clients know them. */
export const integrationEvents = [
  'push_events',
  'issues_events',
  'confidential_issues_events',
  'merge_requests_events',
  'note_events',
  'confidential_note_events',
  'tag_push_events',
  'pipeline_events',
  'job_events',
  'wiki_page_events',
  'deployment_events',
  'vulnerability_events',
] as const satisfies readonly HookEvent[];
export type IntegrationEvent = (typeof integrationEvents)[number];

export interface IntegrationField {
  readonly name: string;
  readonly type: 'text' | 'url' | 'flag' | 'number' | 'choice' | 'list';
  readonly description: string;
  readonly required?: true;
  /** Sealed, and never returned. */
  readonly secret?: true;
  readonly values?: readonly string[];
  /** What counts where it is not set. */
  readonly fallback?: string;
  /** What a flag is when the integration is set up, unless it is given. */
  readonly initial?: boolean;
  /** Entries that it may have, with commas or spaces between them. */
  readonly most?: number;
}

export interface IntegrationDefinition {
  readonly slug: string;
  readonly title: string;
  readonly fields: readonly IntegrationField[];
  readonly events: readonly IntegrationEvent[];
  /** False: its attributes are kept and returned, and nothing else. */
  readonly acts: boolean;
  /** Whether it is told about events; others that act are led to by links. */
  readonly sends: boolean;
}

const text = (name: string, description: string, more: Partial<IntegrationField> = {}): IntegrationField => ({
  name,
  type: 'text',
  description,
  ...more,
});
const secret = (name: string, description: string, more: Partial<IntegrationField> = {}) =>
  text(name, description, { secret: true, ...more });
const url = (name: string, description: string, more: Partial<IntegrationField> = {}) =>
  text(name, description, { type: 'url', ...more });
const flag = (name: string, description: string, initial = false): IntegrationField => ({
  name,
  type: 'flag',
  description: initial ? `${description}; default true` : description,
  ...(initial ? { initial } : {}),
});
const required = { required: true } as const;

const branches: IntegrationField = {
  name: 'branches_to_be_notified',
  type: 'choice',
  values: ['all', 'default', 'protected', 'default_and_protected'],
  description: 'Branches whose pushes and pipelines are sent; default `default`',
  fallback: 'default',
};
const pipelines = [
  flag('notify_only_broken_pipelines', 'Sends only failed pipelines', true),
  flag('notify_only_when_pipeline_status_changes', 'Sends pipelines only when the status of their ref changes'),
];
/** What of an event decides whether a chat hears of it, besides its switch. */
const chatFilters: readonly IntegrationField[] = [
  ...pipelines,
  branches,
  text('labels_to_be_notified', 'Labels of the issues, merge requests and comments that are sent, with commas'),
  {
    name: 'labels_to_be_notified_behavior',
    type: 'choice',
    values: ['match_any', 'match_all'],
    description: 'Whether one of the labels is enough; default `match_any`',
    fallback: 'match_any',
  },
];
const webhook = url('webhook', 'Incoming webhook URL', { ...required, secret: true });

const chatEvents: readonly IntegrationEvent[] = [
  'push_events',
  'issues_events',
  'confidential_issues_events',
  'merge_requests_events',
  'note_events',
  'confidential_note_events',
  'tag_push_events',
  'pipeline_events',
  'wiki_page_events',
  'deployment_events',
  'vulnerability_events',
];

/** Per event another channel, by the name of its field. */
export const channelFields: Partial<Readonly<Record<IntegrationEvent, string>>> = {
  push_events: 'push_channel',
  issues_events: 'issue_channel',
  confidential_issues_events: 'confidential_issue_channel',
  merge_requests_events: 'merge_request_channel',
  note_events: 'note_channel',
  confidential_note_events: 'confidential_note_channel',
  tag_push_events: 'tag_push_channel',
  pipeline_events: 'pipeline_channel',
  wiki_page_events: 'wiki_page_channel',
  deployment_events: 'deployment_channel',
  vulnerability_events: 'vulnerability_channel',
};
const channels = Object.entries(channelFields).map(([event, name]) =>
  text(name, `Channel for ${event.replace(/_events$/, '').replaceAll('_', ' ')} events`, { most: 10 }),
);
/** Where a channel is a webhook of its own, its URL is as secret as the first one. */
const webhookChannels = channels.map((field): IntegrationField => ({ ...field, type: 'url', secret: true }));

const tracker = (
  slug: string,
  title: string,
  fields: readonly string[] = ['project_url', 'issues_url', 'new_issue_url'],
) =>
  linked(slug, title, [
    ...fields.map((name) =>
      url(
        name,
        `URL of the ${name === 'new_issue_url' ? 'form for new issues' : name === 'issues_url' ? 'issue, with `:id` for its key' : 'project'}`,
        required,
      ),
    ),
  ]);

const acting = (
  slug: string,
  title: string,
  events: readonly IntegrationEvent[],
  fields: readonly IntegrationField[],
): IntegrationDefinition => ({ slug, title, events, fields, acts: true, sends: true });
const linked = (slug: string, title: string, fields: readonly IntegrationField[]): IntegrationDefinition => ({
  ...{ slug, title, fields, events: [] },
  ...{ acts: true, sends: false },
});
const stored = (
  slug: string,
  title: string,
  fields: readonly IntegrationField[],
  events: readonly IntegrationEvent[] = [],
): IntegrationDefinition => ({ slug, title, events, fields, acts: false, sends: false });

const login = [text('username', 'Username', required), secret('password', 'Password', required)];

export const definitions: readonly IntegrationDefinition[] = [
  acting('slack', 'Slack notifications', chatEvents, [
    webhook,
    text('username', 'Name that messages are sent under'),
    text('channel', 'Channel for events without one of their own', { most: 10 }),
    ...chatFilters,
    ...channels,
  ]),
  acting('mattermost', 'Mattermost notifications', chatEvents, [
    webhook,
    text('username', 'Name that messages are sent under'),
    text('channel', 'Channel for events without one of their own', { most: 10 }),
    ...chatFilters,
    ...channels,
  ]),
  acting('discord', 'Discord Notifications', chatEvents, [webhook, ...chatFilters, ...webhookChannels]),
  acting('microsoft-teams', 'Microsoft Teams notifications', chatEvents, [webhook, ...chatFilters]),
  acting('telegram', 'Telegram', chatEvents, [
    url('hostname', 'URL of another API server than `https://api.telegram.org`'),
    secret('token', 'Token of the bot', required),
    text('room', 'Id of the chat, or `@name` of the channel', required),
    text('thread', 'Id of the topic in the chat', { type: 'number' }),
    ...chatFilters,
  ]),
  acting('hangouts-chat', 'Google Chat', chatEvents, [webhook, ...chatFilters]),
  acting('pumble', 'Pumble', chatEvents, [webhook, ...chatFilters]),
  acting('webex-teams', 'Webex Teams', chatEvents, [webhook, ...chatFilters]),
  acting('unify-circuit', 'Unify Circuit', chatEvents, [webhook, ...chatFilters]),
  acting(
    'pushover',
    'Pushover',
    ['push_events'],
    [
      secret('api_key', 'API key of the application', required),
      secret('user_key', 'User key', required),
      text('priority', 'Priority from -2 to 2', required),
      text('device', 'Device; all when empty'),
      text('sound', 'Sound of the notification'),
    ],
  ),
  acting(
    'jira',
    'Jira issues',
    ['push_events', 'merge_requests_events'],
    [
      url('url', 'URL of the Jira instance', required),
      url('api_url', 'URL of its API, where it is another one'),
      {
        name: 'jira_auth_type',
        type: 'number',
        description: '0: username and password or API token; 1: personal access token',
      },
      text('username', 'Username or email address'),
      secret('password', 'Password, API token or personal access token', required),
      text('jira_issue_prefix', 'Prefix of issue keys in texts'),
      text('jira_issue_regex', 'Regular expression of issue keys'),
      flag('jira_issue_transition_automatic', 'Moves issues to a done status when they are closed by a commit'),
      text('jira_issue_transition_id', 'Ids of transitions to apply in their order, with commas'),
      { name: 'project_keys', type: 'list', description: 'Only issues of these Jira projects' },
      flag('issues_enabled', 'Stored; has no effect'),
      flag('comment_on_event_enabled', 'Comments on issues that commits and merge requests mention', true),
    ],
  ),
  acting(
    'jenkins',
    'Jenkins',
    ['push_events', 'merge_requests_events', 'tag_push_events'],
    [
      url('jenkins_url', 'URL of the Jenkins server', required),
      text('project_name', 'Name in the URL of the Jenkins project', required),
      flag('enable_ssl_verification', 'Whether certificates are checked', true),
      text('username', 'Username'),
      secret('password', 'Password'),
    ],
  ),
  acting(
    'emails-on-push',
    'Emails on push',
    ['push_events', 'tag_push_events'],
    [
      text('recipients', 'Email addresses, with spaces or line breaks between them', { ...required, most: 750 }),
      flag('disable_diffs', 'Leaves out the diffs'),
      flag(
        'send_from_committer_email',
        'Sends from the email address of the user who pushed, where it is of the domain of the instance',
      ),
      { ...branches, description: 'Branches whose pushes are sent; default `all`', fallback: 'all' },
    ],
  ),
  acting(
    'pipelines-email',
    'Pipeline status emails',
    ['pipeline_events'],
    [
      text('recipients', 'Email addresses, with commas or line breaks between them', { ...required, most: 30 }),
      ...pipelines,
      flag('notify_child_pipelines', 'Sends child pipelines too', true),
      flag('notify_only_default_branch', 'Only pipelines of the default branch'),
      branches,
    ],
  ),
  linked('external-wiki', 'External wiki', [url('external_wiki_url', 'URL of the wiki', required)]),
  tracker('custom-issue-tracker', 'Custom issue tracker'),
  tracker('bugzilla', 'Bugzilla'),
  tracker('redmine', 'Redmine'),
  tracker('ewm', 'EWM'),
  tracker('youtrack', 'YouTrack', ['project_url', 'issues_url']),
  tracker('clickup', 'ClickUp', ['project_url', 'issues_url']),
  tracker('phorge', 'Phorge', ['project_url', 'issues_url']),
  linked('linear', 'Linear', [url('workspace_url', 'URL of the workspace', required)]),
  stored('apple-app-store', 'Apple App Store Connect', [
    text('app_store_issuer_id', 'Issuer ID', required),
    text('app_store_key_id', 'Key ID', required),
    secret('app_store_private_key', 'Private key', required),
    text('app_store_private_key_file_name', 'File name of the private key', required),
    flag('app_store_protected_refs', 'Sets variables on protected branches and tags only'),
  ]),
  stored(
    'squash-tm',
    'Squash TM',
    [url('url', 'URL of the webhook', required), secret('token', 'Secret token')],
    ['issues_events', 'confidential_issues_events'],
  ),
  stored(
    'asana',
    'Asana',
    [secret('api_key', 'API key', required), text('restrict_to_branch', 'Branches, with commas')],
    ['push_events'],
  ),
  stored('assembla', 'Assembla', [secret('token', 'Token', required), text('subdomain', 'Subdomain')], ['push_events']),
  stored(
    'bamboo',
    'Atlassian Bamboo',
    [
      url('bamboo_url', 'URL of the server', required),
      flag('enable_ssl_verification', 'Whether certificates are checked', true),
      text('build_key', 'Key of the build plan', required),
      ...login,
    ],
    ['push_events'],
  ),
  stored(
    'buildkite',
    'Buildkite',
    [secret('token', 'Token', required), url('project_url', 'URL of the pipeline', required)],
    ['push_events', 'merge_requests_events', 'tag_push_events'],
  ),
  stored(
    'campfire',
    'Campfire',
    [secret('token', 'Token', required), text('subdomain', 'Subdomain'), text('room', 'Room')],
    ['push_events'],
  ),
  stored('confluence', 'Confluence Workspace', [url('confluence_url', 'URL of the workspace', required)]),
  stored('datadog', 'Datadog', [
    secret('api_key', 'API key', required),
    url('api_url', 'URL of the API'),
    flag('datadog_ci_visibility', 'Pipeline and job events'),
    text('datadog_env', 'Environment tag'),
    text('datadog_service', 'Service tag'),
    text('datadog_site', 'Site'),
    text('datadog_tags', 'More tags'),
    flag('archive_trace_events', 'Logs of jobs'),
  ]),
  stored(
    'drone-ci',
    'Drone',
    [
      secret('token', 'Token', required),
      url('drone_url', 'URL of the server', required),
      flag('enable_ssl_verification', 'Whether certificates are checked', true),
    ],
    ['push_events', 'merge_requests_events', 'tag_push_events'],
  ),
  stored(
    'matrix',
    'Matrix notifications',
    [
      url('hostname', 'URL of the server'),
      secret('token', 'Access token', required),
      text('room', 'Id of the room', required),
      ...chatFilters,
    ],
    chatEvents,
  ),
  stored(
    'packagist',
    'Packagist',
    [text('username', 'Username', required), secret('token', 'Token', required), url('server', 'URL of the server')],
    ['push_events', 'merge_requests_events', 'tag_push_events'],
  ),
  stored(
    'pivotaltracker',
    'Pivotal Tracker',
    [secret('token', 'Token', required), text('restrict_to_branch', 'Branches, with commas')],
    ['push_events'],
  ),
  stored(
    'teamcity',
    'JetBrains TeamCity',
    [
      url('teamcity_url', 'URL of the server', required),
      flag('enable_ssl_verification', 'Whether certificates are checked', true),
      text('build_type', 'Id of the build configuration', required),
      ...login,
    ],
    ['push_events', 'merge_requests_events'],
  ),
  stored('diffblue-cover', 'Diffblue Cover', [
    secret('diffblue_license_key', 'License key', required),
    text('diffblue_access_token_name', 'Name of the access token', required),
    secret('diffblue_access_token_secret', 'Access token', required),
  ]),
  stored('git-guardian', 'GitGuardian', [secret('token', 'API token with the scope `scan`', required)]),
  stored(
    'github',
    'GitHub',
    [
      secret('token', 'API token with the scope `repo:status`', required),
      url('repository_url', 'URL of the repository', required),
      flag('static_context', 'Adds the host of the instance to the name of the status check'),
    ],
    ['pipeline_events'],
  ),
  stored('google-play', 'Google Play', [
    text('package_name', 'Name of the package', required),
    secret('service_account_key', 'Key of the service account', required),
    text('service_account_key_file_name', 'File name of the key', required),
    flag('google_play_protected_refs', 'Sets variables on protected branches and tags only'),
  ]),
  stored(
    'irker',
    'irker (IRC gateway)',
    [
      text('recipients', 'Channels or email addresses, with commas', required),
      text('default_irc_uri', 'URI before each recipient'),
      text('server_host', 'Host of the daemon'),
      text('server_port', 'Port of the daemon', { type: 'number' }),
      flag('colorize_messages', 'Colors messages'),
    ],
    ['push_events'],
  ),
  stored('mattermost-slash-commands', 'Mattermost slash commands', [secret('token', 'Token', required)]),
  stored('slack-slash-commands', 'Slack slash commands', [secret('token', 'Token', required)]),
  stored('harbor', 'Harbor', [
    url('url', 'URL of the server', required),
    text('project_name', 'Name of the project', required),
    ...login,
  ]),
];

const bySlug = new Map(definitions.map((definition) => [definition.slug, definition]));

/** Both spellings are known: `custom-issue-tracker` and `custom_issue_tracker`. */
export const definitionOf = (slug: string): IntegrationDefinition | undefined => bySlug.get(slug.replaceAll('_', '-'));

/** Every field that some integration has, once: of those of one name the one that takes the most entries. */
export const allFields: ReadonlyMap<string, IntegrationField> = definitions
  .flatMap(({ fields }) => fields)
  .reduce(
    (all, field) => ((all.get(field.name)?.most ?? 0) > (field.most ?? 0) ? all : all.set(field.name, field)),
    new Map<string, IntegrationField>(),
  );
