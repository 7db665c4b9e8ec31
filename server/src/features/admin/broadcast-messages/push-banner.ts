/** The banner that whoever pushes reads in the terminal: the newest one for the project, or else the newest of all. */
import type { Db } from '../../../kernel/db/index.ts';
import { matchesPattern } from '../../repository/index.ts';
import { bannersForAll } from './broadcast-messages.queries.ts';

const ruler = '='.repeat(72);
/** Columns of text between the rulers. */
const width = 72;

/** Lines of at most so many columns; words that are longer stand alone. */
function wrapped(text: string): string[] {
  return text.split(/\r?\n/).flatMap((line) => {
    const lines = [''];
    for (const word of line.split(/\s+/).filter((each) => each !== '')) {
      const last = lines.at(-1) ?? '';
      if (last === '') lines[lines.length - 1] = word;
      else if (last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`;
      else lines.push(word);
    }
    return lines;
  });
}

const covers = (target: string, path: string) => matchesPattern(target.toLowerCase(), `/${path}`.toLowerCase());

export async function pushBanner(db: Db, projectPath: string): Promise<readonly string[]> {
  const banners = await bannersForAll(db);
  const found =
    banners.find(({ target_path: target }) => target !== null && covers(target, projectPath)) ??
    banners.find(({ target_path: target }) => target === null);
  return found ? [ruler, '', ...wrapped(found.message), '', ruler] : [];
}
