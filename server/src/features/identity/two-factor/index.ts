/** Two-factor authentication. */
export { type Site, siteOf } from './security-keys.ts';
export { deleteExpiredChallenges } from './two-factor.queries.ts';
export { twoFactorRoutes } from './two-factor.routes.ts';
export { createTwoFactor, type TwoFactor, type WaitingSignIn } from './two-factor.service.ts';
