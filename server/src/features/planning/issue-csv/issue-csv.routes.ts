/** Routes of files of issues: both work in the background and tell by mail how it ended. */
import Type from 'typebox';
import { Count, Entity, Text } from '../../../kernel/http/entity.ts';
import { FileParam, OneOf, Optional } from '../../../kernel/http/params/schema.ts';
import { type Route, route } from '../../../kernel/http/route.ts';
import type { Settings } from '../../../kernel/settings/index.ts';
import { exclusive, filterOf, issueFilters, projectParam } from '../issues/issues.params.ts';
import type { issueExports } from './export.ts';
import type { issueImports } from './import.ts';

const ExportAccepted = Entity('IssueExportAccepted', { message: Text() });
const ImportAccepted = Entity('IssueImportAccepted', {
  message: Text(),
  rows: Count({ description: 'Rows of the file, without its header' }),
});

const megabyte = 1024 * 1024;
/** Whatever larger attachments the instance takes: the file is read at once. */
const largestFile = 10 * megabyte;
const common = { method: 'POST', credentials: ['token', 'session'], tag: 'Issues' } as const;

export function issueCsvRoutes(
  settings: Settings,
  exports: ReturnType<typeof issueExports>,
  imports: ReturnType<typeof issueImports>,
): Route[] {
  return [
    route({
      ...common,
      path: '/projects/:id/issues/export_csv',
      summary: 'Export issues of a project as CSV, sent to your notification email address',
      access: { on: 'project', ability: 'export_issue' },
      rate: 'project_export',
      params: Type.Object(
        {
          ...projectParam,
          ...issueFilters('all'),
          state: Optional(OneOf(['opened', 'closed', 'all'], { default: 'all', description: 'In this state' })),
        },
        exclusive,
      ),
      responses: { 202: ExportAccepted },
      handler: async ({ params, subject, caller }) => {
        await exports.start(subject, caller, filterOf(caller, params));
        return { message: '202 Accepted' };
      },
    }),
    route({
      ...common,
      path: '/projects/:id/issues/import_csv',
      summary: 'Create issues of a project from the rows of a CSV file',
      access: { on: 'project', ability: 'import_issue' },
      rate: 'project_import',
      params: Type.Object({
        ...projectParam,
        file: FileParam({
          description:
            'CSV file in UTF-8 with a header row, at most 10 MiB (or `max_attachment_size`) and 10000 rows. Columns `title` and `description`; optional `due_date`, `milestone`, `type`',
        }),
      }),
      maxFileBytes: {
        setting: 'max_attachment_size',
        bytes: async () => Math.min((await settings.read()).max_attachment_size * megabyte, largestFile),
      },
      responses: { 202: ImportAccepted },
      handler: async ({ params, subject, caller }) => ({
        message: '202 Accepted',
        rows: await imports.start(subject, caller, params.file),
      }),
    }),
  ];
}
