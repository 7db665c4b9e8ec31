/** Portability: how projects and groups come in and go out: archives, imports by URL, forks, templates, mirrors. */
import type { Acting } from '../../kernel/authz/acting.ts';
import type { Db } from '../../kernel/db/index.ts';
import type { Feature } from '../../kernel/feature.ts';
import type { ParentLoader } from '../../kernel/http/parents.ts';
import type { Mail } from '../../kernel/mail/index.ts';
import type { ObjectStore } from '../../kernel/objects/index.ts';
import type { Outbound } from '../../kernel/outbound/index.ts';
import type { Ports } from '../../kernel/ports.ts';
import type { Secrets } from '../../kernel/secrets/index.ts';
import type { Settings } from '../../kernel/settings/index.ts';
import type { Logger } from '../../kernel/telemetry/index.ts';
import { hookRelation } from '../activity/index.ts';
import { pipelineRelation, pipelineScheduleRelation, resourceGroupRelation } from '../ci/index.ts';
import {
  groupLabelRelation,
  groupMilestoneRelation,
  labelRelation,
  milestoneRelation,
} from '../collaboration/index.ts';
import { groupNoteRelation, noteRelation } from '../collaboration/notes/index.ts';
import {
  deploymentRelation,
  environmentRelation,
  freezePeriodRelation,
  protectedEnvironmentRelation,
  releaseRelation,
} from '../delivery/index.ts';
import {
  badgeRelation,
  customAttributeRelation,
  type GroupRelation,
  groupBadgeRelation,
  groupCustomAttributeRelation,
  groupMemberRelation,
  memberRelation,
  type Namespaces,
  type ProjectRepositories,
  projectStarts,
  type Relation,
} from '../namespaces/index.ts';
import {
  boardRelation,
  cadenceRelation,
  epicBoardRelation,
  epicLinkRelation,
  epicRelation,
  groupBoardRelation,
  issueLinkRelation,
  issueRelation,
} from '../planning/index.ts';
import {
  pathLockRelation,
  protectedBranchRelation,
  protectedTagRelation,
  pushRuleRelation,
  securitySettingRelation,
} from '../repository/index.ts';
import {
  approvalRelation,
  approvalRuleRelation,
  approvalSettingRelation,
  dependencyRelation,
  mergeRequestRelation,
  statusCheckRelation,
  suggestionRelation,
} from '../review/index.ts';
import { findingRelation } from '../security/index.ts';
import { bulkImportRoutes } from './bulk-imports/bulk-imports.routes.ts';
import { bulkImportService } from './bulk-imports/bulk-imports.service.ts';
import { forkRoutes } from './forks/forks.routes.ts';
import { forkService } from './forks/forks.service.ts';
import { groupExportService } from './group-archives/group-exports.ts';
import { groupImportService } from './group-archives/group-imports.ts';
import { groupTransferRoutes } from './group-archives/group-transfers.routes.ts';
import { importListRoutes } from './import-list/import-list.routes.ts';
import { exportService } from './project-archives/exports.ts';
import { importService } from './project-archives/imports.ts';
import { transferRoutes } from './project-archives/transfers.routes.ts';
import { urlImportService } from './project-archives/url-imports.ts';
import { projectCreation, projectTemplateRoutes } from './project-creation/project-creation.service.ts';
import { gistImportRoutes } from './provider-imports/gist-imports.routes.ts';
import { type GistImportDependencies, gistImportService } from './provider-imports/gist-imports.service.ts';
import { importableRoutes } from './provider-imports/importable.routes.ts';
import { importableLister } from './provider-imports/importable.ts';
import { providerImportRoutes } from './provider-imports/provider-imports.routes.ts';
import { providerImportService } from './provider-imports/provider-imports.service.ts';
import { mirroredProjects } from './pull-mirrors/mirrored-projects.ts';
import { pullMirrorRoutes } from './pull-mirrors/pull-mirrors.routes.ts';
import { pullMirrorService } from './pull-mirrors/pull-mirrors.service.ts';
import { pullMirrorTasks } from './pull-mirrors/pull-mirrors.task.ts';
import { pushMirrorRoutes } from './push-mirrors/push-mirrors.routes.ts';
import { pushMirrorService } from './push-mirrors/push-mirrors.service.ts';
import { pushMirrorTasks } from './push-mirrors/push-mirrors.task.ts';
import { relationExportRoutes } from './relation-exports/relation-exports.routes.ts';
import { relationExportService } from './relation-exports/relation-exports.service.ts';
import { snapshotRoutes } from './snapshots/snapshots.routes.ts';

export interface PortabilityDependencies {
  readonly db: Db;
  readonly log: Logger;
  readonly settings: Settings;
  /** Without a trailing slash. */
  readonly externalUrl: string;
  /** The product's version. */
  readonly release: string;
  readonly objects: ObjectStore;
  readonly outbound: Outbound;
  readonly secrets: Pick<Secrets, 'seal' | 'open' | 'sign'>;
  readonly parents: ParentLoader;
  readonly namespaces: Pick<Namespaces, 'projects' | 'groups' | 'deletion' | 'present' | 'list'>;
  readonly repository: ProjectRepositories;
  readonly mail: Pick<Mail, 'send' | 'configured'>;
  readonly createSnippet: GistImportDependencies['createSnippet'];
  readonly ports: Ports;
  readonly actingAs: (userId: number, projectId: number) => Promise<Acting | null>;
}

/** What an archive of a project holds besides its repository, in the order in which it is imported. */
const relations: readonly Relation[] = [
  labelRelation,
  milestoneRelation,
  badgeRelation,
  protectedBranchRelation,
  protectedTagRelation,
  approvalRuleRelation,
  approvalSettingRelation,
  statusCheckRelation,
  pathLockRelation,
  environmentRelation,
  protectedEnvironmentRelation,
  freezePeriodRelation,
  resourceGroupRelation,
  pipelineScheduleRelation,
  hookRelation,
  customAttributeRelation,
  memberRelation,
  pushRuleRelation,
  securitySettingRelation,
  releaseRelation,
  boardRelation,
  issueRelation,
  issueLinkRelation,
  mergeRequestRelation,
  dependencyRelation,
  approvalRelation,
  noteRelation,
  suggestionRelation,
  pipelineRelation,
  deploymentRelation,
  findingRelation,
];

/** What an archive of a group holds of each group in it, in the order in which it is imported. */
const groupRelations: readonly GroupRelation[] = [
  groupLabelRelation,
  groupMilestoneRelation,
  groupBadgeRelation,
  groupCustomAttributeRelation,
  groupMemberRelation,
  cadenceRelation,
  epicRelation,
  epicLinkRelation,
  epicBoardRelation,
  groupBoardRelation,
  groupNoteRelation,
];

/** One per process, made by app.ts. */
export function portabilityFeature(deps: PortabilityDependencies): Feature {
  const { parents } = deps;
  const { projects, deletion, present, list } = deps.namespaces;
  const forks = forkService(deps, projects);
  const exports = exportService(deps, relations);
  const imports = importService(deps, projects, relations);
  const relationExports = relationExportService(deps, relations, groupRelations);
  const groupExports = groupExportService(deps, groupRelations);
  const groupImports = groupImportService(deps, groupRelations);
  const urlImports = urlImportService(deps, projects);
  const providerImports = providerImportService(deps, projects, relations, { imports, urlImports });
  const bulkImports = bulkImportService(deps, providerImports, groupRelations, urlImports);
  const gistImports = gistImportService(deps);
  const mirrors = pushMirrorTasks(deps);
  const pulls = pullMirrorTasks(deps, urlImports);
  const pullMirrors = pullMirrorService(deps);
  const mirrored = mirroredProjects(deps, pullMirrors);
  deps.ports.provide(projectStarts, projectCreation(deps, projects, forks, urlImports, mirrored, parents));
  return {
    routes: [
      ...projectTemplateRoutes(),
      ...transferRoutes({ deps, objects: deps.objects, parents, exports, imports, deletion }),
      ...groupTransferRoutes(deps.objects, groupExports, groupImports),
      ...providerImportRoutes(providerImports),
      ...importableRoutes(importableLister(deps)),
      ...importListRoutes(deps.db),
      ...bulkImportRoutes(deps.db, bulkImports),
      ...gistImportRoutes(gistImports),
      ...relationExportRoutes(deps, relationExports),
      ...pushMirrorRoutes(deps.db, pushMirrorService(deps)),
      ...pullMirrorRoutes(deps.db, pullMirrors),
      ...snapshotRoutes(deps.repository),
      ...forkRoutes(forks, list, present),
    ],
    tasks: [
      ...forks.tasks,
      ...exports.tasks,
      ...groupExports.tasks,
      ...groupImports.tasks,
      ...relationExports.tasks,
      ...imports.tasks,
      ...urlImports.tasks,
      ...providerImports.tasks,
      ...bulkImports.tasks,
      ...gistImports.tasks,
      ...mirrors.tasks,
      ...pulls.tasks,
    ],
    consumers: mirrors.consumers,
    cron: [...exports.cron, ...groupExports.cron, ...relationExports.cron, ...pulls.cron],
  };
}
