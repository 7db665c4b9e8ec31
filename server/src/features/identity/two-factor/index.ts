/** Two-factor authentication. */
export { twoFactorRoutes } from './two-factor.routes.ts';
export { createTwoFactor, type TwoFactor, type WaitingSignIn } from './two-factor.service.ts';
