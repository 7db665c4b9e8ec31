/** What a new project may start with, as parameters. */
import Type, { type Static } from 'typebox';
import { Bool, Int, Optional, Str } from '../../../kernel/http/params/schema.ts';
import { mirrorParameters } from './mirror.params.ts';

export const startParameters = {
  import_url: Optional(
    Str({
      maxLength: 2048,
      description:
        'Address of a repository elsewhere, with name and password where it needs them; fetched in the background',
    }),
  ),
  template_name: Optional(
    Str({
      maxLength: 255,
      description: 'Template of the product (`/templates/projects`), or path of one that is kept',
    }),
  ),
  template_project_id: Optional(Int({ description: 'Project kept as a template, with `use_custom_template`' })),
  use_custom_template: Optional(Bool({ default: false, description: 'The template is a project that is kept as one' })),
  group_with_project_templates_id: Optional(
    Int({ description: 'Group whose templates are meant; those of the instance without it' }),
  ),
  ...mirrorParameters,
};
const parameters = Type.Object(startParameters);
export type StartParameters = Static<typeof parameters>;
