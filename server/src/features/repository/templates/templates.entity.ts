/** Templates of files as JSON. */
import { Entity, Flag, ListOf, Nullable, Text } from '../../../kernel/http/entity.ts';

export const TemplateName = Entity('TemplateName', { key: Text(), name: Text() });
export const Template = Entity('Template', { name: Text(), content: Text() });
export const LicenseTemplate = Entity('LicenseTemplate', {
  key: Text(),
  name: Text(),
  nickname: Nullable(Text()),
  popular: Flag({ description: 'Whether many projects use it' }),
  html_url: Nullable(Text({ description: 'A page that explains it' })),
  source_url: Nullable(Text({ description: 'Where the text comes from' })),
  description: Nullable(Text()),
  conditions: ListOf(Text(), { description: 'What it asks for' }),
  permissions: ListOf(Text(), { description: 'What it allows' }),
  limitations: ListOf(Text(), { description: 'What it excludes' }),
  content: Text(),
});
