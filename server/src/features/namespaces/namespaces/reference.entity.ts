/** JSON of a namespace beside what is in it. */
import type { Static } from 'typebox';
import type { Namespace } from '../../../kernel/db/rows.ts';
import { Fields, Id, Nullable, Text, Word } from '../../../kernel/http/entity.ts';
import { namespacePictureUrl } from '../avatars/pictures.ts';

export const namespaceReferenceProperties = {
  id: Id(),
  name: Text(),
  path: Text(),
  kind: Word(['user', 'group']),
  full_path: Text(),
  parent_id: Nullable(Id()),
  avatar_url: Nullable(Text()),
  web_url: Text(),
};

export const NamespaceReference = Fields(namespaceReferenceProperties);

export type ReferredNamespace = Pick<
  Namespace,
  'id' | 'name' | 'path' | 'kind' | 'full_path' | 'parent_id' | 'owner_id' | 'avatar_object_key'
>;

export function namespaceReference(row: ReferredNamespace, externalUrl: string): Static<typeof NamespaceReference> {
  const { id, name, path, kind, full_path, parent_id } = row;
  return {
    ...{ id, name, path, kind, full_path, parent_id },
    avatar_url: namespacePictureUrl(externalUrl, row),
    web_url: kind === 'user' ? `${externalUrl}/${full_path}` : `${externalUrl}/groups/${full_path}`,
  };
}
