/** Draws the states of merge train entries in docs/user/merge-trains.md from the table that the server uses. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { entryStatuses, transitions } from '../../server/src/features/review/merge-trains/decision.ts';

const file = join(import.meta.dirname, '../../docs/user/merge-trains.md');
const begin = '<!-- states: made by npm run generate -->\n';
const end = '<!-- /states -->';

const arrows = entryStatuses.flatMap((from) => {
  const targets = Map.groupBy(Object.entries(transitions[from]), ([, to]) => to);
  return [...targets].map(([to, events]) => {
    const names = events.map(([event]) => event).join(', ');
    return `  ${from} --> ${to === 'gone' ? '[*]' : to}: ${names}`;
  });
});
const diagram = ['```mermaid', 'stateDiagram-v2', '  [*] --> idle: join', ...arrows, '```', ''].join('\n');
const text = readFileSync(file, 'utf8');
const from = text.indexOf(begin) + begin.length;
writeFileSync(file, `${text.slice(0, from)}${diagram}${text.slice(text.indexOf(end))}`);
