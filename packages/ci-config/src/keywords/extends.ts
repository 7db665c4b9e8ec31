/** `extends`: applied before keywords are read; what is left of it is the list of names. */
import type { Keyword } from './keyword.ts';
import { textsOf } from './read.ts';
import { textOrTexts } from './schema.ts';

export const extendsKeyword: Keyword<string[]> = { name: 'extends', schema: textOrTexts, normalise: textsOf };
