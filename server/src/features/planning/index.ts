/** Planning: issues, and the iterations and epics above them. */
import type { Db } from '../../kernel/db/index.ts';
import type { Feature } from '../../kernel/feature.ts';
import type { CredentialResolver } from '../../kernel/http/credentials.ts';
import type { ParentLoader } from '../../kernel/http/parents.ts';
import type { Mail } from '../../kernel/mail/index.ts';
import type { Markdown } from '../../kernel/markdown/index.ts';
import type { ObjectStore } from '../../kernel/objects/index.ts';
import type { Ports } from '../../kernel/ports.ts';
import type { Settings } from '../../kernel/settings/index.ts';
import { labeled, type Noteables, pushedCommits, textMoves } from '../collaboration/index.ts';
import { timeTrackingRoutes } from '../collaboration/time-tracking/index.ts';
import { externalPlaces, membersUnassigned } from '../namespaces/index.ts';
import { boardRoutes } from './boards/boards.routes.ts';
import { boardService } from './boards/boards.service.ts';
import { boardListRoutes } from './boards/lists.routes.ts';
import { boardMoves } from './boards/moving.ts';
import { burndownRoutes } from './burndown/burndown.routes.ts';
import { reportRoutes } from './burndown/report.routes.ts';
import { closingRoutes } from './closing/closing.routes.ts';
import { closingConsumer } from './closing/closing.service.ts';
import { epicColumnRoutes } from './epic-boards/columns.routes.ts';
import { epicBoardRoutes } from './epic-boards/epic-boards.routes.ts';
import { epicBoardService } from './epic-boards/epic-boards.service.ts';
import { epicBoardMoves } from './epic-boards/moving.ts';
import { childEpicRoutes } from './epics/children.routes.ts';
import { epicCommands } from './epics/commands.ts';
import { epicIssueRoutes } from './epics/epic-issues.routes.ts';
import { epicRoutes } from './epics/epics.routes.ts';
import { epicService } from './epics/epics.service.ts';
import { epicFinder } from './epics/finding.ts';
import { relatedEpicRoutes } from './epics/links.routes.ts';
import { epicLists } from './epics/listing.ts';
import { epicNoteable } from './epics/noteable.ts';
import { epicPresenter } from './epics/presenting.ts';
import { epicReferences } from './epics/references.ts';
import { issueCsv } from './issue-csv/index.ts';
import { issueCommands } from './issues/commands.ts';
import { dueTask } from './issues/due.ts';
import { issueFeed } from './issues/feed.ts';
import { issueFinder } from './issues/finder.ts';
import { followUpRoute } from './issues/follow-ups.routes.ts';
import { followUps } from './issues/follow-ups.ts';
import { issuePresenter, issueRoutes } from './issues/issues.routes.ts';
import { issueService } from './issues/issues.service.ts';
import { issueLinkRoutes } from './issues/links.routes.ts';
import { issueBeginnings, issueListRoutes, issueLists } from './issues/listing.routes.ts';
import type { Beginnings } from './issues/merge-request-command.ts';
import { issueMoves } from './issues/moves.ts';
import { issueNoteable, timedIssue } from './issues/noteable.ts';
import { issuePlaceRoutes } from './issues/places.routes.ts';
import { moveIssues, removeIssuesOf, replaceLabels, replaceMilestones, unassign } from './issues/planned.queries.ts';
import { issueReferences } from './issues/references.ts';
import { issueTransferRoutes } from './issues/transferring.routes.ts';
import { issueTransfers } from './issues/transferring.ts';
import { cadenceRoutes } from './iterations/cadences.routes.ts';
import { iterationRoutes } from './iterations/iterations.routes.ts';
import { iterationService } from './iterations/iterations.service.ts';
import { schedulingTask } from './iterations/scheduling.ts';
import { mountMetricImages } from './metric-images/metric-images.mount.ts';
import { metricImageRoutes } from './metric-images/metric-images.routes.ts';
import { issueFollowers } from './ports.ts';

export { boardRelation, groupBoardRelation } from './boards/transfer.ts';
export { epicBoardRelation } from './epic-boards/transfer.ts';
export type { FindEpics } from './epics/finding.ts';
export { epicsSeen } from './epics/seen.queries.ts';
export { epicLinkRelation, epicRelation } from './epics/transfer.ts';
export { tellDueIssues } from './issues/due.ts';
export type { IssueFeed } from './issues/feed.ts';
export type { IssueFinder } from './issues/finder.ts';
export { Issue as IssueEntity } from './issues/issues.entity.ts';
export { labelsOf as labelsOfIssues } from './issues/issues.queries.ts';
export type { IssueLists } from './issues/listing.routes.ts';
export { issueLinkRelation, issueRelation } from './issues/transfer.ts';
export { cadenceRelation } from './iterations/transfer.ts';
export { takeMetricImage } from './metric-images/archived.ts';
export { archivedMetricImages, removeMetricImages } from './metric-images/metric-images.queries.ts';
export { issueFollowers } from './ports.ts';

export interface PlanningDependencies {
  readonly db: Db;
  /** Without a trailing slash. */
  readonly externalUrl: string;
  readonly ports: Ports;
  readonly noteables: Noteables;
  readonly parents: Pick<ParentLoader, 'group' | 'project' | 'projects'>;
  readonly mail: Pick<Mail, 'configured' | 'send'>;
  readonly markdown: Pick<Markdown, 'html' | 'moved'>;
  readonly objects: Pick<ObjectStore, 'get' | 'exists' | 'put' | 'putFile' | 'remove'>;
  /** For what is served outside the API. */
  readonly resolver: CredentialResolver;
  readonly settings: Settings;
  /** How work on an issue begins. */
  readonly beginnings: Beginnings;
}

/** One per process, made by app.ts. */
export function planningFeature(deps: PlanningDependencies) {
  const { db, externalUrl, ports } = deps;
  ports.provide(labeled, { labelsReplaced: replaceLabels, milestonesReplaced: replaceMilestones });
  ports.provide(membersUnassigned, { unassign });
  const service = issueService(db);
  const actions = deps.noteables.quickActions;
  const transfers = issueTransfers({
    ...{ db, parents: deps.parents, texts: textMoves(deps) },
    followers: ports.every(issueFollowers),
  });
  const iterations = iterationService(db);
  const scheduling = schedulingTask(db);
  const due = dueTask(db);
  const present = issuePresenter(db, externalUrl);
  const files = issueCsv({ ...deps, issues: service, actions });
  const followUp = followUps(deps);
  const boards = boardService(db);
  const epics = epicService(db);
  const epicsShown = epicPresenter(db, externalUrl);
  const listed = epicLists(db, externalUrl);
  const aboutEpics = { db, parents: deps.parents, present: epicsShown };
  return {
    routes: [
      ...epicBoardRoutes({ db, base: externalUrl, boards: epicBoardService(db) }),
      ...epicColumnRoutes({
        ...{ db, present: epicsShown, epics: listed },
        move: epicBoardMoves(db, deps.parents, epics),
      }),
      ...issueListRoutes(deps),
      ...issueRoutes({
        ...{ ...deps, issues: service, present, actions, followUp },
        moves: issueMoves(db, externalUrl, deps.parents, epicsShown),
      }),
      followUpRoute(followUp),
      ...files.routes,
      ...metricImageRoutes(db, deps.objects),
      ...issueTransferRoutes(db, deps.parents, transfers, present),
      ...issueLinkRoutes(db, externalUrl, deps.parents),
      ...closingRoutes({
        ...{ db, noteables: deps.noteables },
        ...{ places: ports.one(externalPlaces), pushedCommits: ports.one(pushedCommits) },
      }),
      ...issuePlaceRoutes(db, externalUrl, present),
      ...deps.noteables.register({
        ...issueNoteable({ db, base: externalUrl, parents: deps.parents, present }),
        commands: issueCommands({ ...deps, issues: service, transfers }),
      }),
      ...timeTrackingRoutes(db, timedIssue(db)),
      ...burndownRoutes(db),
      ...reportRoutes(db, externalUrl),
      ...iterationRoutes({ db, externalUrl, iterations }),
      ...cadenceRoutes({ db, iterations }),
      ...boardRoutes({
        ...{ db, boards, base: externalUrl, issues: issueLists(db, externalUrl) },
        beginnings: issueBeginnings(db, externalUrl),
        ...{ move: boardMoves(db, deps.parents), presentIssue: present },
      }),
      ...boardListRoutes({ db, base: externalUrl, boards }),
      ...epicRoutes(db, listed, epics, epicsShown, actions),
      ...childEpicRoutes({ ...aboutEpics, base: externalUrl, epics }),
      ...epicIssueRoutes({ ...aboutEpics, base: externalUrl, issues: service, presentIssue: present }),
      ...relatedEpicRoutes(aboutEpics),
      ...deps.noteables.register({
        ...epicNoteable(db, epicsShown),
        commands: epicCommands({ ...aboutEpics, epics, issues: service }),
      }),
    ],
    mount: (server) => mountMetricImages(server, deps),
    references: [issueReferences(db), epicReferences(db)],
    consumers: [closingConsumer({ ...deps, issues: service, pushedCommits: ports.one(pushedCommits) })],
    tasks: [...scheduling.tasks, ...due.tasks, ...files.tasks],
    cron: [...scheduling.cron, ...due.cron],
    /** Lists for the search. */
    search: { issues: issueLists(db, externalUrl), epics: epicFinder(db, epicsShown) },
    issueFeed: issueFeed(db, externalUrl),
    /** Issues that others link to. */
    issues: issueFinder(db, externalUrl, deps.parents),
    /** What becomes of issues whose people go. */
    contributions: { move: moveIssues, remove: removeIssuesOf },
  } satisfies Feature & Record<string, unknown>;
}
