/** Who hears of things. */
export { isSubscribed } from './subscriptions.queries.ts';
export { subscriptionRoutes } from './subscriptions.routes.ts';
