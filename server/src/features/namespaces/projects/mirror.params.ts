/** The pull mirror of a project, as parameters of creating and changing the project. */
import Type, { type Static } from 'typebox';
import { Bool, Int, Optional, OrNull, Str } from '../../../kernel/http/params/schema.ts';

export const mirrorParameters = {
  mirror: Optional(Bool({ description: 'Whether the project follows the repository at `import_url` (pull mirror)' })),
  mirror_user_id: Optional(
    Int({ description: 'Whose pushes the updates of the mirror are: the caller; administrators name anybody' }),
  ),
  mirror_trigger_builds: Optional(Bool({ description: 'Whether updates of the mirror trigger pipelines' })),
  only_mirror_protected_branches: Optional(Bool({ description: 'Only protected branches are mirrored; tags always' })),
  mirror_overwrites_diverged_branches: Optional(
    Bool({ description: 'Whether branches and tags that changed here as well are overwritten by the mirror' }),
  ),
  mirror_branch_regex: Optional(
    OrNull(
      Str({
        maxLength: 255,
        description: 'Only branches whose names match are mirrored (RE2); not with `only_mirror_protected_branches`',
      }),
    ),
  ),
};
const parameters = Type.Object(mirrorParameters);
export type MirrorParameters = Static<typeof parameters>;
