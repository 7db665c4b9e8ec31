/** JSON of push rules. */
import type { Static } from 'typebox';
import type { PushRule as Row } from '../../../kernel/db/rows.ts';
import { Count, Entity, Flag, Id, Nullable, Sometimes, Text, Timestamp } from '../../../kernel/http/entity.ts';

const pattern = (description: string) => Nullable(Text({ description }));

export const PushRule = Entity('PushRule', {
  id: Id(),
  project_id: Sometimes(Id({ description: 'Of rules of a project' })),
  group_id: Sometimes(Id({ description: 'Of rules of a group' })),
  created_at: Timestamp(),
  commit_message_regex: pattern('Every message of a commit must match it'),
  commit_message_negative_regex: pattern('No message of a commit may match it'),
  branch_name_regex: pattern('Every name of a branch but that of the default one must match it'),
  author_email_regex: pattern('Addresses of authors and committers must match it'),
  file_name_regex: pattern('No new file may have a matching path'),
  max_file_size: Count({ description: 'Megabytes of one file; 0 for no limit' }),
  deny_delete_tag: Flag({ description: 'Tags are not removed with `git push`' }),
  member_check: Flag({ description: 'Authors and committers have an account with their address' }),
  prevent_secrets: Flag({ description: 'Files that look like keys and passwords are refused' }),
  commit_committer_check: Flag({ description: 'Committers are whoever pushes, by a confirmed address' }),
  commit_committer_name_check: Flag({ description: "The committer's name is that of whoever pushes" }),
  reject_unsigned_commits: Flag({ description: 'Commits are signed' }),
  reject_non_dco_commits: Flag({ description: 'Messages are signed off (`Signed-off-by:`)' }),
});

export function pushRuleJson(row: Row): Static<typeof PushRule> {
  const { id, project_id, namespace_id, updated_at: _changed, ...rest } = row;
  return {
    id,
    ...(project_id === null ? {} : { project_id }),
    ...(namespace_id === null ? {} : { group_id: namespace_id }),
    ...rest,
  };
}
