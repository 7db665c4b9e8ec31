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
  revoked: Optional(Bool({ description: 'Only revoked tokens, or only those that are not' })),
  state: Optional(OneOf(['active', 'inactive'], { description: 'Only active tokens, or only those that are not' })),
  search: Optional(Str({ description: 'In the name' })),
  created_after: Optional(DateTimeParam({ description: 'Only those created at or after this time' })),
  created_before: Optional(DateTimeParam({ description: 'Only those created at or before this time' })),
  last_used_after: Optional(DateTimeParam({ description: 'Only those used at or after this time' })),
  last_used_before: Optional(DateTimeParam({ description: 'Only those used at or before this time' })),
  expires_after: Optional(DateParam({ description: 'Only those that expire after this day' })),
  expires_before: Optional(DateParam({ description: 'Only those that expire before this day' })),
  sort: Optional(OneOf(tokenSorts, { description: 'Direction of the order' })),
};

export const newTokenParameters = {
  name: Str({ maxLength: 255, description: 'Name of the token' }),
  description: Optional(OrNull(Str({ maxLength: 255, description: 'What the token is for' }))),
  scopes: List(Str(), { commas: true, description: 'What the token may be used for' }),
  expires_at: Optional(
    OrNull(
      DateParam({ description: 'The first day on which it no longer works; the latest day allowed unless given' }),
    ),
  ),
};

export const rotationParameters = {
  expires_at: Optional(DateParam({ description: 'Of the new token; a week from today unless given' })),
};
