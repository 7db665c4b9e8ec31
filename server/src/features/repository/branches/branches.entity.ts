/** Branches and tags as the API shows them. */
import { Count, Entity, Fields, Flag, Id, Nullable, Sometimes, Text, Timestamp } from '../../../kernel/http/entity.ts';
import { Commit, PipelineStateField } from '../commits/commits.entity.ts';

export const Branch = Entity('Branch', {
  name: Text(),
  commit: Commit,
  merged: Flag({
    description: 'Whether it was merged: the default branch contains its last commit and has newer ones',
  }),
  protected: Flag({ description: 'Whether it is protected' }),
  developers_can_push: Flag({ description: 'Whether developers may push to it' }),
  developers_can_merge: Flag({ description: 'Whether developers may merge into it' }),
  can_push: Flag({ description: 'Whether the caller may push to it' }),
  default: Flag(),
  web_url: Text(),
  status: Sometimes(
    Fields(
      {
        ahead: Count({ description: 'Commits that the default branch does not have' }),
        behind: Count({ description: 'Commits of the default branch that it does not have' }),
        pipeline: PipelineStateField,
        merge_request: Nullable(Fields({ iid: Id({ description: 'Number within the project' }), title: Text() }), {
          description: 'The newest open merge request from it within the project, for those who may see it',
        }),
      },
      { description: 'With `with_status`' },
    ),
  ),
});

const Release = Entity('TagRelease', { tag_name: Text(), description: Nullable(Text()) });

export const Tag = Entity('Tag', {
  name: Text(),
  message: Nullable(Text({ description: 'Of an annotated tag' })),
  target: Text({ description: 'Object id: of the tag object, or of the commit for a lightweight tag' }),
  commit: Commit,
  release: Nullable(Release),
  protected: Flag({ description: 'Whether it is protected' }),
  created_at: Nullable(Timestamp()),
});
