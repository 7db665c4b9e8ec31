/** `npm run spec`: which statements of docs/spec the last run's passed tests prove, per section. Never fails the build. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readResults } from './lib/results.ts';
import { coverage, parseRequirements, type RowCoverage } from './lib/spec.ts';

const root = join(import.meta.dirname, '..');
const everything = process.argv.includes('--all');
const rows = parseRequirements(readFileSync(join(root, 'docs/spec/requirements.tsv'), 'utf8'));
const tests = readResults(root).flatMap((suite) => suite.tests);
const passed = tests.filter((test) => test.state === 'passed').map((test) => test.title);
const { sections, unknown } = coverage(rows, passed);

const covered = (list: readonly RowCoverage[]): string =>
  `${list.filter((entry) => entry.covered).length}/${list.length}`;
const keys = (list: readonly RowCoverage[]): string => {
  const total = list.reduce((sum, entry) => sum + entry.row.keys.length, 0);
  const missing = list.reduce((sum, entry) => sum + entry.missing.length, 0);
  return `${total - missing}/${total}`;
};
const open = (entry: RowCoverage): string => {
  const number = entry.row.id.slice(entry.row.section.length + 1);
  return entry.cited && entry.missing.length > 0 ? `${number} (${entry.missing.join(', ')})` : number;
};
const shorten = (text: string): string => (everything || text.length <= 120 ? text : `${text.slice(0, 117)}...`);

console.log(`${'section'.padEnd(52)}${'facts'.padStart(9)}${'open'.padStart(8)}${'keys'.padStart(11)}  not proved`);
for (const { section, rows: list } of sections) {
  const facts = list.filter((entry) => entry.row.kind === 'fact');
  const undecided = list.filter((entry) => entry.row.kind === 'open');
  const line =
    section.padEnd(52) + covered(facts).padStart(9) + covered(undecided).padStart(8) + keys(list).padStart(11);
  const rest = list.filter((entry) => !entry.covered).map(open);
  console.log(`${line}  ${shorten(rest.join(', '))}`.trimEnd());
}

const all = sections.flatMap((section) => section.rows);
const facts = all.filter((entry) => entry.row.kind === 'fact');
const undecided = all.filter((entry) => entry.row.kind === 'open');
console.log(
  `\nfacts ${covered(facts)}, open rows ${covered(undecided)}, sub-keys ${keys(all)} (${passed.length} passed tests)`,
);
const touched = all.filter((entry) => entry.cited && !entry.covered).length;
if (touched > 0) console.log(`${touched} rows are named by a test but have sub-keys that none names`);
if (unknown.length > 0) console.log(`named by tests but not in the specification: ${unknown.join('; ')}`);
if (tests.length === 0) console.log('No results yet: run npm test first.');
