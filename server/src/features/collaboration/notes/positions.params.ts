/** Where in a change a comment stands, as requests say it. */
import Type, { type Static } from 'typebox';
import { invalidParameters } from '../../../kernel/http/errors.ts';
import { Float, Int, OneOf, Optional, Str } from '../../../kernel/http/params/schema.ts';
import type { Position } from './positions.ts';

const lineEnd = (description: string) =>
  Optional(
    Type.Object(
      {
        line_code: Optional(Str({ description: 'What names the line' })),
        type: Optional(Str({ description: '`new` for an added line, `old` otherwise' })),
        old_line: Optional(Int({ description: 'Line before the change' })),
        new_line: Optional(Int({ description: 'Line after the change' })),
      },
      { description },
    ),
  );
const sha = (description: string) => Str({ minLength: 1, maxLength: 64, description });
const path = (description: string) => Optional(Str({ minLength: 1, maxLength: 4096, description }));
const number = (description: string) => Optional(Int({ minimum: 0, description }));

export const PositionParam = Type.Object(
  {
    base_sha: sha('Commit that the change is counted from'),
    start_sha: sha('Commit of the target'),
    head_sha: sha('Commit with the change'),
    position_type: OneOf(['text', 'image', 'file'], { description: 'What it is a place in' }),
    new_path: path('Path of the file after the change'),
    old_path: path('Path of the file before the change'),
    new_line: number('Line after the change'),
    old_line: number('Line before the change'),
    line_range: Optional(
      Type.Object(
        { start: lineEnd('The first of them'), end: lineEnd('The last of them') },
        { description: 'First and last of several lines' },
      ),
    ),
    width: number('Width of the picture'),
    height: number('Height of the picture'),
    x: Optional(Float({ description: 'Where in the picture, from the left' })),
    y: Optional(Float({ description: 'Where in the picture, from above' })),
  },
  { description: 'Place in the change' },
);

/** A position as it is stored and returned. Drafts name both paths of a line; comments one of them, and `withPaths` adds the other. */
export function positionOf(given: Static<typeof PositionParam>, paths: 'both' | 'either' = 'either'): Position {
  const { base_sha, start_sha, head_sha, position_type } = given;
  const refs = { base_sha, start_sha, head_sha, position_type };
  // Clients name an added line by the new path alone, a removed one by the old one: the change tells the other.
  const absent = (['old_path', 'new_path'] as const).filter((name) => given[name] === undefined);
  if (position_type === 'text' && absent.length > (paths === 'both' ? 0 : 1))
    throw invalidParameters(absent.map((name) => `position[${name}] is missing`));
  const named = { old_path: given.old_path ?? null, new_path: given.new_path ?? null };
  if (position_type === 'image') {
    const { width = null, height = null, x = null, y = null } = given;
    return { ...refs, ...named, width, height, x, y };
  }
  if (position_type === 'file') return { ...refs, ...named };
  const { old_line = null, new_line = null, line_range = null } = given;
  return { ...refs, ...named, old_line, new_line, line_range };
}
