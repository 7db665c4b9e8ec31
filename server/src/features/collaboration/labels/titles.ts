/** Titles of labels as a parameter: of lists that are narrowed by them, and of what gets or loses them. */
import { List, Str } from '../../../kernel/http/params/schema.ts';

export const LabelTitles = (description: string) =>
  List(Str({ maxLength: 255 }), { commas: 'each', maxItems: 100, description });
