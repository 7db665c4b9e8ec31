/** Who hears of things. */
export { isSubscribed, setSubscribed } from './subscriptions.queries.ts';
export { subscriptionRoutes } from './subscriptions.routes.ts';
