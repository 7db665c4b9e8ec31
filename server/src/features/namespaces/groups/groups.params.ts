/** Parameters of groups. */
import {
  Bool,
  DateParam,
  Hash,
  IdOrPath,
  Int,
  List,
  OneOf,
  Optional,
  Str,
} from '../../../kernel/http/params/schema.ts';
import { visibilities } from '../naming/naming.ts';

export const groupId = { id: IdOrPath('Group') };

/** Filters of subgroups and descendants; the instance-wide list has some more. */
export const listParameters = {
  skip_groups: Optional(List(Int(), { commas: true, description: 'Leave out the groups with these ids' })),
  all_available: Optional(Bool({ description: 'Also groups that the caller is not a member of' })),
  search: Optional(Str({ description: 'Only those whose name or description contains this text' })),
  order_by: Optional(OneOf(['name', 'path', 'id', 'similarity'], { description: 'Default `name`' })),
  sort: Optional(OneOf(['asc', 'desc'], { default: 'asc', description: 'Direction of the order' })),
  statistics: Optional(Bool({ default: false, description: 'Administrators only' })),
  with_custom_attributes: Optional(Bool({ default: false, description: 'Administrators only' })),
  owned: Optional(Bool({ default: false, description: 'Only those that the caller owns' })),
  min_access_level: Optional(Int({ description: 'The lowest level of the caller' })),
  visibility: Optional(OneOf(visibilities, { description: 'Who may see it' })),
  active: Optional(Bool({ description: 'Neither archived nor waiting for removal, or only those that are' })),
  archived: Optional(Bool({ description: 'Only archived groups, or only those that are not' })),
  marked_for_deletion_on: Optional(DateParam({ description: 'Only those that wait for removal since this day' })),
  custom_attributes: Optional(Hash(Str(), { description: 'Administrators only: values that they must have' })),
};

export const wideListParameters = {
  ...listParameters,
  top_level_only: Optional(Bool({ default: false, description: 'Only those without a group above' })),
  repository_storage: Optional(Str({ description: 'Administrators only' })),
  id_after: Optional(Int({ description: 'Only those with an id above this' })),
  id_before: Optional(Int({ description: 'Only those with an id below this' })),
};

const { search, order_by, sort, skip_groups, visibility, min_access_level, with_custom_attributes } = listParameters;
/** Filters of groups that are invited somewhere. */
export const sharedListParameters = {
  search,
  order_by,
  sort,
  skip_groups,
  visibility,
  min_access_level,
  with_custom_attributes,
};
