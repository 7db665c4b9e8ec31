/** Parameters that service accounts of the instance, of groups and of projects share. */
import { OneOf, Optional, Str } from '../../../kernel/http/params/schema.ts';

export const serviceAccountParameters = {
  name: Optional(Str({ description: 'Name' })),
  username: Optional(Str({ description: 'Username; generated unless given' })),
  email: Optional(Str({ description: 'Email address, which counts when it is confirmed; generated unless given' })),
};

export const serviceAccountChanges = {
  name: Optional(Str({ description: 'Name' })),
  username: Optional(Str({ description: 'Username' })),
  email: Optional(Str({ description: 'Email address; counts when it is confirmed' })),
};

export const serviceAccountOrder = {
  order_by: Optional(OneOf(['id', 'username'], { default: 'id', description: 'What the list is ordered by' })),
  sort: Optional(OneOf(['asc', 'desc'], { default: 'desc', description: 'Direction of the order' })),
};
