/** Payloads of access tokens of projects and groups that expire soon. */
import type { ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { Namespace } from '../../../kernel/db/rows.ts';
import type { accessTokenExpiring, Fact } from '../../../kernel/events/index.ts';
import { dateText, projectPart, type Urls } from '../../review/messages/index.ts';

/** Before the end: those of projects and groups hear of it so many days before, and later. */
export const accessTokenHookDays = 7;

export const accessTokenPayload = (
  urls: Urls,
  place: ProjectSubject | Namespace,
  { payload }: Pick<Fact<typeof accessTokenExpiring>, 'payload'>,
) => ({
  object_kind: 'access_token',
  ...('project' in place
    ? { project: projectPart(place, urls) }
    : { group: { group_name: place.name, group_path: place.path, group_id: place.id, full_path: place.full_path } }),
  object_attributes: {
    user_id: payload.user_id,
    created_at: dateText(new Date(payload.created_at)),
    id: payload.token_id,
    name: payload.name,
    expires_at: payload.expires_at,
  },
  event_name: 'expiring_access_token',
});
