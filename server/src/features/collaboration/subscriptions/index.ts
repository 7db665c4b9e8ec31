/** Who hears of things. */
export { isSubscribed, setCommitSubscribed, setSubscribed } from './subscriptions.queries.ts';
export { subscriptionRoutes } from './subscriptions.routes.ts';
