/** Pages before anybody is signed in: signing in and up, new passwords, confirmed addresses. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { queries } from '../lib/queries.ts';
import { registrationQuery } from '../lib/registration.ts';
import { root, text } from './base.ts';

/** What the instance offers to those who come. */
const offers = () => queries.ensureQueryData(registrationQuery);

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/users/sign_in',
  validateSearch: (search): { return_to?: string | undefined } => ({ return_to: text(search.return_to) }),
  loader: offers,
  component: lazyRouteComponent(() => import('../features/session/SignInPage.tsx')),
});
const signUp = createRoute({
  getParentRoute: () => root,
  path: '/users/sign_up',
  loader: offers,
  component: lazyRouteComponent(() => import('../features/session/SignUpPage.tsx')),
});
const forgotten = createRoute({
  getParentRoute: () => root,
  path: '/users/password/new',
  loader: offers,
  component: lazyRouteComponent(() => import('../features/session/ForgottenPasswordPage.tsx')),
});
const newPassword = createRoute({
  getParentRoute: () => root,
  path: '/users/password/edit',
  validateSearch: (search): { reset_password_token?: string | undefined } => ({
    reset_password_token: text(search.reset_password_token),
  }),
  loader: offers,
  component: lazyRouteComponent(() => import('../features/session/NewPasswordPage.tsx')),
});
const confirmation = createRoute({
  getParentRoute: () => root,
  path: '/users/confirmation',
  validateSearch: (search): { confirmation_token?: string | undefined } => ({
    confirmation_token: text(search.confirmation_token),
  }),
  component: lazyRouteComponent(() => import('../features/session/ConfirmationPage.tsx')),
});
const newConfirmation = createRoute({
  getParentRoute: () => root,
  path: '/users/confirmation/new',
  component: lazyRouteComponent(() => import('../features/session/NewConfirmationPage.tsx')),
});

export const entryRoutes = [signIn, signUp, forgotten, newPassword, confirmation, newConfirmation];
