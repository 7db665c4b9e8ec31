/** Writes the names of emoji that pages offer, from the table of the renderer. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { emojiCharacters } from '../../server/src/kernel/markdown/index.ts';

const entries = [...emojiCharacters].map(([name, character]) => `  ['${name}', '${character}'],\n`).join('');
writeFileSync(
  join(import.meta.dirname, '../../web/src/features/editor/emoji.gen.ts'),
  `/** Emoji by the names that are written between colons. Made by scripts/generate/emoji.ts. */

export const emojiNames: readonly (readonly [name: string, character: string])[] = [
${entries}];
`,
);
