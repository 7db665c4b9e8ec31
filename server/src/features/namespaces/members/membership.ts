import type { Route } from '../../../kernel/http/route.ts';
import type { Mail } from '../../../kernel/mail/index.ts';
import { accessRequestRoutes } from '../access-requests/access-requests.routes.ts';
import { billableMemberRoutes } from '../billable-members/billable-members.routes.ts';
import type { NamespacesDependencies } from '../deps.ts';
import { invitationRoutes } from '../invitations/invitations.routes.ts';
import { invitationService } from '../invitations/invitations.service.ts';
import { samlLdapLinkRoutes } from '../saml-ldap-links/saml-ldap-links.routes.ts';
import { shareRoutes } from '../shares/shares.routes.ts';
import { shareService } from '../shares/shares.service.ts';
import { memberPresenter } from './members.routes.ts';
import type { MemberService } from './members.service.ts';
import { pendingMemberRoutes } from './pending.routes.ts';

/** What memberships need of others; app.ts wires it. */
export interface MembershipHooks {
  readonly mail: Pick<Mail, 'configured' | 'send'>;
}

export function membershipRoutes(deps: NamespacesDependencies & MembershipHooks, members: MemberService): Route[] {
  return [
    ...pendingMemberRoutes(deps, members),
    ...billableMemberRoutes(deps, members),
    ...accessRequestRoutes({ ...deps, members, presenter: memberPresenter(deps) }),
    ...invitationRoutes({ ...deps, invitations: invitationService({ ...deps, members }) }),
    ...shareRoutes(deps, shareService(deps.db)),
    ...samlLdapLinkRoutes(deps),
  ];
}
