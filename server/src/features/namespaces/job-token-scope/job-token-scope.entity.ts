/** JSON of what job tokens may reach. */
import { Entity, Flag, Id, Text } from '../../../kernel/http/entity.ts';

export const JobTokenScope = Entity('JobTokenScope', {
  inbound_enabled: Flag({ description: 'Only jobs of this project and of the allowlists reach it' }),
  outbound_enabled: Flag({ description: 'Jobs of this project reach no other one' }),
});

export const AllowedProject = Entity('JobTokenAllowedProject', { source_project_id: Id(), target_project_id: Id() });
export const AllowedGroup = Entity('JobTokenAllowedGroup', { source_project_id: Id(), target_group_id: Id() });
export const AllowedGroupItem = Entity('JobTokenGroup', { id: Id(), web_url: Text(), name: Text() });
