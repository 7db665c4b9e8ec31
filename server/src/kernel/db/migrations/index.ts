/** The list of migrations, in order. Forward-only: a landed one is never edited. */
import { initial } from './0001-initial.ts';
import { paging } from './0002-paging.ts';
import { featuresMigration } from './0003-features.ts';
import { rateLimits } from './0004-rate-limits.ts';
import { tokensMigration } from './0005-tokens.ts';
import { accounts } from './0006-accounts.ts';
import { twoFactor } from './0007-two-factor.ts';
import { auditMigration } from './0008-audit.ts';
import { activity } from './0009-activity.ts';
import { oauth } from './0010-oauth.ts';
import { twoFactorGroups } from './0011-two-factor-groups.ts';
import { policy } from './0012-policy.ts';
import { members } from './0013-members.ts';
import { groupsMigration } from './0014-groups.ts';
import { projectsMigration } from './0015-projects.ts';
import { largeLists } from './0019-large-lists.ts';
import { topicsMigration } from './0025-topics.ts';
import { wikisMigration } from './0026-wikis.ts';
import { serviceAccountsMigration } from './0027-service-accounts.ts';
import { reports } from './0028-reports.ts';
import { hooksMigration } from './0029-hooks.ts';
import { licensesMigration } from './0030-licenses.ts';
import { transfersMigration } from './0030-transfers.ts';
import { grantsMigration } from './0032-grants.ts';
import { statisticsMigration } from './0032-statistics.ts';
import { sshMigration } from './0033-ssh.ts';
import { networks } from './0034-networks.ts';
import { lfsMigration } from './0035-lfs.ts';
import { protectedRefs } from './0036-protected-refs.ts';
import { pushesMigration } from './0037-pushes.ts';
import { durability } from './0039-durability.ts';
import { commitStatusesMigration } from './0041-commit-statuses.ts';
import { sizeLimitsMigration } from './0042-size-limits.ts';
import { notesMigration } from './0043-notes.ts';
import { releasesMigration } from './0044-releases.ts';
import { milestonesMigration } from './0045-milestones.ts';
import { plannedMigration } from './0046-planned.ts';
import { pushSummariesMigration } from './0047-push-summaries.ts';
import { rebasesMigration } from './0048-rebases.ts';
import { keptLastCommitsMigration } from './0052-kept-last-commits.ts';
import { urlImportsMigration } from './0053-url-imports.ts';
import { pathLocksMigration } from './0054-path-locks.ts';
import { oldPipelinesMigration } from './0055-old-pipelines.ts';
import { projectDownloads } from './0057-project-downloads.ts';
import { uploadSecrets } from './0058-upload-secrets.ts';
import { pushedProjectsMigration } from './0059-pushed-projects.ts';
import { deployKeyProjects } from './0063-deploy-key-projects.ts';
import { debugTracesMigration } from './0121-debug-traces.ts';
import { inheritedSettingsMigration } from './0141-inherited-settings.ts';
import { noteablesMigration } from './0200-noteables.ts';
import { reactionsMigration } from './0201-reactions.ts';
import { issuesMigration } from './0220-issues.ts';
import { discussedIssuesMigration } from './0221-discussed-issues.ts';
import { approvalsMigration } from './0240-approvals.ts';
import { draftNotesMigration } from './0241-draft-notes.ts';
import { pipelineSchedules } from './0260-pipeline-schedules.ts';
import { pipelineTriggers } from './0261-pipeline-triggers.ts';
import { bridgesMigration } from './0262-bridges.ts';
import { resourceGroupsMigration } from './0263-resource-groups.ts';
import { mergeTrainsMigration } from './0280-merge-trains.ts';
import { secureFilesMigration } from './0300-secure-files.ts';
import { relationExportsMigration } from './0301-relation-exports.ts';
import { vulnerabilitiesMigration } from './0302-vulnerabilities.ts';
import { providerImportsMigration } from './0303-provider-imports.ts';
import { updatedEpicsMigration } from './0340-updated-epics.ts';
import { environmentsMigration } from './0410-environments.ts';
import { protectedEnvironmentsMigration } from './0411-protected-environments.ts';
import { snippetsMigration } from './0420-snippets.ts';
import { gistImportsMigration } from './0421-gist-imports.ts';
import { epicRelationsMigration } from './0430-epic-relations.ts';
import { boardsMigration } from './0431-boards.ts';
import { mergeRequestDependenciesMigration } from './0440-merge-request-dependencies.ts';
import { runnerWatchMigration } from './0500-runner-watch.ts';
import { testReportsMigration } from './0520-test-reports.ts';
import { mergeRequestSearchMigration } from './0530-merge-request-search.ts';
import { upstreamPipelinesMigration } from './0550-upstream-pipelines.ts';
import { searchesMigration } from './0560-searches.ts';
import { requestedChangesMigration } from './0580-requested-changes.ts';
import { failedPipelinesMigration } from './0600-failed-pipelines.ts';
import { avatarNamesMigration } from './0610-avatar-names.ts';
import { issueEventsMigration } from './0630-issue-events.ts';
import { crossReferencesMigration } from './0631-cross-references.ts';
import { notificationsMigration } from './0632-notifications.ts';
import { issueAgentsMigration } from './0633-issue-agents.ts';
import { threadPositionsMigration } from './0640-thread-positions.ts';
import { contextCommitsMigration } from './0641-context-commits.ts';
import { groupApprovalsMigration } from './0642-group-approvals.ts';
import { idTokenKeysMigration } from './0650-id-token-keys.ts';
import { pipelineExplanationsMigration } from './0651-pipeline-explanations.ts';
import { backupsMigration } from './0660-backups.ts';
import { integrationsMigration } from './0661-integrations.ts';
import { lostHandoutsMigration } from './0670-lost-handouts.ts';
import { cutLogsMigration } from './0671-cut-logs.ts';
import { iterationEventsMigration } from './0680-iteration-events.ts';
import { commitReferencesMigration } from './0710-commit-references.ts';
import { mergeAfterMigration } from './0720-merge-after.ts';
import { stacksMigration } from './0721-stacks.ts';
import { lastReviewsMigration } from './0722-last-reviews.ts';
import { jobReportsMigration } from './0730-job-reports.ts';
import { jobTerminalsMigration } from './0740-job-terminals.ts';
import { jobCachesMigration } from './0741-job-caches.ts';
import { artifactQuotasMigration } from './0742-artifact-quotas.ts';
import { issueCsvImportsMigration } from './0800-issue-csv-imports.ts';
import { metricImagesMigration } from './0801-metric-images.ts';
import { approvalsBeforeMergeMigration } from './0810-approvals-before-merge.ts';
import { ciDeployTokensMigration } from './0811-ci-deploy-tokens.ts';
import { environmentClustersMigration } from './0812-environment-clusters.ts';
import { queuePrioritiesMigration } from './0820-queue-priorities.ts';
import { runnerUsageMigration } from './0821-runner-usage.ts';
import { epicBoardsMigration } from './0822-epic-boards.ts';
import { importProgressMigration } from './0830-import-progress.ts';
import { bulkImportsMigration } from './0831-bulk-imports.ts';
import { codeIndexMigration } from './0905-code-index.ts';
import { groupTransfersMigration } from './0910-group-transfers.ts';
import { worstVulnerabilitiesMigration } from './0915-worst-vulnerabilities.ts';
import { commitSubscriptionsMigration } from './0916-commit-subscriptions.ts';
import { confidentialIssuesMigration } from './0917-confidential-issues.ts';
import { importedPipelinesMigration } from './0940-imported-pipelines.ts';
import { searchIndexMigration } from './0945-search-index.ts';
import { epicEventsMigration } from './0950-epic-events.ts';
import { issueOrdersMigration } from './0960-issue-orders.ts';
import { factProgressMigration } from './0961-fact-progress.ts';
import { lockRepositoryMigration } from './0962-lock-repository.ts';
import { issuePopularityMigration } from './0970-issue-popularity.ts';
import { forkCommitsMigration } from './0990-fork-commits.ts';
import { logPieceObjectsMigration } from './0991-log-piece-objects.ts';
import { ciRemoteFilesMigration } from './0994-ci-remote-files.ts';
import { ciCatalogMigration } from './1000-ci-catalog.ts';
import { broadcastMessagesMigration } from './1002-broadcast-messages.ts';
import { featureFlagsMigration } from './1003-feature-flags.ts';
import { pushMirrorsMigration } from './1007-push-mirrors.ts';
import { packagesMigration } from './1008-packages.ts';
import { epicBoardOrderMigration } from './1020-epic-board-order.ts';
import { issueListIndexesMigration } from './1021-issue-list-indexes.ts';
import { countedIssuesMigration } from './1022-counted-issues.ts';
import { mergeRequestOrdersMigration } from './1023-merge-request-orders.ts';
import { checkedBehindMigration } from './1030-checked-behind.ts';
import { inactiveProjectsMigration } from './1090-inactive-projects.ts';
import { toldPushMirrorsMigration } from './1091-told-push-mirrors.ts';
import { expiringTokensMigration } from './1092-expiring-tokens.ts';
import { userAddressesMigration } from './1093-user-addresses.ts';
import { vulnerabilityIssueLinksMigration } from './1130-vulnerability-issue-links.ts';
import { codeGramsMigration } from './1131-code-grams.ts';
import { approvalsByRuleMigration } from './1150-approvals-by-rule.ts';
import { instanceDownloadsMigration } from './1170-instance-downloads.ts';
import { sshPushMirrorsMigration } from './1171-ssh-push-mirrors.ts';
import { pullMirrorsMigration } from './1210-pull-mirrors.ts';
import { protectedRequestPipelinesMigration } from './1260-protected-request-pipelines.ts';
import { repliesOnLinesMigration } from './1300-replies-on-lines.ts';
import { packageProtectionMigration } from './1330-package-protection.ts';
import { importedIssuesMigration } from './1360-imported-issues.ts';
import { appearanceMigration } from './1380-appearance.ts';
import { repositoryChecksMigration } from './1381-repository-checks.ts';
import { issuesByAuthorMigration } from './1410-issues-by-author.ts';
import { coverageHistoryMigration } from './1420-coverage-history.ts';
import { plannedEpicsMigration } from './1480-planned-epics.ts';
import { issueSearchMigration } from './1481-issue-search.ts';
import { publicIssueCountsMigration } from './1490-public-issue-counts.ts';
import { checksOfWikisMigration } from './1495-checks-of-wikis.ts';

/** One step of the schema. `statements` run in order in one transaction; each may hold several SQL commands. */
export interface Migration {
  readonly name: string;
  readonly statements: readonly string[];
}

export const migrations: readonly Migration[] = [
  initial,
  paging,
  featuresMigration,
  rateLimits,
  tokensMigration,
  accounts,
  twoFactor,
  auditMigration,
  activity,
  oauth,
  twoFactorGroups,
  policy,
  members,
  groupsMigration,
  projectsMigration,
  largeLists,
  topicsMigration,
  reports,
  statisticsMigration,
  grantsMigration,
  wikisMigration,
  sshMigration,
  networks,
  serviceAccountsMigration,
  hooksMigration,
  licensesMigration,
  transfersMigration,
  lfsMigration,
  protectedRefs,
  commitStatusesMigration,
  pushesMigration,
  durability,
  sizeLimitsMigration,
  releasesMigration,
  notesMigration,
  milestonesMigration,
  pushSummariesMigration,
  rebasesMigration,
  keptLastCommitsMigration,
  plannedMigration,
  urlImportsMigration,
  pathLocksMigration,
  oldPipelinesMigration,
  projectDownloads,
  uploadSecrets,
  pushedProjectsMigration,
  deployKeyProjects,
  debugTracesMigration,
  inheritedSettingsMigration,
  approvalsMigration,
  pipelineSchedules,
  pipelineTriggers,
  bridgesMigration,
  resourceGroupsMigration,
  secureFilesMigration,
  relationExportsMigration,
  providerImportsMigration,
  noteablesMigration,
  mergeTrainsMigration,
  issuesMigration,
  vulnerabilitiesMigration,
  reactionsMigration,
  draftNotesMigration,
  discussedIssuesMigration,
  updatedEpicsMigration,
  epicRelationsMigration,
  mergeRequestDependenciesMigration,
  environmentsMigration,
  protectedEnvironmentsMigration,
  boardsMigration,
  snippetsMigration,
  gistImportsMigration,
  runnerWatchMigration,
  testReportsMigration,
  mergeRequestSearchMigration,
  upstreamPipelinesMigration,
  searchesMigration,
  requestedChangesMigration,
  failedPipelinesMigration,
  avatarNamesMigration,
  issueEventsMigration,
  crossReferencesMigration,
  notificationsMigration,
  issueAgentsMigration,
  threadPositionsMigration,
  contextCommitsMigration,
  groupApprovalsMigration,
  idTokenKeysMigration,
  pipelineExplanationsMigration,
  backupsMigration,
  integrationsMigration,
  lostHandoutsMigration,
  cutLogsMigration,
  iterationEventsMigration,
  commitReferencesMigration,
  mergeAfterMigration,
  stacksMigration,
  lastReviewsMigration,
  jobReportsMigration,
  jobTerminalsMigration,
  jobCachesMigration,
  artifactQuotasMigration,
  issueCsvImportsMigration,
  metricImagesMigration,
  approvalsBeforeMergeMigration,
  queuePrioritiesMigration,
  runnerUsageMigration,
  epicBoardsMigration,
  importProgressMigration,
  ciDeployTokensMigration,
  environmentClustersMigration,
  bulkImportsMigration,
  codeIndexMigration,
  groupTransfersMigration,
  worstVulnerabilitiesMigration,
  commitSubscriptionsMigration,
  confidentialIssuesMigration,
  importedPipelinesMigration,
  searchIndexMigration,
  epicEventsMigration,
  issueOrdersMigration,
  factProgressMigration,
  lockRepositoryMigration,
  issuePopularityMigration,
  forkCommitsMigration,
  logPieceObjectsMigration,
  ciRemoteFilesMigration,
  ciCatalogMigration,
  broadcastMessagesMigration,
  featureFlagsMigration,
  pushMirrorsMigration,
  packagesMigration,
  epicBoardOrderMigration,
  issueListIndexesMigration,
  countedIssuesMigration,
  mergeRequestOrdersMigration,
  checkedBehindMigration,
  inactiveProjectsMigration,
  toldPushMirrorsMigration,
  expiringTokensMigration,
  userAddressesMigration,
  vulnerabilityIssueLinksMigration,
  codeGramsMigration,
  instanceDownloadsMigration,
  approvalsByRuleMigration,
  sshPushMirrorsMigration,
  pullMirrorsMigration,
  protectedRequestPipelinesMigration,
  repliesOnLinesMigration,
  packageProtectionMigration,
  importedIssuesMigration,
  appearanceMigration,
  repositoryChecksMigration,
  issuesByAuthorMigration,
  coverageHistoryMigration,
  plannedEpicsMigration,
  issueSearchMigration,
  publicIssueCountsMigration,
  checksOfWikisMigration,
];
