/** Issues as CSV files: export by mail, import in the background. */
import type { Db } from '../../../kernel/db/index.ts';
import type { Mail } from '../../../kernel/mail/index.ts';
import type { ObjectStore } from '../../../kernel/objects/index.ts';
import type { Settings } from '../../../kernel/settings/index.ts';
import type { QuickActions } from '../../collaboration/quick-actions/index.ts';
import type { IssueService } from '../issues/issues.service.ts';
import { issueExports } from './export.ts';
import { issueImports } from './import.ts';
import { issueCsvRoutes } from './issue-csv.routes.ts';

export interface IssueCsvDependencies {
  readonly db: Db;
  /** Without a trailing slash. */
  readonly externalUrl: string;
  readonly mail: Pick<Mail, 'configured' | 'send'>;
  readonly objects: Pick<ObjectStore, 'get' | 'putFile' | 'remove'>;
  readonly settings: Settings;
  readonly issues: Pick<IssueService, 'create'>;
  readonly actions: Pick<QuickActions, 'creating'>;
}

export function issueCsv(deps: IssueCsvDependencies) {
  const exports = issueExports(deps);
  const imports = issueImports(deps);
  return { routes: issueCsvRoutes(deps.settings, exports, imports), tasks: [exports.task, imports.task] };
}
