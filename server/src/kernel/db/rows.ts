/** Rows as queries read them, by the nouns that the features use. */
import type { Selectable } from 'kysely';
import type {
  AccessTokensTable,
  AppearancesTable,
  AuditEventsTable,
  AwardEmojiTable,
  BadgesTable,
  BoardListsTable,
  BoardsTable,
  BroadcastMessagesTable,
  CiVariablesTable,
  CommitStatusesTable,
  DeploymentApprovalsTable,
  DeploymentsTable,
  DeployTokensTable,
  EmailsTable,
  EnvironmentsTable,
  EpicBoardListsTable,
  EpicBoardsTable,
  EpicLinksTable,
  EpicsTable,
  EventsTable,
  FeatureFlagsTable,
  FeatureFlagUserListsTable,
  FreezePeriodsTable,
  GpgKeysTable,
  GrantsTable,
  IdentitiesTable,
  IdTokenKeysTable,
  IntegrationsTable,
  IssuesTable,
  IterationCadencesTable,
  IterationsTable,
  JobArtifactsTable,
  JobsTable,
  LabelsTable,
  MergeRequestsTable,
  MergeTrainEntriesTable,
  MilestonesTable,
  NamespacesTable,
  NotesTable,
  NotificationSettingsTable,
  OauthApplicationsTable,
  OauthAuthorizationsTable,
  OauthCodesTable,
  OauthDeviceCodesTable,
  OauthTokensTable,
  PackageFilesTable,
  PackageProtectionRulesTable,
  PackagesTable,
  PipelineSchedulesTable,
  PipelineScheduleVariablesTable,
  PipelinesTable,
  PipelineTriggersTable,
  ProjectStatisticsTable,
  ProjectsTable,
  ProtectedEnvironmentRulesTable,
  ProtectedEnvironmentsTable,
  PullMirrorsTable,
  PushMirrorsTable,
  PushRulesTable,
  ReleaseEvidencesTable,
  ReleaseLinksTable,
  ReleasesTable,
  ResourceEventsTable,
  ResourceGroupsTable,
  RunnerManagersTable,
  RunnersTable,
  SecureFilesTable,
  SessionsTable,
  SnippetsTable,
  SshKeysTable,
  TodosTable,
  TopicsTable,
  UserStatusesTable,
  UsersTable,
  WebHookCallsTable,
  WebHooksTable,
  WikisTable,
} from './tables.ts';

export type User = Selectable<UsersTable>;
export type AccessToken = Selectable<AccessTokensTable>;
export type AuditEvent = Selectable<AuditEventsTable>;
export type OauthApplication = Selectable<OauthApplicationsTable>;
export type OauthAuthorization = Selectable<OauthAuthorizationsTable>;
export type OauthCode = Selectable<OauthCodesTable>;
export type OauthDeviceCode = Selectable<OauthDeviceCodesTable>;
export type OauthToken = Selectable<OauthTokensTable>;
export type DeployToken = Selectable<DeployTokensTable>;
export type Email = Selectable<EmailsTable>;
export type IdTokenKey = Selectable<IdTokenKeysTable>;
export type Identity = Selectable<IdentitiesTable>;
export type SshKey = Selectable<SshKeysTable>;
export type GpgKey = Selectable<GpgKeysTable>;
export type UserStatus = Selectable<UserStatusesTable>;
export type Session = Selectable<SessionsTable>;
export type Namespace = Selectable<NamespacesTable>;
export type ProjectStatistics = Selectable<ProjectStatisticsTable>;
export type Project = Selectable<ProjectsTable>;
export type Package = Selectable<PackagesTable>;
export type PackageFile = Selectable<PackageFilesTable>;
export type PackageProtectionRule = Selectable<PackageProtectionRulesTable>;
export type PullMirror = Selectable<PullMirrorsTable>;
export type PushMirror = Selectable<PushMirrorsTable>;
export type PushRule = Selectable<PushRulesTable>;
export type Release = Selectable<ReleasesTable>;
export type ReleaseLink = Selectable<ReleaseLinksTable>;
export type ReleaseEvidence = Selectable<ReleaseEvidencesTable>;
export type Grant = Selectable<GrantsTable>;
export type SecureFile = Selectable<SecureFilesTable>;
export type CiVariable = Selectable<CiVariablesTable>;
export type Runner = Selectable<RunnersTable>;
export type RunnerManager = Selectable<RunnerManagersTable>;
export type Pipeline = Selectable<PipelinesTable>;
export type ResourceGroup = Selectable<ResourceGroupsTable>;
export type Environment = Selectable<EnvironmentsTable>;
export type Deployment = Selectable<DeploymentsTable>;
export type Appearance = Selectable<AppearancesTable>;
export type BroadcastMessage = Selectable<BroadcastMessagesTable>;
export type FeatureFlag = Selectable<FeatureFlagsTable>;
export type FeatureFlagUserList = Selectable<FeatureFlagUserListsTable>;
export type FreezePeriod = Selectable<FreezePeriodsTable>;
export type ProtectedEnvironment = Selectable<ProtectedEnvironmentsTable>;
export type ProtectedEnvironmentRule = Selectable<ProtectedEnvironmentRulesTable>;
export type DeploymentApproval = Selectable<DeploymentApprovalsTable>;
export type PipelineTrigger = Selectable<PipelineTriggersTable>;
export type PipelineSchedule = Selectable<PipelineSchedulesTable>;
export type PipelineScheduleVariable = Selectable<PipelineScheduleVariablesTable>;
export type Job = Selectable<JobsTable>;
export type CommitStatusRow = Selectable<CommitStatusesTable>;
export type JobArtifact = Selectable<JobArtifactsTable>;
export type MergeRequest = Selectable<MergeRequestsTable>;
export type MergeTrainEntry = Selectable<MergeTrainEntriesTable>;
export type Note = Selectable<NotesTable>;
export type Badge = Selectable<BadgesTable>;
export type Label = Selectable<LabelsTable>;
export type Milestone = Selectable<MilestonesTable>;
export type Topic = Selectable<TopicsTable>;
export type Integration = Selectable<IntegrationsTable>;
export type WebHook = Selectable<WebHooksTable>;
export type WebHookCall = Selectable<WebHookCallsTable>;
export type Snippet = Selectable<SnippetsTable>;
export type Wiki = Selectable<WikisTable>;
export type Event = Selectable<EventsTable>;
export type NotificationSetting = Selectable<NotificationSettingsTable>;
export type Issue = Selectable<IssuesTable>;
export type IterationCadence = Selectable<IterationCadencesTable>;
export type Iteration = Selectable<IterationsTable>;
export type Epic = Selectable<EpicsTable>;
export type Board = Selectable<BoardsTable>;
export type BoardList = Selectable<BoardListsTable>;
export type EpicBoard = Selectable<EpicBoardsTable>;
export type EpicBoardList = Selectable<EpicBoardListsTable>;
export type EpicLink = Selectable<EpicLinksTable>;
export type AwardEmoji = Selectable<AwardEmojiTable>;
export type ResourceEvent = Selectable<ResourceEventsTable>;
export type Todo = Selectable<TodosTable>;
