/** Parameters that lists of tokens and the making of tokens share. */
import {
  Bool,
  DateParam,
  DateTimeParam,
  List,
  OneOf,
  Optional,
  OrNull,
  Str,
} from '../../../kernel/http/params/schema.ts';
import { tokenSorts } from './tokens.queries.ts';

export const tokenFilters = {
  revoked: Optional(Bool()),
  state: Optional(OneOf(['active', 'inactive'])),
  search: Optional(Str({ description: 'In the name' })),
  created_after: Optional(DateTimeParam()),
  created_before: Optional(DateTimeParam()),
  last_used_after: Optional(DateTimeParam()),
  last_used_before: Optional(DateTimeParam()),
  expires_after: Optional(DateParam()),
  expires_before: Optional(DateParam()),
  sort: Optional(OneOf(tokenSorts)),
};

export const newTokenParameters = {
  name: Str({ maxLength: 255 }),
  description: Optional(OrNull(Str({ maxLength: 255 }))),
  scopes: List(Str(), { commas: true }),
  expires_at: Optional(
    OrNull(
      DateParam({ description: 'The first day on which it no longer works; the latest day allowed unless given' }),
    ),
  ),
};

export const rotationParameters = {
  expires_at: Optional(DateParam({ description: 'Of the new token; a week from today unless given' })),
};
