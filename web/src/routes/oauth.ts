/** What programs ask of the person at the browser. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
// Loaded at once: it keeps the query of the address as it came, before the router writes it anew.
import { consentRequest } from '../lib/consent.ts';
import { queries } from '../lib/queries.ts';
import { root, signedIn, text } from './base.ts';

const authorize = createRoute({
  getParentRoute: () => root,
  path: '/oauth/authorize',
  beforeLoad: signedIn,
  loader: () => queries.prefetchQuery(consentRequest()),
  component: lazyRouteComponent(() => import('../features/oauth/AuthorizePage.tsx')),
});
const device = createRoute({
  getParentRoute: () => root,
  path: '/oauth/device',
  validateSearch: (search): { user_code?: string | undefined } => ({ user_code: text(search.user_code) }),
  beforeLoad: signedIn,
  component: lazyRouteComponent(() => import('../features/oauth/DevicePage.tsx')),
});

export const oauthRoutes = [authorize, device];
