/**
 * `npm run generate`: makes every generated file that is committed, in this order. `.ci/run` runs it and fails when that
 * changes anything. A new kind of generated file is a new line here.
 */
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');

type Step = { what: string; script: string };
const steps: Step[] = [
  { what: 'row types from the migrations', script: 'scripts/generate/tables.ts' },
  { what: 'OpenAPI document and client types from the routes', script: 'scripts/generate/openapi.ts' },
  { what: 'pages of the application settings from their table', script: 'scripts/generate/settings.ts' },
  { what: 'permission page from the ability tables and routes', script: 'scripts/generate/permissions.ts' },
  { what: 'configuration table from the declared keys', script: 'scripts/generate/configuration.ts' },
  { what: 'tables of limits', script: 'scripts/generate/rate-limits.ts' },
  { what: 'table of user attributes from their declaration', script: 'scripts/generate/user-attributes.ts' },
  { what: 'table of project attributes from their declaration', script: 'scripts/generate/project-attributes.ts' },
  { what: 'table of group attributes from their declaration', script: 'scripts/generate/group-attributes.ts' },
  { what: 'names of emoji from the table of the renderer', script: 'scripts/generate/emoji.ts' },
  { what: 'states of merge trains from their table', script: 'scripts/generate/merge-trains.ts' },
];

// In one process, which loads the server once: each of them alone spends most of its time on that.
for (const { what, script } of steps) {
  console.log(what);
  await import(join(root, script));
}
