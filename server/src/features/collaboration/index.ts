/** Collaboration: what people put on their work and say about it: labels, milestones, uploads, comments. */
import type { Db } from '../../kernel/db/index.ts';
import type { Feature } from '../../kernel/feature.ts';
import type { CredentialResolver } from '../../kernel/http/credentials.ts';
import type { ParentLoader } from '../../kernel/http/parents.ts';
import type { Markdown } from '../../kernel/markdown/index.ts';
import type { ObjectStore } from '../../kernel/objects/index.ts';
import type { Ports } from '../../kernel/ports.ts';
import type { Settings } from '../../kernel/settings/index.ts';
import { placeMoved } from '../namespaces/index.ts';
import { copyInherited, labeled } from './inherited-labels.ts';
import { labelRoutes } from './labels/labels.routes.ts';
import { labelReferences } from './labels/references.ts';
import { markdownRoutes } from './markdown/markdown.routes.ts';
import { milestoneRoutes } from './milestones/milestones.routes.ts';
import { milestoneReferences } from './milestones/references.ts';
import { noteables } from './noteables.ts';
import { moveNotes, removeNotesOf } from './notes/index.ts';
import { pushedCommits } from './ports.ts';
import { writeHours } from './time-tracking/index.ts';
import { uploadFile } from './uploads/page-file.ts';
import { mountUploads } from './uploads/uploads.mount.ts';
import { uploadRoutes } from './uploads/uploads.routes.ts';

export { awardLines, awardsJson, takeAwards } from './award-emoji/index.ts';
export { copyComments, copyFollowers } from './copying.queries.ts';
export { type FeedQuery, feedParameters } from './feed-parameters.ts';
export { type Labeled, labeled, type Replacement } from './inherited-labels.ts';
export { textColorOn } from './labels/colors.ts';
export { LabelBasic, labelBasicJson } from './labels/labels.entity.ts';
export { labelsNamed, labelsThere } from './labels/named.ts';
export { LabelTitles } from './labels/titles.ts';
export { type IterationName, meantBy, meantIterations, meantPlans, type Within } from './meant.queries.ts';
export { type About, type Audience, membersOf, type Reader } from './mentions/index.ts';
export {
  Milestone,
  type MilestoneJson,
  milestoneJson,
  type PlacedMilestone,
} from './milestones/milestones.entity.ts';
export {
  findMilestone,
  milestoneNamed,
  milestonesById,
  milestonesFor,
} from './milestones/milestones.queries.ts';
export type { Noteables } from './noteables.ts';
export { type PushedCommits, pushedCommits } from './ports.ts';
export { groupLabelRelation, groupMilestoneRelation, labelRelation, milestoneRelation } from './relations.ts';
export {
  historyJson,
  historyLines,
  recordFirstLabels,
  recordIteration,
  recordLabels,
  recordMilestone,
  recordState,
  recordWeight,
  type StateCause,
  takeHistory,
} from './resource-events/index.ts';
export { type ResponseRow, type Responses, responseParts, responsesTo, toResponses } from './responses.queries.ts';
export { recordStateBy } from './state-changes.queries.ts';
export { isSubscribed, setCommitSubscribed, setSubscribed } from './subscriptions/index.ts';
export { summariesOf } from './summaries.queries.ts';
export { changedTask, type TaskChange, TaskParam, tasksOf, taskText, withTask } from './tasks/index.ts';
export { type MovedTexts, type TextMoves, textMoves } from './texts-elsewhere.ts';
export { createTodo, createTodos, type NewTodo, resolveTodos, type TodoAction } from './todos/index.ts';
export {
  headersOf as fileHeaders,
  markdownOf,
  safeName as safeFileName,
  uploadTypes as fileTypes,
} from './uploads/files.ts';

export interface CollaborationDependencies {
  readonly db: Db;
  /** Without a trailing slash. */
  readonly externalUrl: string;
  readonly settings: Settings;
  readonly objects: ObjectStore;
  readonly parents: ParentLoader;
  readonly markdown: Markdown;
  /** For what is served outside the API. */
  readonly resolver: CredentialResolver;
  readonly ports: Ports;
  /** The person and the project as they are now; null when either is gone or may not act. */
  readonly actingAs: Parameters<typeof noteables>[0]['actingAs'];
}

/** One per process, made by app.ts. */
export function collaborationFeature(deps: CollaborationDependencies) {
  writeHours(deps.settings.last);
  const parts = deps.ports.every(labeled);
  deps.ports.provide(placeMoved, { moved: (tx, moved) => copyInherited(tx, parts, moved) });
  const discussed = noteables({ ...deps, pushedCommits: deps.ports.one(pushedCommits) });
  return {
    references: [labelReferences(deps.db), milestoneReferences(deps.db)],
    routes: [
      ...discussed.routes,
      ...labelRoutes({ ...deps, labeled: parts }),
      ...milestoneRoutes({ ...deps, labeled: parts }),
      ...markdownRoutes(deps),
      ...uploadRoutes(deps),
    ],
    mount: (server) => mountUploads(server, deps),
    pageFiles: [uploadFile(deps)],
    consumers: discussed.consumers,
    /** Where kinds of things that people discuss register. */
    noteables: discussed,
    /** What becomes of comments whose people go. */
    contributions: { move: moveNotes, remove: removeNotesOf },
  } satisfies Feature & Record<string, unknown>;
}

export type Collaboration = ReturnType<typeof collaborationFeature>;
