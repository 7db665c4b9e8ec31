/** Payloads of feature flags. */
import type { ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { User } from '../../../kernel/db/rows.ts';
import type { Fact, featureFlagToggled } from '../../../kernel/events/index.ts';
import { personPart, projectPart, type Urls } from '../../review/messages/index.ts';

type ToldFlag = Omit<Fact<typeof featureFlagToggled>['payload'], 'flag_id'> & { readonly id: number };

export const featureFlagPayload = (urls: Urls, subject: ProjectSubject, flag: ToldFlag, user: User | null) => ({
  object_kind: 'feature_flag',
  project: projectPart(subject, urls),
  user: personPart(user, urls),
  user_url: user && `${urls.externalUrl}/${user.username}`,
  object_attributes: { id: flag.id, name: flag.name, description: flag.description, active: flag.active },
});
